// Why a configured chain is not served: its node does not answer, or its contracts do not match its settings.
import { isRpcFailure } from '@presage/chain';
import type { ChainFault } from '@presage/chain/setup';
import type { ChainConfig } from '../config.ts';

export interface ChainProblem {
  readonly chainId: number;
  readonly kind: 'unreachable' | 'unfit';
  /** Names the chain, its nodes, the failed request and the remedy. */
  readonly message: string;
}

export type OnChainProblem = (problem: ChainProblem) => void;

type NamedChain = Pick<ChainConfig, 'chainId' | 'name' | 'rpcUrls'>;

/** The chain cannot be served as configured; lists all reasons. */
export class ChainUnfit extends Error {
  override readonly name = 'ChainUnfit';

  constructor(chain: NamedChain, faults: readonly Pick<ChainFault, 'detail' | 'remedy'>[]) {
    const lines = faults.map(({ detail, remedy }) => `  - ${detail}. ${remedy}`);
    super(`${describe(chain)} cannot be served:\n${lines.join('\n')}`);
  }
}

/** No configured chain can be served, so the service does not start. */
export class NoChainFit extends Error {
  override readonly name = 'NoChainFit';

  constructor(problems: readonly ChainProblem[]) {
    super(problems.map(({ message }) => message).join('\n'));
  }
}

/** Converts an error of the chain to a problem; rethrows all other errors. */
export function toProblem(chain: NamedChain, error: unknown): ChainProblem {
  const { chainId } = chain;
  if (error instanceof ChainUnfit) return { chainId, kind: 'unfit', message: error.message };
  if (!isRpcFailure(error)) throw error;
  const remedy = 'Check that the node runs and that rpcUrls names it; the chain joins when it answers.';
  return { chainId, kind: 'unreachable', message: `${describe(chain)} cannot be asked: ${error.message}. ${remedy}` };
}

/** Nodes are named by their hosts, since a URL may carry a key. */
function describe({ chainId, name, rpcUrls }: NamedChain): string {
  return `chain ${chainId} (${name}) at ${rpcUrls.map((url) => new URL(url).host).join(', ')}`;
}
