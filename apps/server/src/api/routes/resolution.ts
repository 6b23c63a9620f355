// Endpoints for the resolution of a market, and for pending and failed claims of payouts.
import { isDecided, LIMITS } from '@presage/protocol';
import * as wire from '@presage/protocol/wire';
import { type Endpoint, endpoint } from '../endpoint.ts';
import { marketOf } from '../mappers/market.ts';
import { toClaim, toFailedClaim, toResolution } from '../mappers/resolution.ts';
import { listLimit, MARKET_ID } from '../parameters.ts';
import type { ApiServices } from '../services.ts';

const resolution = { method: 'get', tag: 'Resolution' } as const;

const CLAIM_LIMIT = listLimit(LIMITS.failedClaims);

type Services = Pick<ApiServices, 'reads' | 'views' | 'clock' | 'chains'>;

export function resolutionEndpoints({ reads, views, clock, chains }: Services): Endpoint[] {
  return [
    endpoint({
      ...resolution,
      path: '/api/v1/resolution/:marketId',
      id: 'getResolution',
      summary: 'How a market is being decided, or was',
      description:
        'A rejected assertion moves to `history` and the market can be proposed again. A void market is resolved, without a winning outcome.',
      params: { marketId: MARKET_ID },
      answer: wire.ResolutionBody,
      errors: ['market_not_found'],
      handle: async ({ params: { marketId } }) => {
        const market = marketOf(reads, marketId);
        const answer = toResolution(market, clock.nowSeconds());
        const isProposable = answer.expired && market.facts.kind === 'standard' && !isDecided(market.resolution);
        const bond = isProposable
          ? await chains.find(market.facts.chainId)?.readBond(market.facts.contractAddress)
          : undefined;
        return bond === undefined ? answer : { ...answer, bond: bond.toString() };
      },
    }),
    endpoint({
      ...resolution,
      path: '/api/v1/pending-claims',
      id: 'listPendingClaims',
      summary: 'Redemptions that wait for the chain, newest first',
      query: { limit: CLAIM_LIMIT },
      answer: wire.PendingClaims,
      handle: async ({ query: { limit } }) => {
        const pendingClaims = (await views.listPendingClaims(limit)).map(toClaim);
        return { pendingClaims, count: pendingClaims.length };
      },
    }),
    endpoint({
      ...resolution,
      path: '/api/v1/failed-claims',
      id: 'listFailedClaims',
      summary: 'Redemptions that failed, newest first',
      query: { limit: CLAIM_LIMIT },
      answer: wire.FailedClaims,
      handle: async ({ query: { limit } }) => {
        const failedClaims = (await views.listFailedClaims(limit)).map(toFailedClaim);
        return { failedClaims, count: failedClaims.length };
      },
    }),
  ];
}
