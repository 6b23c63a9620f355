// Reads a chain's backing as of one block: stablecoin held for the shares of its markets, and trades not yet settled on it.
import type { TradeBrief } from '@presage/engine';
import type { Indexer } from '../indexer/indexer.ts';
import type { WalletReads } from '../wallets/wallet-reads.ts';

export interface BackedChain {
  readonly config: {
    readonly contracts: { readonly conditionalTokens: `0x${string}`; readonly oracle: `0x${string}` };
  };
  readonly reads: { unsettledBriefs(): TradeBrief[] };
  readonly wallets: { readonly reads: Pick<WalletReads, 'head' | 'stablecoinOf'> };
  /** Undefined on a node that does not follow the chain. */
  readonly actor: { readonly indexer: Pick<Indexer, 'followedBlock' | 'hasFollowed' | 'wake'> } | undefined;
}

export interface Backing {
  /** Block at which the stablecoin was read; null if no block was followed yet. */
  readonly block: number | null;
  /** Stablecoin held by the conditional tokens contract; null while the chain is unreachable. */
  readonly collateral: bigint | null;
  /** Stablecoin held by the oracle; null while the chain is unreachable. */
  readonly bonds: bigint | null;
  /** Number of trades that the view counts as shares and the block lacks: now or when the reading began, whichever is more. */
  readonly unsettledTrades: () => number;
  /** Whether the indexer had reached the chain's newest block. */
  readonly isFollowed: boolean;
  /** Whether the view has applied exactly this block: all of it and nothing of a later one. */
  readonly isCurrent: () => boolean;
}

/** Reads the backing after waiting for the indexer: an unread redemption is in the chain's figures but not in the view's. */
export async function readBacking(chain: BackedChain, timeoutMs: number): Promise<Backing> {
  const { reads, wallets, config, actor } = chain;
  const { conditionalTokens, oracle } = config.contracts;
  const indexer = actor?.indexer;
  const before = reads.unsettledBriefs().filter((trade) => !isIn(trade)).length;
  let [block, isFollowed] = [indexer?.followedBlock ?? null, false];
  let held: readonly bigint[] | undefined;
  try {
    const head = await wallets.reads.head();
    indexer?.wake();
    isFollowed = (await indexer?.hasFollowed(head, timeoutMs)) === true;
    block = indexer?.followedBlock ?? head;
    held = await wallets.reads.stablecoinOf([conditionalTokens, oracle], block);
  } catch {
    // The chain is unreachable; the answer reports it with null.
  }
  const isMissing = (trade: TradeBrief) => !isIn(trade, block ?? undefined);
  return {
    block,
    collateral: held?.[0] ?? null,
    bonds: held?.[1] ?? null,
    unsettledTrades: () => Math.max(before, reads.unsettledBriefs().filter(isMissing).length),
    isFollowed,
    isCurrent: () => isFollowed && indexer?.followedBlock === block,
  };
}

function isIn({ stage, settlement }: TradeBrief, block = Number.POSITIVE_INFINITY): boolean {
  return (stage === 'mined' || stage === 'confirmed') && (settlement?.blockNumber ?? 0) <= block;
}
