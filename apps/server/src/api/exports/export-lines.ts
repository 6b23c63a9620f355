// Maps rows of the view and of the audit log to lines of an export: flat, with the same fields in CSV and in JSON.
import { type Address, type CsvCell, oppositeSide, type TradeRole, toChecksumAddress, YES } from '@presage/protocol';
import type { AuditEntry } from '../../projections/audit/audit-log.ts';
import type {
  ExportedClaimRow,
  ExportedPositionRow,
  ExportedTradeRow,
} from '../../projections/exports/export-queries.ts';

/** One line of an export. A broken export continues after the line's cursor. */
export interface ExportLine {
  readonly cursor: string;
  readonly [field: string]: CsvCell;
}

function toTime(timeMs: number): string {
  return new Date(timeMs).toISOString();
}

const outcomeOf = (outcome: number): string => (outcome === YES ? 'YES' : 'NO');
const sideOf = (side: number): string => (side === 0 ? 'buy' : 'sell');

type EventOfRow = Pick<ExportedTradeRow, 'eventId' | 'eventName'>;

/** Event fields come last, so that the other fields keep their columns. */
const EVENT_FIELDS = ['eventId', 'eventOutcome'] as const;

function toEvent({ eventId, eventName }: EventOfRow) {
  return { eventId, eventOutcome: eventName };
}

function toMarket({ marketId, chainId, question }: Pick<ExportedTradeRow, 'marketId' | 'chainId' | 'question'>) {
  return { marketId, chainId, question };
}

export const TRADE_FIELDS = [
  ...([
    'cursor',
    'time',
    'tradeId',
    'marketId',
    'chainId',
    'question',
    'outcome',
    'takerSide',
    'price',
    'size',
  ] as const),
  ...(['cost', 'fee', 'makerRebate', 'buyer', 'seller', 'maker', 'taker', 'makerOrder', 'takerOrder'] as const),
  ...(['status', 'txHash', 'blockNumber', 'reason'] as const),
  ...EVENT_FIELDS,
];

export function toTradeLine(row: ExportedTradeRow): ExportLine {
  return {
    cursor: String(row.seq),
    time: toTime(row.timeMs),
    tradeId: row.tradeId,
    ...toMarket(row),
    outcome: outcomeOf(row.outcome),
    takerSide: sideOf(row.takerSide),
    price: row.price,
    size: row.size,
    cost: row.cost,
    fee: row.fee ?? 0,
    makerRebate: row.makerRebate ?? 0,
    buyer: toChecksumAddress(row.buyer),
    seller: toChecksumAddress(row.seller),
    maker: toChecksumAddress(row.maker),
    taker: toChecksumAddress(row.taker),
    makerOrder: row.makerHash,
    takerOrder: row.takerHash,
    status: row.status,
    txHash: row.txHash,
    blockNumber: row.blockNumber,
    reason: row.reason,
    ...toEvent(row),
  };
}

export const FILL_FIELDS = [
  ...(['cursor', 'time', 'tradeId', 'marketId', 'chainId', 'question', 'wallet', 'role', 'orderHash', 'side'] as const),
  ...(['outcome', 'price', 'size', 'cost', 'fee', 'counterparty', 'status', 'txHash'] as const),
  ...EVENT_FIELDS,
];

/** Fills of a trade, the maker's first. A maker with a rebate has a negative fee. */
export function toFillLines(row: ExportedTradeRow, wallet: Address | undefined): ExportLine[] {
  const roles: readonly TradeRole[] = ['maker', 'taker'];
  const own = roles.filter((role) => wallet === undefined || row[role] === wallet);
  return own.map((role) => toFillLine(row, role));
}

