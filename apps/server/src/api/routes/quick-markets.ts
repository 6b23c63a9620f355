// Quick markets: the one that runs, and those that are over.
import { ActiveQuickMarket, LIMITS, NoActiveQuickMarket, QuickMarketHistory } from '@presage/protocol';
import Type from 'typebox';
import { type Endpoint, endpoint } from '../endpoint.ts';
import { ASSET, CHAIN_ID, limitUpTo, optional, textKind, withDefault } from '../parameters.ts';
import type { QuickAnswers } from '../quick-answers.ts';

const { quickMarketHistory, quickIntervalSeconds } = LIMITS;

const INTERVAL = optional(
  textKind({
    schema: Type.String({ pattern: '^[0-9]{1,6}$' }),
    description: `Length of a window in minutes; there are windows of ${quickIntervalSeconds / 60} only`,
    expected: 'a number of minutes',
    read: Number,
  }),
);

/** Another interval has no markets, like an asset without quick markets. */
function isServed(interval: number | undefined): boolean {
  return interval === undefined || interval * 60 === quickIntervalSeconds;
}

const CHAIN = optional(CHAIN_ID, 'The first of /config when absent');

const quick = { method: 'get', tag: 'Quick markets', params: { asset: ASSET } } as const;

export function quickMarketEndpoints(answers: QuickAnswers): Endpoint[] {
  return [
    endpoint({
      ...quick,
      path: '/api/v1/quick-markets/:asset',
      answeredBy: 'settler',
      id: 'getQuickMarket',
      summary: 'The quick market of an asset that runs now',
      description:
        'Windows of 15 minutes begin at :00, :15, :30 and :45 UTC. YES wins if the end price is at or above the start price.',
      query: { interval: INTERVAL, chain_id: CHAIN },
      answer: Type.Union([ActiveQuickMarket, NoActiveQuickMarket]),
      handle: async ({ params: { asset }, query: { interval, chain_id: chainId } }) =>
        isServed(interval) ? answers.active(asset, chainId) : answers.none(asset),
    }),
    endpoint({
      ...quick,
      path: '/api/v1/quick-markets/:asset/history',
      answeredBy: 'settler',
      id: 'listQuickMarkets',
      summary: 'The most recent quick markets of an asset, newest first',
      query: {
        interval: INTERVAL,
        chain_id: CHAIN,
        limit: withDefault(limitUpTo(quickMarketHistory, quickMarketHistory), quickMarketHistory),
      },
      answer: QuickMarketHistory,
      handle: async ({ params: { asset }, query: { interval, limit, chain_id: chainId } }) =>
        answers.history(asset, isServed(interval) ? limit : 0, chainId),
    }),
  ];
}
