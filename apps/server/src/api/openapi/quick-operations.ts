// Quick markets, as the documentation tells them.
import { ActiveQuickMarket, LIMITS, NoActiveQuickMarket, QuickMarketHistory } from '@presage/protocol';
import Type from 'typebox';
import type { Operation, Parameter } from './operation.ts';

const quick = { method: 'get', tag: 'Quick markets' } as const;

export const ASSET: Parameter = {
  schema: Type.String({ pattern: '^[A-Za-z0-9]{1,16}$' }),
  description: 'A symbol such as BTC, in any case',
  required: true,
};

export const QUICK_OPERATIONS: readonly Operation[] = [
  {
    ...quick,
    path: '/api/v1/quick-markets/:asset',
    id: 'getQuickMarket',
    summary: 'The quick market of an asset that runs now',
    description:
      'Windows of 15 minutes begin at :00, :15, :30 and :45 UTC. YES wins if the end price is at or above the start price.',
    params: { asset: ASSET },
    answer: Type.Union([ActiveQuickMarket, NoActiveQuickMarket]),
  },
  {
    ...quick,
    path: '/api/v1/quick-markets/:asset/history',
    id: 'listQuickMarkets',
    summary: `The ${LIMITS.quickMarketHistory} most recent quick markets of an asset, newest first`,
    params: { asset: ASSET },
    answer: QuickMarketHistory,
  },
];
