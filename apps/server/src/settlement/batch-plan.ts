// Chooses the waiting trades of the next batch. Pure, so that the causal rule can be tested as a table.
import type { OrderView, TradeView } from '@presage/engine';
import { unmarkWalletSignature } from '@presage/protocol';
import type { PlannedFill } from './ports.ts';

export interface BatchPlanInput {
  /** Waiting trades in the order they were matched; read only as far as the batch needs. */
  readonly waiting: Iterable<TradeView>;
  /** Wallets that must wait: for a permit, or until a fill of theirs that failed on chain is judged. */
  readonly held: ReadonlySet<string>;
  /** Wallets with a fill in a batch that is not mined yet. */
  readonly unmined: ReadonlySet<string>;
  /** Trades that failed behind an unmined fill: they are retried only when all earlier fills of their wallets are mined. */
  readonly uncertain: ReadonlySet<string>;
  /**
   * Trades that wait while their traders' other trades go on: those of markets that are paused on chain (`unmined` has their wallets, so
   * nobody is blamed for missing funds), and those that fail once their market takes orders again.
   */
  readonly paused?: ReadonlySet<string>;
  /** Whether a trade must be sent alone, and only when no other can be sent. */
  readonly isSuspect?: (trade: TradeView) => boolean;
  readonly limit: number;
}

/**
 * Plans the next batch. A fill may be sent when every earlier fill of either trader is mined, comes before it in this batch, or travels in
 * an earlier batch: nonces keep batches in order. So a trade that must wait also holds back everything after it of its traders.
 */
export function planBatch({
  waiting,
  held,
  unmined,
  uncertain,
  paused,
  isSuspect,
  limit,
}: BatchPlanInput): TradeView[] {
  const stopped = new Set(held);
  const chosen: TradeView[] = [];
  const suspects: TradeView[] = [];
  for (const trade of waiting) {
    const { buyer, seller, tradeId } = trade;
    if (paused?.has(tradeId)) continue;
    const isBehindUnmined = unmined.has(buyer) || unmined.has(seller);
    if (stopped.has(buyer) || stopped.has(seller) || (uncertain.has(tradeId) && isBehindUnmined)) {
      stopped.add(buyer).add(seller);
    } else if (isSuspect?.(trade) === true) {
      suspects.push(trade);
      stopped.add(buyer).add(seller);
    } else {
      chosen.push(trade);
      if (chosen.length === limit) break;
    }
  }
  return chosen.length > 0 ? chosen : suspects.slice(0, 1);
}

/** Chooses the wanted fills that may be sent before the others: none of a trader with an earlier fill among those. */
export function chooseFills(fills: readonly PlannedFill[], isWanted: (fill: PlannedFill) => boolean): PlannedFill[] {
  const stopped = new Set<string>();
  return fills.filter((fill) => {
    const { buyer, seller } = fill.trade;
    const isChosen = !stopped.has(buyer) && !stopped.has(seller) && isWanted(fill);
    if (!isChosen) stopped.add(buyer).add(seller);
    return isChosen;
  });
}

/** Limit of the orders' bytes in a transaction: nodes accept 128 KiB; signatures of contract wallets may have 8 KiB each. */
const MAX_ORDER_BYTES = 100_000;
const ORDER_BYTES = 112;

/** As many of the first fills as fit into one transaction by size, and at least one. */
export function withinBytes(fills: readonly PlannedFill[]): PlannedFill[] {
  let bytes = 0;
  const first = fills.findIndex(({ buy, sell }) => {
    bytes += bytesOf(buy) + bytesOf(sell);
    return bytes > MAX_ORDER_BYTES;
  });
  return fills.slice(0, first < 0 ? fills.length : Math.max(1, first));
}

function bytesOf({ signed }: OrderView): number {
  return ORDER_BYTES + (unmarkWalletSignature(signed.signature)?.length ?? 0) / 2;
}

export interface PipelineLimits {
  readonly maxBatches: number;
  /** Gas limit of all batches that wait for a block. */
  readonly maxGas: bigint;
}

/** Whether one more batch may be sent before those in flight are mined. The first one always may. */
export function fitsInFlight(
  inFlight: readonly { readonly gas: bigint }[],
  gas: bigint,
  limits: PipelineLimits,
): boolean {
  if (inFlight.length === 0) return true;
  const taken = inFlight.reduce((sum, batch) => sum + batch.gas, 0n);
  return inFlight.length < limits.maxBatches && taken + gas <= limits.maxGas;
}
