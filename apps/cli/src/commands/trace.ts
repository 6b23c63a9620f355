// `presage trace`: all events of an order in one view, from the service or directly from the journal.
import { type JournalRecord, type OrderHash, parseBytes32, stringifyJson } from '@presage/protocol';
import type { OpenOrder, OrderEvent, Settlement } from '@presage/sdk';
import { type Call, command } from '../command-spec.ts';
import type { Context } from '../context.ts';
import { drawTime, drawTimeMs } from '../durations.ts';
import { UsageError } from '../exit-codes.ts';
import { shortId } from '../find-market.ts';
import { drawRecord } from '../journal/draw-record.ts';
import { type DataDirOption, JournalDir, type PlacedRecord } from '../journal/journal-dir.ts';
import { plain } from '../output.ts';
import { drawFacts } from '../table.ts';
import { drawAmount, drawPrice, outcomeName, sideName } from '../values.ts';
import { DATA_DIR } from './journal.ts';

export const TRACE = command(
  'trace <orderHash>',
  'show all events of an order, from the service or, with --data-dir, from the journal',
  trace,
  DATA_DIR,
);

async function trace({ context, args: [text = ''], options }: Call<DataDirOption>): Promise<void> {
  const orderHash = parseBytes32(text);
  if (orderHash === undefined)
    throw new UsageError(`"${text}" is not the hash of an order`, 'It is 0x and 64 hex digits.');
  if (options.dataDir === undefined) return traceService(context, orderHash);
  const journal = await JournalDir.open(options, context.env);
  const records = await readOrderRecords(journal, orderHash);
  if (records.length === 0)
    throw new UsageError(
      `the journal in ${journal.dir} has no such order`,
      'Check the hash, or name another folder with --data-dir.',
    );
  context.output.show({ orderHash, source: 'journal', records }, () => drawRecords(orderHash, records, context));
}

async function traceService(context: Context, orderHash: string): Promise<void> {
  const { reader } = context;
  const options = { signal: context.signal };
  const order = await reader.getOrder(orderHash, options);
  const { events } = await reader.getOrderEvents(orderHash, options);
  const market = await reader.getMarket(order.marketId, options);
  const hashes = [...new Set(events.flatMap(txHashOf))];
  const settlements = await Promise.all(hashes.map((txHash) => reader.getSettlement(txHash, options)));
  const found = settlements.filter((settlement) => settlement.found);
  const traced = { orderHash, source: 'service', order, question: market.question, events, settlements: found };
  context.output.show(traced, () =>
    [
      drawFacts(orderFacts(order, market.question), context.output.colors),
      events.map((event) => `${drawTime(event.timestamp)}  ${event.type.padEnd(10)}  ${drawFields(event)}`).join('\n'),
      ...found.map(drawSettlement),
    ].join('\n\n'),
  );
}

/** Present on settlement and permit events. */
function txHashOf(event: OrderEvent): string[] {
  return 'txHash' in event && typeof event.txHash === 'string' && event.txHash !== '' ? [event.txHash] : [];
}

function orderFacts(order: OpenOrder, question: string): Record<string, string> {
  const { side, outcome, size, price, filledSize, remainingSize } = order;
  return {
    order: order.orderHash,
    market: `${shortId(order.marketId)}  ${plain(question)}`,
    trader: order.trader,
    terms: `${sideName(side)} ${outcomeName(outcome)} ${drawAmount(size)} @ ${drawPrice(price)}`,
    status: `${order.status}: ${drawAmount(filledSize)} filled, ${drawAmount(remainingSize)} left`,
    expires: `${drawTime(order.expiration)} UTC`,
  };
}

const AMOUNTS: ReadonlySet<string> = new Set(['price', 'size', 'remainingSize']);

/** Each event type has its own fields; a newer service may send more than this program knows. */
function drawFields({ type: _type, timestamp: _timestamp, ...fields }: OrderEvent): string {
  return (
    Object.entries(fields)
      .filter(([, value]) => value !== null && value !== undefined && value !== '')
      // The service sends these fields as numbers only.
      .map(([name, value]) => `${name} ${AMOUNTS.has(name) ? drawAmount(value as number | bigint) : drawValue(value)}`)
      .join('  ')
  );
}

function drawValue(value: unknown): string {
  return plain(typeof value === 'string' ? value : stringifyJson(value));
}

function drawSettlement(settlement: Settlement): string {
  if (!settlement.found) return '';
  const { txHash, stage, blockNumber, confirmations, fills } = settlement;
  const place = blockNumber === null ? 'in no block' : `block ${blockNumber}, ${confirmations} confirmations`;
  return `transaction ${txHash}: ${stage}, ${place}, ${fills.length} fills`;
}

function drawRecords(orderHash: string, records: readonly PlacedRecord[], { output }: Context): string {
  const lines = records.map(({ partition, seq, timeMs, record }) =>
    [`${partition} ${seq}`, drawTimeMs(timeMs), record.type.padEnd(15), drawRecord(record)].join('  '),
  );
  return [drawFacts({ order: orderHash, source: 'the journal' }, output.colors), lines.join('\n')].join('\n\n');
}

/** All records of an order, oldest first: its acceptance, fills, settlement moves, end; none for an unknown order. */
async function readOrderRecords(journal: JournalDir, orderHash: OrderHash): Promise<PlacedRecord[]> {
  const story: PlacedRecord[] = [];
  for (const partition of journal.marketPartitions) {
    const trades = new Set<string>();
    for await (const placed of journal.read(partition)) {
      if (!concerns(placed.record, orderHash, trades)) continue;
      if (placed.record.type === 'trade-matched') trades.add(tradeKey(placed.record));
      story.push(placed);
    }
  }
  return story;
}

function concerns(record: JournalRecord, orderHash: OrderHash, trades: ReadonlySet<string>): boolean {
  if (record.type === 'trade-matched') return record.makerHash === orderHash || record.takerHash === orderHash;
  if ('tradeId' in record && record.type !== 'order-restored') return trades.has(tradeKey(record));
  return 'orderHash' in record && record.orderHash === orderHash;
}

/** Trades are numbered per market. */
function tradeKey({ marketId, tradeId }: { readonly marketId: string; readonly tradeId: string }): string {
  return `${marketId} ${tradeId}`;
}
