// Judges a simulated batch, and checks again before anybody is blamed: a node may be behind, and a reorganization may have dropped a permit.
import type { SettleBatchArguments } from '@presage/chain';
import type { Address, Hex } from '@presage/protocol';
import type { ChainContext } from '../chains/chain-context.ts';
import type { WaitingPermits } from '../relayer/waiting-permits.ts';
import { findDoubtful, type Judgement, judgeBatch } from './batch-judgement.ts';
import type { BatchSimulator, SimulatedCodes } from './batch-simulation.ts';
import type { PlannedFill } from './ports.ts';

export interface JudgedBatch {
  readonly planned: readonly PlannedFill[];
  readonly encoded: SettleBatchArguments;
  /** Wallets with unmined fills. */
  readonly unmined: ReadonlySet<string>;
  readonly simulator: Pick<BatchSimulator, 'simulateMined'>;
}

interface JudgementSite extends Pick<ChainContext, 'node' | 'contracts'> {
  readonly holds: Pick<WaitingPermits, 'isUnconfirmed' | 'lostAllowance'> | undefined;
}

/**
 * Judges the batch. Faults that a newer block may have lifted are simulated again at the newest block seen, where it is also checked
 * whether a permit is missing.
 */
export async function judgeSimulated(
  site: JudgementSite,
  { codes, gasUsed }: SimulatedCodes,
  { planned, encoded, unmined, simulator }: JudgedBatch,
): Promise<{ judgement: Judgement; gasUsed?: bigint | undefined }> {
  const judgement = judgeBatch(planned, codes, unmined);
  const doubtful = findDoubtful(planned, codes, judgement);
  if (doubtful.length === 0) return { judgement, gasUsed };
  const { hash } = await site.node.head();
  const mined = await simulator.simulateMined(encoded, hash);
  if (mined.kind === 'refused') throw new Error(`the batch was refused: ${mined.reason}`);
  const rechecked = codes.map((code, index) => (doubtful.includes(index) ? mined.codes[index]! : code));
  const blamed = doubtful.flatMap((index) => [planned[index]!.trade.buyer, planned[index]!.trade.seller]);
  const lost = await findLost(site, blamed, hash);
  return { judgement: judgeBatch(planned, rechecked, unmined, lost) };
}

/** Wallets with a permit that was mined, is not in this block, and can be mined again. */
async function findLost(
  { contracts, holds }: JudgementSite,
  wallets: readonly Address[],
  hash: Hex,
): Promise<ReadonlySet<string>> {
  const unconfirmed = wallets.filter((wallet) => holds?.isUnconfirmed(wallet));
  if (unconfirmed.length === 0) return new Set();
  const reads = unconfirmed.map((wallet) => contracts.stablecoin.reading('nonces', [wallet]));
  const nonces = await contracts.readTogether(reads, { block: { hash } });
  return new Set(unconfirmed.filter((wallet, index) => holds!.lostAllowance(wallet, nonces[index]!) > 0n));
}
