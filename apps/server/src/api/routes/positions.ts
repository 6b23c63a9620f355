// Endpoints for positions: in one market, all of a wallet, and the forced sync with the chain.
import type { MarketView } from '@presage/engine';
import { isBytes32, LIMITS, type MarketFacts, type MarketId, PresageError, toChecksumAddress } from '@presage/protocol';
import * as wire from '@presage/protocol/wire';
import Type from 'typebox';
import { type Body, invalidField } from '../bodies.ts';
import { type Endpoint, endpoint } from '../endpoint.ts';
import { marketOf, toEventOfMarket, toMarketStatus } from '../mappers/market.ts';
import { toPosition, toUserPosition } from '../mappers/position.ts';
import { listValuedHoldings } from '../mappers/user.ts';
import {
  ADDRESS_EXPECTED,
  CHAIN_ID,
  choiceOf,
  limitUpTo,
  MARKET_NAME,
  optional,
  required,
  WALLET,
  whenAsked,
  withDefault,
} from '../parameters.ts';
import type { ApiServices } from '../services.ts';

const { positionsListed } = LIMITS;
const wallets = { method: 'get', tag: 'Wallets' } as const;

const SHARES = choiceOf(['held', 'any'], 'held: only where shares are held now, which is the default');

/** The wallet named by the body, otherwise by the query. */
const SYNC_BODY: Body<string | undefined> = {
  schema: Type.Object({ userAddress: Type.Optional(wire.AddressText) }),
  isOptional: true,
  read: (body) => {
    const named = typeof body === 'object' && body !== null && 'userAddress' in body ? body.userAddress : undefined;
    if (named === undefined || named === null) return undefined;
    if (typeof named === 'string') return named;
    throw invalidField('userAddress', ADDRESS_EXPECTED);
  },
};

type Services = Pick<ApiServices, 'reads' | 'views' | 'chains' | 'clock' | 'presentation'>;

export function positionEndpoints(services: Services): Endpoint[] {
  return [...inOneMarket(services), inAllMarkets(services)];
}

function inOneMarket({ reads, views, chains, clock }: Services): Endpoint[] {
  /** Finds a market by its id or by the address of its contract. */
  const findMarket = (name: string): MarketView | undefined =>
    isBytes32(name) ? reads.market(name) : reads.marketsNamed(name)[0];

  const positionsOf = ({ chainId }: MarketFacts) => {
    const positions = chains.find(chainId)?.actor?.positions;
    if (positions !== undefined) return positions;
    throw new PresageError('chain_sync_unavailable', { reason: `chain ${chainId} is not served` });
  };

  return [
    endpoint({
      ...wallets,
      path: '/api/v1/positions/:market',
      id: 'getPosition',
      summary: 'A wallet’s position in a market',
      params: { market: MARKET_NAME },
      query: { user: required(WALLET) },
      answer: Type.Union([wire.Position, wire.NoPosition]),
      handle: async ({ params, query }) => {
        const market = findMarket(params.market);
        const position = market && (await views.findPosition(query.user, market.facts.marketId));
        return position === undefined ? ({ yesShares: 0, noShares: 0 } as const) : toPosition(position);
      },
    }),
    endpoint({
      ...wallets,
      method: 'post',
      path: '/api/v1/positions/:market/sync',
      answeredBy: 'settler',
      id: 'syncPosition',
      summary: 'Read a position from the chain now',
      params: { market: MARKET_NAME },
      query: { userAddress: whenAsked(WALLET, 'Where the body does not name it') },
      body: SYNC_BODY,
      answer: wire.PositionSynced,
      errors: ['market_not_found', 'chain_sync_unavailable'],
      handle: async ({ params, query, body, request }) => {
        const wallet = body === undefined ? query.userAddress() : WALLET.read('userAddress', body);
        const market = findMarket(params.market);
        if (market === undefined) throw new PresageError('market_not_found', { marketId: request.params.market });
        const { yesShares, noShares, blockNumber } = await positionsOf(market.facts).sync(market.facts, wallet);
        return {
          success: true,
          marketId: market.facts.marketId,
          userAddress: toChecksumAddress(wallet),
          yesShares,
          noShares,
          blockNumber,
          syncedAt: clock.nowSeconds(),
        } as const;
      },
    }),
  ];
}

function inAllMarkets({ reads, views, clock, presentation }: Services): Endpoint {
  const standOf = (marketId: MarketId) => {
    const market = marketOf(reads, marketId);
    const { facts, resolution } = market;
    const status = toMarketStatus(market, clock.nowSeconds());
    const event = facts.event && toEventOfMarket(facts.event);
    return { kind: facts.kind, status, winningOutcome: resolution?.winningOutcome ?? null, ...(event && { event }) };
  };

  return endpoint({
    ...wallets,
    path: '/api/v1/users/:address/positions',
    id: 'listPositions',
    summary: 'All positions of a wallet',
    params: { address: WALLET },
    description: `With \`shares=any\` also those of which nothing is held any more: the ${LIMITS.userPositionsMax} markets listed last.`,
    query: {
      chain_id: required(CHAIN_ID),
      limit: optional(limitUpTo(positionsListed, positionsListed)),
      shares: withDefault(SHARES, 'held'),
    },
    answer: wire.UserPositions,
    handle: async ({ params, query }) => {
      const holdings = await listValuedHoldings({ views, reads }, params.address, query.chain_id);
      const held = holdings.filter(({ yesShares, noShares }) => yesShares > 0n || noShares > 0n);
      const chosen = query.shares === 'any' ? holdings.slice(-LIMITS.userPositionsMax) : held;
      const rows = chosen.slice(0, query.limit);
      return {
        positions: rows.map(({ question, ...row }) => {
          const shown = presentation.questionOf(row.marketId, question);
          return toUserPosition({ ...row, question: shown }, standOf(row.marketId));
        }),
        count: rows.length,
      };
    },
  });
}
