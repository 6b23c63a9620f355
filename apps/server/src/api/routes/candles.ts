// Candles: a market's prices over time.
import { CANDLE_INTERVALS, CANDLE_SECONDS, Candles, LIMITS, PresageError, YES } from '@presage/protocol';
import Type from 'typebox';
import { type Endpoint, endpoint } from '../endpoint.ts';
import {
  CURSOR_DESCRIPTION,
  CURSOR_EXPECTED,
  choiceOf,
  limitUpTo,
  MARKET_ID,
  OUTCOME,
  optional,
  textKind,
  withDefault,
} from '../parameters.ts';
import type { ApiServices } from '../services.ts';

const INTERVAL = choiceOf(CANDLE_INTERVALS, { description: 'Length of a candle; 1h when absent' });
const FOLD = choiceOf(['none', 'both'], {
  description: 'both: trades of the other outcome count too, at 1 - price; none when absent',
});
/** Start of the oldest candle of the previous page. */
const CURSOR = textKind({
  schema: Type.String({ pattern: '^[0-9]{1,12}$' }),
  description: CURSOR_DESCRIPTION,
  expected: CURSOR_EXPECTED,
  read: Number,
});

export function candleEndpoints({ reads, views }: Pick<ApiServices, 'reads' | 'views'>): Endpoint[] {
  return [
    endpoint({
      method: 'get',
      path: '/api/v1/candles/:marketId',
      id: 'getCandles',
      tag: 'Markets',
      summary: 'Prices over time',
      params: { marketId: MARKET_ID },
      query: {
        outcome: withDefault(OUTCOME, YES),
        interval: withDefault(INTERVAL, '1h'),
        fold: withDefault(FOLD, 'none'),
        limit: withDefault(limitUpTo(LIMITS.candlesMax, LIMITS.candlesDefault), LIMITS.candlesDefault),
        cursor: optional(CURSOR),
      },
      answer: Candles,
      errors: ['market_not_found'],
      handle: async ({ params: { marketId }, query: { outcome, interval, fold, limit, cursor } }) => {
        if (reads.market(marketId) === undefined) throw new PresageError('market_not_found', { marketId });
        const seconds = CANDLE_SECONDS[interval];
        // Reads one more than requested, to know whether there is a next page.
        const isFolded = fold === 'both';
        const rows = await views.listCandles({
          marketId,
          outcome,
          isFolded,
          seconds,
          before: cursor,
          limit: limit + 1,
        });
        const candles = rows.slice(-limit).map(({ time, open, high, low, close, volume }) => {
          return { time, open, high, low, close, volume };
        });
        const nextCursor = rows.length > limit ? String(candles[0]?.time) : null;
        return { marketId, outcome, interval, candles, nextCursor };
      },
    }),
  ];
}
