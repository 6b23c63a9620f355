// Formats a journal record as one line.
import { type JournalRecord, stringifyJson } from '@presage/protocol';
import { drawTimeMs } from '../durations.ts';
import { plain } from '../output.ts';
import { drawAmount, drawPrice, outcomeName, sideName } from '../values.ts';
import type { PlacedRecord } from './journal-dir.ts';

export function drawPlaced({ partition, seq, timeMs, record }: PlacedRecord): string {
  return `${partition} ${String(seq).padStart(7)}  ${drawTimeMs(timeMs)}  ${record.type.padEnd(18)}  ${drawRecord(record)}`;
}

/** The relevant fields of the record; all fields for types without their own format. */
export function drawRecord(record: JournalRecord): string {
  switch (record.type) {
    case 'order-accepted': {
      const { side, outcome, size, price, trader } = record.order;
      const what = `${sideName(side)} ${outcomeName(outcome)} ${drawAmount(size)} @ ${drawPrice(price)}`;
      return `${where(record)} ${short(record.orderHash)} ${what} by ${trader}`;
    }
    case 'trade-matched': {
      const what = `${outcomeName(record.outcome)} ${drawAmount(record.size)} @ ${drawPrice(record.price)}`;
      return `${where(record)} ${record.tradeId} ${what} ${short(record.makerHash)} x ${short(record.takerHash)}`;
    }
    case 'trade-moved':
      return `${where(record)} ${record.tradeId} ${record.stage}${drawSettlement(record.settlement)}`;
    case 'trade-failed':
      return `${where(record)} ${record.tradeId} fault of ${record.faultParty}: ${plain(record.reason)}`;
    case 'trade-revived':
      return `${short(record.marketId)} ${record.tradeId} ${record.stage} after all${drawSettlement(record.settlement)}`;
    case 'order-cancelled':
      return `${where(record)} ${short(record.orderHash)} ${drawAmount(record.remainingSize)} left: ${record.reason}`;
    case 'order-restored':
      return `${where(record)} ${short(record.orderHash)} ${drawAmount(record.size)} back from ${record.tradeId}`;
    case 'market-listed':
      return `${where(record)} ${plain(record.market.question)}`;
    default: {
      const { type: _type, timeMs: _timeMs, ...fields } = record;
      return plain(stringifyJson(fields));
    }
  }
}

function where({ marketId, step }: { readonly marketId: string; readonly step: number }): string {
  return `${short(marketId)}#${step}`;
}

function short(hash: string): string {
  return hash.slice(0, 10);
}

function drawSettlement(settlement: { readonly transactionHash: string; readonly blockNumber?: number } | undefined) {
  if (settlement === undefined) return '';
  const { transactionHash, blockNumber } = settlement;
  return ` ${transactionHash}${blockNumber === undefined ? '' : ` block ${blockNumber}`}`;
}
