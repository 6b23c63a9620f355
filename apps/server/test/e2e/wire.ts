// Answers as these tests read them: the published schemas as types, and a check that says what does not fit.
import type {
  FailedTrade,
  Market,
  MarketId,
  OpenOrder,
  OrderbookSnapshot,
  OrderLifeEvent,
  PendingTrade,
  Position,
  SettlementFound,
  Trade,
} from '@presage/protocol';
import type Type from 'typebox';
import { Compile } from 'typebox/compile';
import { expect } from 'vitest';

export type MarketBody = Type.Static<typeof Market> & { readonly id: MarketId };
export type OrderBody = Type.Static<typeof OpenOrder>;
export type BookBody = Type.Static<typeof OrderbookSnapshot>;
export type TradeBody = Type.Static<typeof Trade>;
export type PendingBody = Type.Static<typeof PendingTrade>;
export type FailedBody = Type.Static<typeof FailedTrade>;
export type SettlementBody = Type.Static<typeof SettlementFound>;
export type PositionBody = Type.Static<typeof Position>;
export type LifeEvent = Type.Static<typeof OrderLifeEvent> & Readonly<Record<string, unknown>>;

export interface ErrorReply {
  readonly error: string;
  readonly code: string;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly requestId: string;
}

/** Every field of the schema is there with its type, and no other field is. */
export function expectShape(body: unknown, schema: Type.TObject): void {
  const faults = [...Compile(schema).Errors(body)].map(({ instancePath, message }) => `${instancePath} ${message}`);
  expect(faults).toEqual([]);
  expect(Object.keys(schema.properties)).toEqual(expect.arrayContaining(Object.keys(body as object)));
}

/** An event as the tests of events read it. */
export interface EventBody {
  readonly id: `0x${string}`;
  readonly question: string;
  readonly status: string;
  readonly resolved: boolean;
  readonly winningIndex?: number | null;
  readonly outcomes: readonly { readonly index: number; readonly name: string; readonly marketId: string }[];
}
