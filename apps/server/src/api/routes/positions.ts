// Positions: one, all of a wallet, and the forced sync with the chain.
import type { MarketView } from '@presage/engine';
import { PresageError, parseAddress, parseBytes32, toChecksumAddress } from '@presage/protocol';
import type { FastifyInstance } from 'fastify';
import { addressOf, chainIdOf, invalidField, type Query, textOf } from '../query-values.ts';
import type { ApiServices } from '../services.ts';
import { toPosition, toUserPosition } from '../wire-trades.ts';

const NO_POSITION = { yesShares: 0, noShares: 0 };

export function positionRoutes({ reads, views, positions, clock }: ApiServices) {
  /** Positions endpoints take a market's address or its id. */
  const findMarket = (text: string): MarketView | undefined => {
    const id = parseBytes32(text);
    if (id !== undefined) return reads.market(id);
    const address = parseAddress(text);
    if (address === undefined) throw invalidField('market', 'the id or the address of a market');
    return reads.markets().find(({ facts }) => facts.contractAddress === address);
  };

  return (server: FastifyInstance): void => {
    server.get<{ Params: { market: string } }>('/api/v1/positions/:market', async (request) => {
      const market = findMarket(request.params.market);
      const wallet = addressOf('user', textOf(request.query as Query, 'user'));
      const position = market && (await views.position(wallet, market.facts.marketId));
      return position === undefined ? NO_POSITION : toPosition(position);
    });

    server.post<{ Params: { market: string } }>('/api/v1/positions/:market/sync', async (request) => {
      const market = findMarket(request.params.market);
      const wallet = addressOf('userAddress', walletText(request.body, request.query as Query));
      if (market === undefined) throw new PresageError('market_not_found', { marketId: request.params.market });
      const synced = await positions.sync(market.facts, wallet);
      return {
        success: true,
        marketId: market.facts.marketId,
        userAddress: toChecksumAddress(wallet),
        ...synced,
        syncedAt: clock.nowSeconds(),
      };
    });

    server.get<{ Params: { address: string } }>('/api/v1/users/:address/positions', async (request) => {
      const wallet = addressOf('address', request.params.address);
      const rows = await views.positions(wallet, chainIdOf(request.query as Query));
      return { positions: rows.map(toUserPosition), count: rows.length };
    });
  };
}

function walletText(body: unknown, query: Query): string | undefined {
  const named = typeof body === 'object' && body !== null ? (body as Record<string, unknown>).userAddress : undefined;
  if (named === undefined) return textOf(query, 'userAddress');
  if (typeof named !== 'string') throw invalidField('userAddress', 'an address: 0x and 40 hex digits');
  return named;
}
