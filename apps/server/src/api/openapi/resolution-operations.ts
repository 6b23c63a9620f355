// How markets are decided and what they pay, as the documentation tells it.
import { FailedClaims, LIMITS, PendingClaims, ResolutionBody } from '@presage/protocol';
import type { Operation } from './operation.ts';
import { MARKET_ID } from './parameters.ts';

const resolution = { method: 'get', tag: 'Resolution' } as const;

export const RESOLUTION_OPERATIONS: readonly Operation[] = [
  {
    ...resolution,
    path: '/api/v1/resolution/:marketId',
    id: 'getResolution',
    summary: 'How a market is being decided, or was',
    description:
      'A rejected assertion moves to `history` and the market can be proposed again. A void market is resolved, without a winning outcome.',
    params: { marketId: MARKET_ID },
    answer: ResolutionBody,
    errors: ['market_not_found'],
  },
  {
    ...resolution,
    path: '/api/v1/pending-claims',
    id: 'listPendingClaims',
    summary: 'Redemptions that wait for the chain, newest first',
    answer: PendingClaims,
  },
  {
    ...resolution,
    path: '/api/v1/failed-claims',
    id: 'listFailedClaims',
    summary: `The ${LIMITS.failedClaims} newest redemptions that failed`,
    answer: FailedClaims,
  },
];
