// The datasets of exports: the fields of each, and how its lines are read page by page after a cursor.
import { type Address, toLowerHex } from '@presage/protocol';
import Type from 'typebox';
import type { AuditLog } from '../../projections/audit/audit-log.ts';
import type { ExportedTradeRow } from '../../projections/exports/export-queries.ts';
import { cursorOf, type TextKind } from '../parameters.ts';
import type { ApiServices } from '../services.ts';
import * as lines from './export-lines.ts';

type Line = lines.ExportLine;

/** Rows per query: some hundred kilobytes of text. */
const PAGE_ROWS = 1_000;

export interface ExportTerms {
  /** Time range: includes `fromMs`, excludes `toMs`. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Wallet whose lines are exported; undefined for all. */
  readonly wallet: Address | undefined;
}

export interface Dataset {
  /** Field names in column order. */
  readonly fields: readonly string[];
  readonly cursor: TextKind<string>;
  /** Pages of lines after the cursor; each is read once the previous one was taken. */
  readonly pages: (terms: ExportTerms, after: string | undefined) => AsyncGenerator<readonly Line[]>;
}

export const WALLET_DATASETS = ['trades', 'fills', 'fees', 'claims', 'positions'] as const;
export const OPERATOR_DATASETS = [...WALLET_DATASETS, 'audit'] as const;

type WalletDatasets = Readonly<Record<(typeof WALLET_DATASETS)[number], Dataset>>;
type OperatorDatasets = WalletDatasets & { readonly audit: Dataset };

type Services = Pick<ApiServices, 'views' | 'presentation'>;

export function walletDatasets({ views, presentation }: Services): WalletDatasets {
  const named = (line: Line, { marketId, question }: Pick<ExportedTradeRow, 'marketId' | 'question'>): Line => ({
    ...line,
    question: presentation.questionOf(marketId, question),
  });
  /** Pages of trades. A trade gives one line, several or none; a cursor may point between the two lines of a trade. */
  const ofTrades = (toLines: (row: ExportedTradeRow, wallet: Address | undefined) => readonly Line[]) =>
    async function* (terms: ExportTerms, after: string | undefined) {
      const [seq = '0', role] = after?.split('-') ?? [];
      const first = role === 'maker' ? Number(seq) - 1 : Number(seq);
      const read = (afterSeq: number) => views.listExportedTrades({ ...terms, limit: PAGE_ROWS, afterSeq });
      for await (const rows of readPages(first, read, (row) => row.seq)) {
        const found = rows.flatMap((row) => toLines(row, terms.wallet).map((line) => named(line, row)));
        yield found.filter(({ cursor }) => cursor !== after);
      }
    };
  return {
    trades: { fields: lines.TRADE_FIELDS, cursor: SEQ, pages: ofTrades((row) => [lines.toTradeLine(row)]) },
    fills: { fields: lines.FILL_FIELDS, cursor: FILL, pages: ofTrades(lines.toFillLines) },
    fees: { fields: lines.FEE_FIELDS, cursor: SEQ, pages: ofTrades(lines.toFeeLines) },
    claims: {
      fields: lines.CLAIM_FIELDS,
      cursor: CLAIM,
      async *pages(terms, cursor = '0-0') {
        const [timestamp = 0, seq = 0] = cursor.split('-').map(Number);
        const read = (after: { timestamp: number; seq: number }) =>
          views.listExportedClaims({ ...terms, limit: PAGE_ROWS, after });
        for await (const rows of readPages({ timestamp, seq }, read, (row) => row)) {
          yield rows.map((row) => named(lines.toClaimLine(row), row));
        }
      },
    },
    positions: {
      fields: lines.POSITION_FIELDS,
      cursor: POSITION,
      async *pages(terms, cursor = '0x-0') {
        const [wallet = '', marketSeq = ''] = cursor.split('-');
        const first = { wallet: toLowerHex(wallet), marketSeq: Number(marketSeq) };
        const read = (after: { wallet: Address; marketSeq: number }) =>
          views.listExportedPositions({ ...terms, limit: PAGE_ROWS, after });
        for await (const rows of readPages(first, read, (row) => row)) {
          yield rows.map((row) => named(lines.toPositionLine(row), row));
        }
      },
    },
  };
}

export function operatorDatasets(services: Services, audit: Pick<AuditLog, 'listFrom'>): OperatorDatasets {
  async function* pages({ fromMs, toMs }: ExportTerms, cursor = '0') {
    const read = (afterSeq: number) => audit.listFrom({ fromMs, toMs, afterSeq, limit: PAGE_ROWS });
    for await (const rows of readPages(Number(cursor), read, (row) => row.seq)) yield rows.map(lines.toAuditLine);
  }
  return { ...walletDatasets(services), audit: { fields: lines.AUDIT_FIELDS, cursor: SEQ, pages } };
}

/** Reads page after page; ends with the first page that is not full. */
async function* readPages<Row, Place>(
  first: Place,
  read: (after: Place) => Promise<readonly Row[]>,
  placeOf: (row: Row) => Place,
): AsyncGenerator<readonly Row[]> {
  for (let after = first; ; ) {
    const rows = await read(after);
    yield rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE_ROWS) return;
    after = placeOf(last);
  }
}

function cursorLike(pattern: string): TextKind<string> {
  return cursorOf(Type.String({ pattern: `^${pattern}$` }), (text) => text);
}

const SEQ = cursorLike('[0-9]{1,15}');
const FILL = cursorLike('[0-9]{1,15}-(maker|taker)');
const CLAIM = cursorLike('[0-9]{1,12}-[0-9]{1,15}');
const POSITION = cursorLike('0x[0-9a-f]{40}-[0-9]{1,15}');
