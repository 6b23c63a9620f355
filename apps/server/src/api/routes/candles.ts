// Candles: a market's prices over time.
import { CANDLE_INTERVALS, CANDLE_SECONDS, type CandleInterval, LIMITS, PresageError, YES } from '@presage/protocol';
import type { FastifyInstance } from 'fastify';
import { bytes32Of, invalidField, limitOf, outcomeOf, type Query, textOf } from '../query-values.ts';
import type { ApiServices } from '../services.ts';
import { toCandle } from '../wire-statistics.ts';

const DEFAULT_INTERVAL: CandleInterval = '1h';

export function candleRoutes({ reads, views }: Pick<ApiServices, 'reads' | 'views'>) {
  return (server: FastifyInstance): void => {
    server.get<{ Params: { marketId: string } }>('/api/v1/candles/:marketId', async (request) => {
      const query = request.query as Query;
      const marketId = bytes32Of('marketId', request.params.marketId);
      const outcome = outcomeOf(query) ?? YES;
      const interval = intervalOf(query);
      const limit = limitOf(query, { fallback: LIMITS.candlesDefault, maximum: LIMITS.candlesMax });
      const wish = { marketId, outcome, seconds: CANDLE_SECONDS[interval], before: cursorOf(query) };
      if (reads.market(marketId) === undefined) throw new PresageError('market_not_found', { marketId });
      // One more than asked for: whether there is an older one decides the cursor.
      const rows = await views.candles({ ...wish, limit: limit + 1 });
      const page = rows.slice(-limit);
      const nextCursor = rows.length > limit ? String(page[0]?.time) : null;
      return { marketId, outcome, interval, candles: page.map(toCandle), nextCursor };
    });
  };
}

function intervalOf(query: Query): CandleInterval {
  const value = textOf(query, 'interval') ?? DEFAULT_INTERVAL;
  const interval = CANDLE_INTERVALS.find((each) => each === value);
  if (interval === undefined) throw invalidField('interval', `one of ${CANDLE_INTERVALS.join(', ')}`);
  return interval;
}

/** The beginning of the oldest candle of the page before. */
function cursorOf(query: Query): number | undefined {
  const value = textOf(query, 'cursor');
  if (value === undefined) return undefined;
  if (!/^\d{1,12}$/.test(value)) throw invalidField('cursor', 'the nextCursor of an earlier answer');
  return Number(value);
}
