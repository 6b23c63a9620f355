// Quick markets: the one that runs, and those that are over.
import { ActiveQuickMarket, LIMITS, NoActiveQuickMarket, QuickMarketHistory } from '@presage/protocol';
import Type from 'typebox';
import { type Endpoint, endpoint } from '../endpoint.ts';
import { ASSET } from '../parameters.ts';
import type { QuickAnswers } from '../quick-answers.ts';

const quick = { method: 'get', tag: 'Quick markets', params: { asset: ASSET } } as const;

export function quickMarketEndpoints(answers: QuickAnswers): Endpoint[] {
  return [
    endpoint({
      ...quick,
      path: '/api/v1/quick-markets/:asset',
      id: 'getQuickMarket',
      summary: 'The quick market of an asset that runs now',
      description:
        'Windows of 15 minutes begin at :00, :15, :30 and :45 UTC. YES wins if the end price is at or above the start price.',
      answer: Type.Union([ActiveQuickMarket, NoActiveQuickMarket]),
      handle: async ({ params }) => answers.active(params.asset),
    }),
    endpoint({
      ...quick,
      path: '/api/v1/quick-markets/:asset/history',
      id: 'listQuickMarkets',
      summary: `The ${LIMITS.quickMarketHistory} most recent quick markets of an asset, newest first`,
      answer: QuickMarketHistory,
      handle: async ({ params }) => answers.history(params.asset),
    }),
  ];
}
