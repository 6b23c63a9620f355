// Endpoints for trades and their settlement: history, pending, failed, by transaction.
import { LIMITS, parseBytes32, stringifyJson } from '@presage/protocol';
import * as wire from '@presage/protocol/wire';
import Type from 'typebox';
import type { Wire } from '../answer.ts';
import { type Endpoint, endpoint, streamingEndpoint } from '../endpoint.ts';
import { marketOf } from '../mappers/market.ts';
import { toFailedTrade, toPendingTrade, toSettlement, toTrade } from '../mappers/trade.ts';
import { listLimit, MARKET_ID, TRANSACTION_HASH } from '../parameters.ts';
import type { ApiServices } from '../services.ts';
import { SharedRead } from '../shared-read.ts';

const { tradeHistory, tradeHistoryMax, pendingTradesMax } = LIMITS;
const WAITING_LIMIT = listLimit(pendingTradesMax);
const trades = { method: 'get', tag: 'Trades' } as const;

type Services = Pick<ApiServices, 'reads' | 'views' | 'clock' | 'chains'>;

export function tradeEndpoints(services: Services): Endpoint[] {
  return [...lists(services), settlement(services)];
}

function lists({ reads, views, clock }: Services): Endpoint[] {
  // Shared, since thousands of trades may be pending: simultaneous callers get the same text.
  const pending = new SharedRead(async (limit) => {
    const pendingTrades = (await views.listPendingTrades(Number(limit))).map(toPendingTrade);
    return stringifyJson({ pendingTrades, count: pendingTrades.length } satisfies Wire<'PendingTrades'>);
  });
  return [
    endpoint({
      ...trades,
      path: '/api/v1/trades/:marketId',
      id: 'listTrades',
      summary: 'The most recent trades of a market, newest first',
      params: { marketId: MARKET_ID },
      query: { limit: listLimit(tradeHistoryMax, tradeHistory) },
      answer: wire.TradeHistory,
      errors: ['market_not_found'],
      handle: async ({ params: { marketId }, query: { limit } }) => {
        marketOf(reads, marketId);
        const found = (await views.listTrades(marketId, limit)).map(toTrade);
        return { marketId, trades: found, count: found.length };
      },
    }),
    streamingEndpoint({
      ...trades,
      path: '/api/v1/pending-trades',
      id: 'listPendingTrades',
      summary: 'Trades that wait for the chain',
      query: { limit: WAITING_LIMIT },
      answer: wire.PendingTrades,
      contentType: 'application/json',
      handle: async ({ query: { limit }, reply }) => {
        const text = await pending.get(String(limit));
        reply.type('application/json; charset=utf-8').send(text);
      },
    }),
    endpoint({
      ...trades,
      path: '/api/v1/failed-trades',
      id: 'listFailedTrades',
      summary: 'Trades that failed to settle in the last 24 hours',
      query: { limit: WAITING_LIMIT },
      answer: wire.FailedTrades,
      handle: async ({ query: { limit } }) => {
        const failedTrades = (await views.listFailedTrades(clock.nowMs(), limit)).map(toFailedTrade);
        return { failedTrades, count: failedTrades.length };
      },
    }),
  ];
}

function settlement({ reads, views, chains }: Services): Endpoint {
  return endpoint({
    ...trades,
    path: '/api/v1/settlements/:txHash',
    answeredBy: 'settler',
    id: 'getSettlement',
    summary: 'What a settlement transaction did',
    params: { txHash: TRANSACTION_HASH },
    answer: Type.Union([wire.SettlementFound, wire.SettlementNotFound]),
    handle: async ({ params }) => {
      const txHash = parseBytes32(params.txHash);
      if (txHash === undefined) return { found: false } as const;
      const [first, ...others] = await views.listSettlementFills(txHash);
      if (first === undefined) return { found: false } as const;
      const chainId = reads.market(first.trade.marketId)?.facts.chainId ?? 0;
      const headBlock = chains.find(chainId)?.actor?.indexer.lastBlock?.number ?? 0;
      return toSettlement([first, ...others], { txHash, headBlock });
    },
  });
}
