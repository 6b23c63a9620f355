// Prices of assets, as the documentation tells them.
import { CurrentPrice, PinnedPrice, PriceHistory, PricePinInput, PriceStreamEvent } from '@presage/protocol';
import type { Operation } from './operation.ts';
import { ASSET } from './parameters.ts';

const prices = { method: 'get', tag: 'Quick markets', params: { asset: ASSET } } as const;

export const PRICE_OPERATIONS: readonly Operation[] = [
  {
    ...prices,
    path: '/api/v1/quick-markets/:asset/price',
    id: 'getPrice',
    summary: 'The newest price of an asset',
    answer: CurrentPrice,
    errors: ['asset_not_supported', 'price_unavailable'],
  },
  {
    ...prices,
    path: '/api/v1/quick-markets/:asset/price-history',
    id: 'getPriceHistory',
    summary: 'Twenty minutes of prices, oldest first',
    answer: PriceHistory,
    errors: ['asset_not_supported'],
  },
  {
    ...prices,
    path: '/api/v1/quick-markets/:asset/price-stream',
    id: 'streamPrices',
    summary: 'Prices as they come, as server-sent events',
    description: 'The last known price comes at once. `Last-Event-ID` resumes inside the twenty minutes of history.',
    answer: PriceStreamEvent,
    contentType: 'text/event-stream',
    errors: ['asset_not_supported', 'price_unavailable'],
  },
];

export const SANDBOX_PRICE_OPERATIONS: readonly Operation[] = [
  {
    method: 'post',
    path: '/sandbox/price',
    id: 'pinPrice',
    tag: 'Sandbox',
    summary: 'Hold the price of an asset, or let it go with null',
    body: PricePinInput,
    description: 'Holds exactly from the next second until it is changed. Answered when it is shown.',
    answer: PinnedPrice,
    errors: ['asset_not_supported', 'price_unavailable'],
  },
];