function toFillLine(row: ExportedTradeRow, role: TradeRole): ExportLine {
  const isMaker = role === 'maker';
  return {
    cursor: `${row.seq}-${role}`,
    time: toTime(row.timeMs),
    tradeId: row.tradeId,
    ...toMarket(row),
    wallet: toChecksumAddress(row[role]),
    role,
    orderHash: isMaker ? row.makerHash : row.takerHash,
    side: sideOf(isMaker ? oppositeSide(row.takerSide) : row.takerSide),
    outcome: outcomeOf(row.outcome),
    price: row.price,
    size: row.size,
    cost: row.cost,
    fee: isMaker ? 0 - (row.makerRebate ?? 0) : (row.fee ?? 0),
    counterparty: toChecksumAddress(isMaker ? row.taker : row.maker),
    status: row.status,
    txHash: row.txHash,
    ...toEvent(row),
  };
}

export const FEE_FIELDS = [
  ...(['cursor', 'time', 'tradeId', 'marketId', 'chainId', 'question', 'payer', 'maker', 'cost', 'fee'] as const),
  ...(['makerRebate', 'revenue', 'status', 'txHash'] as const),
  ...EVENT_FIELDS,
];

/** Fee lines of a trade; none without a fee, and none if the trade failed, which charges nobody. */
export function toFeeLines(row: ExportedTradeRow): ExportLine[] {
  if (row.fee === null || row.status === 'failed') return [];
  const makerRebate = row.makerRebate ?? 0;
  const line = {
    cursor: String(row.seq),
    time: toTime(row.timeMs),
    tradeId: row.tradeId,
    ...toMarket(row),
    payer: toChecksumAddress(row.taker),
    maker: toChecksumAddress(row.maker),
    cost: row.cost,
    fee: row.fee,
    makerRebate,
    revenue: row.fee - makerRebate,
    status: row.status,
    txHash: row.txHash,
    ...toEvent(row),
  };
  return [line];
}

export const CLAIM_FIELDS = [
  ...(['cursor', 'time', 'wallet', 'marketId', 'chainId', 'question', 'winningOutcome', 'payout'] as const),
  ...(['status', 'txHash', 'reason'] as const),
  ...EVENT_FIELDS,
];

const CLAIMED: Readonly<Record<number, string>> = { 0: 'YES', 1: 'NO' };

export function toClaimLine(row: ExportedClaimRow): ExportLine {
  return {
    cursor: `${row.timestamp}-${row.seq}`,
    time: toTime(row.timestamp * 1_000),
    wallet: toChecksumAddress(row.userAddress),
    ...toMarket(row),
    winningOutcome: CLAIMED[row.winningOutcome] ?? 'VOID',
    payout: row.payout,
    status: row.status,
    txHash: row.txHash,
    reason: row.reason,
    ...toEvent(row),
  };
}

export const POSITION_FIELDS = [
  ...(['cursor', 'time', 'wallet', 'marketId', 'chainId', 'question', 'yesShares', 'noShares', 'yesCost'] as const),
  ...(['noCost', 'yesRevenue', 'noRevenue', 'realizedPnl', 'yesPayout', 'noPayout'] as const),
  ...EVENT_FIELDS,
];

export function toPositionLine(row: ExportedPositionRow): ExportLine {
  return {
    cursor: `${row.wallet}-${row.marketSeq}`,
    time: toTime(row.updatedMs),
    wallet: toChecksumAddress(row.wallet),
    ...toMarket(row),
    yesShares: row.yesShares,
    noShares: row.noShares,
    yesCost: row.yesCost,
    noCost: row.noCost,
    yesRevenue: row.yesRevenue,
    noRevenue: row.noRevenue,
    realizedPnl: row.realizedPnl,
    yesPayout: row.yesPayout,
    noPayout: row.noPayout,
    ...toEvent(row),
  };
}

export const AUDIT_FIELDS = ['cursor', 'time', 'actor', 'kind', 'subject', 'reason', 'action'] as const;

export function toAuditLine({ seq, timeMs, actor, kind, subject, reason, action }: AuditEntry): ExportLine {
  return { cursor: String(seq), time: toTime(timeMs), actor, kind, subject, reason, action: JSON.stringify(action) };
}
