// Trades and their way to the chain: history, pending, failed, by transaction.
import { PresageError, parseBytes32 } from '@presage/protocol';
import type { FastifyInstance } from 'fastify';
import { bytes32Of } from '../query-values.ts';
import type { ApiServices } from '../services.ts';
import { toFailedTrade, toPendingTrade, toSettlement, toTrade } from '../wire-trades.ts';

export function tradeRoutes({ reads, views, service }: ApiServices) {
  return (server: FastifyInstance): void => {
    server.get<{ Params: { marketId: string } }>('/api/v1/trades/:marketId', async (request) => {
      const marketId = bytes32Of('marketId', request.params.marketId);
      if (reads.market(marketId) === undefined) throw new PresageError('market_not_found', { marketId });
      const trades = (await views.trades(marketId)).map(toTrade);
      return { marketId, trades, count: trades.length };
    });

    server.get('/api/v1/pending-trades', async () => {
      const pendingTrades = (await views.pendingTrades()).map(toPendingTrade);
      return { pendingTrades, count: pendingTrades.length };
    });

    server.get('/api/v1/failed-trades', async () => {
      const failedTrades = (await views.failedTrades()).map(toFailedTrade);
      return { failedTrades, count: failedTrades.length };
    });

    server.get<{ Params: { txHash: string } }>('/api/v1/settlements/:txHash', async (request) => {
      const txHash = parseBytes32(request.params.txHash);
      const fills = txHash === undefined ? [] : await views.settlement(txHash);
      return fills.length === 0 ? { found: false } : toSettlement(fills, service.headBlock());
    });
  };
}
