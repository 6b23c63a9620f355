// Identity of a chain's contracts: read once and kept in the journal, so that a start without the chain still knows it.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Contracts, isRpcFailure } from '@presage/chain';
import type { ChainIdentity } from '@presage/protocol';
import type { ChainConfig } from '../config.ts';
import { type ChainProblem, ChainUnfit, type OnChainProblem, toProblem } from './chain-problem.ts';

/** Retry interval for a chain that does not answer, and for one whose contracts gave invalid answers. */
const RETRY_MS = { unreachable: 200, unfit: 5_000 } as const;

export interface LearnIdentityOptions {
  readonly chain: ChainConfig;
  readonly contracts: Contracts;
  readonly journal: { saveIdentity(identity: ChainIdentity): Promise<void> };
  /** Called when the chain cannot be opened; it is retried. */
  readonly onProblem: OnChainProblem;
  readonly signal: AbortSignal;
}

/** Reads the identity on the chain's first start, retrying until it answers, and saves it in the journal for later starts. */
export async function learnChainIdentity(options: LearnIdentityOptions): Promise<ChainIdentity> {
  const { chain, contracts, journal, onProblem, signal } = options;
  for (;;) {
    const identity = await readChainIdentity(contracts).catch((error: unknown) => toIdentityProblem(chain, error));
    if (!('kind' in identity)) {
      await journal.saveIdentity(identity);
      return identity;
    }
    onProblem(identity);
    await sleep(RETRY_MS[identity.kind], undefined, { signal });
  }
}

/** A contract that reverts, or whose answer cannot be decoded, is not one of ours. */
function toIdentityProblem(chain: ChainConfig, error: unknown): ChainProblem {
  if (isRpcFailure(error)) return toProblem(chain, error);
  const [reason] = String(error instanceof Error ? error.message : error).split('\n');
  const detail = `eth_call of the contracts' names, versions, grace and bond failed: ${reason}`;
  const remedy =
    'Compare the addresses in contracts with those that `presage deploy` wrote, and check the node with `presage doctor --chains`.';
  return toProblem(chain, new ChainUnfit(chain, [{ detail, remedy }]));
}

/** Waits until the settler has read the identity. */
export async function awaitChainIdentity(
  history: { readonly identity: ChainIdentity | undefined },
  signal: AbortSignal,
): Promise<ChainIdentity> {
  while (history.identity === undefined) await sleep(RETRY_MS.unreachable, undefined, { signal });
  return history.identity;
}

async function readChainIdentity(contracts: Contracts): Promise<ChainIdentity> {
  const { settlement, conditionalTokens, stablecoin, marketFactory } = contracts;
  const [settlementDomain, tokensDomain, name, version, symbol, decimals, grace, bond] = await contracts.readTogether([
    settlement.reading('eip712Domain', []),
    conditionalTokens.reading('eip712Domain', []),
    stablecoin.reading('name', []),
    stablecoin.reading('version', []),
    stablecoin.reading('symbol', []),
    stablecoin.reading('decimals', []),
    settlement.reading('SETTLEMENT_GRACE', []),
    marketFactory.reading('bond', []),
  ]);
  return {
    settlement: toIdentity(settlementDomain),
    conditionalTokens: toIdentity(tokensDomain),
    stablecoin: { name, version, symbol, decimals },
    settlementGraceSeconds: Number(grace),
    ...(await readResolutionTerms(contracts, bond)),
  };
}

/** Reads the terms from the implementation that all markets are clones of. */
async function readResolutionTerms(contracts: Contracts, factoryBond: bigint) {
  const { marketFactory, oracle, stablecoin } = contracts;
  const market = contracts.market(await marketFactory.read('marketImplementation', []));
  const [bondPermitRequired, windowSeconds, leastBond] = await contracts.readTogether([
    market.reading('bondPermitRequired', []),
    market.reading('DISPUTE_WINDOW', []),
    oracle.reading('getMinimumBond', [stablecoin.address]),
  ]);
  const bondAmount = (factoryBond > leastBond ? factoryBond : leastBond).toString();
  return { bondAmount, bondPermitRequired, disputeWindowSeconds: Number(windowSeconds) };
}

/** EIP-5267 answers fields, name, version, chainId, verifyingContract, salt, extensions. */
function toIdentity(domain: readonly [unknown, string, string, ...unknown[]]): ChainIdentity['settlement'] {
  return { name: domain[1], version: domain[2] };
}
