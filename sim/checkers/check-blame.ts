// Checks that no innocent trader is blamed for a failed fill, or loses an order for another's fault.
import { type Address, BUY, type MarketId } from '@presage/protocol';
import type { KeptRecord } from './kept-journal.ts';

/** Ends of orders that only the trader's own acts on chain can cause. */
const OWN_FAULT = new Set(['insufficient_cover', 'cancelled_on_chain', 'settlement_failed']);

/** Trades in a market that is gone from the chain are void, and end their orders. */
export function* checkBlame(
  records: readonly KeptRecord[],
  guilty: ReadonlySet<Address>,
  gone: ReadonlySet<MarketId>,
): Generator<string> {
  const trades = new Map<string, { readonly buyer: Address; readonly seller: Address }>();
  for (const { seq, record } of records) {
    if (record.type === 'trade-matched') {
      const [buyer, seller] = record.takerSide === BUY ? [record.taker, record.maker] : [record.maker, record.taker];
      trades.set(`${record.marketId} ${record.tradeId}`, { buyer, seller });
    }
    if (record.type === 'trade-failed' && (record.faultParty === 'buyer' || record.faultParty === 'seller')) {
      const blamed = trades.get(`${record.marketId} ${record.tradeId}`)?.[record.faultParty];
      if (blamed !== undefined && !guilty.has(blamed)) {
        yield `record ${seq}: ${blamed} is blamed for a failed fill (${record.reason}) and did nothing`;
      }
    }
    if (record.type === 'order-cancelled' && OWN_FAULT.has(record.reason) && !guilty.has(record.trader)) {
      if (gone.has(record.marketId)) continue;
      yield `record ${seq}: ${record.trader} lost an order (${record.reason}) and did nothing`;
    }
  }
}
