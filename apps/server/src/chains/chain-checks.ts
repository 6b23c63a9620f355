// Whether a live chain is what its settings say: asked at every start, so that no money meets a sandbox contract or a stranger's.
import { setTimeout as sleep } from 'node:timers/promises';
import { isRpcFailure, type Rpc } from '@presage/chain';
import { type ChainFault, findChainFaults, type ServiceKeys } from '@presage/chain/setup';
import type { ChainConfig } from '../config.ts';

export interface ChainCheckOptions {
  readonly settings: ChainConfig;
  readonly rpc: Rpc;
  readonly keys: ServiceKeys;
  readonly log: { warn(details: object, message: string): void };
}

/** The chain cannot be served as it is set up; every reason at once. */
class ChainUnfit extends Error {
  override readonly name = 'ChainUnfit';

  constructor(chainId: number, faults: readonly ChainFault[]) {
    const lines = faults.map(({ detail, remedy }) => `  - ${detail}. ${remedy}`);
    super(`chain ${chainId} cannot be served:\n${lines.join('\n')}`);
  }
}

const RETRY_MS = 5_000;

/**
 * Throws `ChainUnfit`. A chain that has never answered is waited for; one that was fit at an earlier start and is unreachable now is
 * asked until it answers, and then judged through `onUnfit`.
 */
export async function requireFitChain(
  options: ChainCheckOptions,
  { wasFit, onUnfit, signal }: FitOptions,
): Promise<void> {
  if (!wasFit) return checkUntilAnswered(options, { signal });
  try {
    await assertFit(options);
  } catch (error) {
    if (!isRpcFailure(error)) throw error;
    void sleep(RETRY_MS, undefined, { ref: false, signal })
      .then(() => checkUntilAnswered(options, { signal, ref: false }))
      .catch((failure) => signal.aborted || onUnfit(failure));
  }
}

interface FitOptions {
  readonly wasFit: boolean;
  readonly onUnfit: (error: unknown) => void;
  /** Aborted when nobody waits any more. */
  readonly signal: AbortSignal;
}

async function checkUntilAnswered(
  options: ChainCheckOptions,
  waiting: { readonly signal: AbortSignal; readonly ref?: boolean },
): Promise<void> {
  for (;;) {
    try {
      return await assertFit(options);
    } catch (error) {
      if (!isRpcFailure(error)) throw error;
      options.log.warn({ error: error.message }, 'the chain cannot be checked yet');
    }
    await sleep(RETRY_MS, undefined, waiting);
  }
}

/** What stops nothing, such as an empty purse, is said in the log. */
async function assertFit({ log, ...options }: ChainCheckOptions): Promise<void> {
  const nowSeconds = () => Math.floor(Date.now() / 1_000);
  const faults = await findChainFaults({ ...options, nowSeconds });
  for (const { detail, remedy } of faults.filter(({ isFatal }) => !isFatal)) log.warn({ remedy }, detail);
  const fatal = faults.filter(({ isFatal }) => isFatal);
  if (fatal.length > 0) throw new ChainUnfit(options.settings.chainId, fatal);
}
