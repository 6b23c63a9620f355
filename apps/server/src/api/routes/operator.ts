// Operator endpoints for markets, trading and wallets, each with the right that a key needs.
import { toChecksumAddress, toLowerHex } from '@presage/protocol';
import * as wire from '@presage/protocol/wire';
import type { Asked } from '../../operator/asked.ts';
import { bodyOf } from '../bodies.ts';
import { type Endpoint, endpoint } from '../endpoint.ts';
import type { HttpRequest } from '../http/request.ts';
import { MarketReader } from '../mappers/market.ts';
import { MARKET_ID } from '../parameters.ts';
import type { ApiServices, OperatorPorts } from '../services.ts';
import { CATEGORY } from './markets.ts';

const operator = { tag: 'Operator', access: 'operator', answeredBy: 'settler' } as const;
const changing = { ...operator, method: 'post' } as const;

/** The acting key and the reason of the request. */
export function askedIn(request: HttpRequest, { reason }: { readonly reason?: string | undefined }): Asked {
  const actor = request.operator?.key.keyId;
  if (actor === undefined) throw new Error('an endpoint of operators was reached without one');
  return { actor, reason: reason ?? '', approval: request.approval };
}

type Services = Pick<ApiServices, 'clock' | 'reads' | 'views' | 'presentation'>;
type Service = OperatorPorts['service'];

export function operatorEndpoints({ service }: OperatorPorts, services: Services): Endpoint[] {
  const reader = new MarketReader(services);
  return [
    ...marketTextEndpoints(service, reader),
    ...marketTradingEndpoints(service, reader),
    ...tradingEndpoints(service, services),
    ...categoryEndpoints(service, services),
  ];
}

function marketTextEndpoints(service: Service, reader: MarketReader): Endpoint[] {
  return [
    endpoint({
      ...changing,
      right: 'markets',
      path: '/admin/v1/markets/:id/texts',
      id: 'editMarket',
      summary: 'Change what a market says',
      description:
        'Question, description and source until the first trade, category and picture at any time. What is on chain stays, and is shown beside it.',
      params: { id: MARKET_ID },
      body: bodyOf(wire.MarketTextsInput),
      answer: wire.Market,
      errors: ['market_not_found', 'market_has_traded', 'category_not_found'],
      approval: ({ body: { reason } }) => ({ action: 'edit-market', reason }),
      handle: async ({ params: { id }, body: { reason, ...changes }, request }) => {
        await service.editMarket(askedIn(request, { reason }), id, changes);
        return reader.one(id);
      },
    }),
    endpoint({
      ...changing,
      right: 'markets',
      path: '/admin/v1/markets/:id/feature',
      id: 'featureMarket',
      summary: 'Show a market first, or no longer',
      params: { id: MARKET_ID },
      body: bodyOf(wire.FeatureInput),
      answer: wire.Market,
      errors: ['market_not_found'],
      approval: ({ body: { featured, reason } }) => ({
        action: featured ? 'feature-market' : 'unfeature-market',
        reason,
      }),
      handle: async ({ params: { id }, body, request }) => {
        await service.featureMarket(askedIn(request, body), id, body.featured);
        return reader.one(id);
      },
    }),
  ];
}

function marketTradingEndpoints(service: Service, reader: MarketReader): Endpoint[] {
  return [
    endpoint({
      ...changing,
      right: 'trading',
      path: '/admin/v1/markets/:id/pause',
      id: 'pauseMarket',
      summary: 'Take no orders in a market, or take them again',
      description: 'Resting orders stay on the book and can be cancelled; trades that were matched settle.',
      params: { id: MARKET_ID },
      body: bodyOf(wire.PauseInput),
      answer: wire.Market,
      errors: ['market_not_found'],
      approval: ({ body: { paused, reason } }) => ({ action: paused ? 'pause-market' : 'resume-market', reason }),
      handle: async ({ params: { id }, body, request }) => {
        await service.pauseMarket(askedIn(request, body), id, body.paused);
        return reader.one(id);
      },
    }),
    endpoint({
      ...changing,
      right: 'markets',
      path: '/admin/v1/markets/:id/close',
      id: 'closeMarket',
      summary: 'End trading before the expiration, for good',
      description: 'Resting orders are cancelled. The contract takes a result from the expiration on, not earlier.',
      params: { id: MARKET_ID },
      body: bodyOf(wire.ReasonInput),
      answer: wire.Market,
      errors: ['market_not_found', 'market_closed'],
      approval: ({ body: { reason } }) => ({ action: 'close-market', reason }),
      handle: async ({ params: { id }, body, request }) => {
        await service.closeMarket(askedIn(request, body), id);
        return reader.one(id);
      },
    }),
    endpoint({
      ...changing,
      right: 'markets',
      path: '/admin/v1/markets/:id/void',
      id: 'voidMarket',
      summary: 'Void a market that has gone undecided for too long',
      description: 'Each share then pays half. Answers when the transaction is on its way.',
      params: { id: MARKET_ID },
      body: bodyOf(wire.ReasonInput),
      answer: wire.VoidAnswer,
      errors: ['market_not_found', 'not_voidable', 'simulation_failed', 'chain_unavailable'],
      approval: ({ body: { reason } }) => ({ action: 'void-market', reason }),
      handle: async ({ params: { id }, body, request }) => ({
        marketId: id,
        operationId: await service.voidMarket(askedIn(request, body), id),
      }),
    }),
  ];
}

function tradingEndpoints(service: Service, services: Services): Endpoint[] {
  return [
    endpoint({
      ...operator,
      method: 'get',
      right: 'read',
      path: '/admin/v1/trading',
      id: 'getTradingControls',
      summary: 'What is stopped: everything, markets, wallets',
      answer: wire.TradingControls,
      handle: async () => describeControls(service, services),
    }),
    endpoint({
      ...changing,
      right: 'trading',
      path: '/admin/v1/trading/halt',
      id: 'haltTrading',
      summary: 'Take no orders anywhere, or take them again',
      description: 'Cancels, transfers, redemptions and settlement go on.',
      body: bodyOf(wire.TradingHaltInput),
      answer: wire.TradingControls,
      approval: ({ body: { halted, reason } }) => ({ action: halted ? 'halt-trading' : 'resume-trading', reason }),
      handle: async ({ body, request }) => {
        await service.haltTrading(askedIn(request, body), body.halted);
        return describeControls(service, services);
      },
    }),
    endpoint({
      ...changing,
      right: 'wallets',
      path: '/admin/v1/wallets/block',
      id: 'blockWallet',
      summary: 'Take no orders of a wallet, or take them again',
      description: 'Its open orders are cancelled. It may still cancel, transfer and redeem: its money stays its own.',
      body: bodyOf(wire.BlockWalletInput),
      answer: wire.BlockedWalletAnswer,
      approval: ({ body: { blocked, reason } }) => ({ action: blocked ? 'block-wallet' : 'unblock-wallet', reason }),
      handle: async ({ body, request }) => {
        const wallet = toLowerHex(body.address);
        const cancelledOrders = await service.blockWallet(askedIn(request, body), wallet, body.blocked);
        return { address: toChecksumAddress(wallet), blocked: body.blocked, cancelledOrders };
      },
    }),
  ];
}

function categoryEndpoints(service: Service, { presentation }: Services): Endpoint[] {
  const categories = () => ({ categories: presentation.categories(), count: presentation.categories().length });
  return [
    endpoint({
      ...changing,
      right: 'markets',
      path: '/admin/v1/categories',
      id: 'defineCategory',
      summary: 'Define a category, or give one another name',
      body: bodyOf(wire.CategoryInput),
      answer: wire.CategoryList,
      approval: ({ body: { reason } }) => ({ action: 'define-category', reason }),
      handle: async ({ body, request }) => {
        await service.defineCategory(askedIn(request, body), body.id, body.name);
        return categories();
      },
    }),
    endpoint({
      ...operator,
      method: 'delete',
      right: 'markets',
      path: '/admin/v1/categories/:id',
      id: 'removeCategory',
      summary: 'Remove a category; its markets are shown as general',
      params: { id: { ...CATEGORY, description: 'The id of the category' } },
      answer: wire.CategoryList,
      errors: ['category_not_found', 'category_fixed'],
      approval: () => ({ action: 'remove-category', reason: undefined }),
      handle: async ({ params: { id }, request }) => {
        await service.removeCategory(askedIn(request, {}), id);
        return categories();
      },
    }),
  ];
}

function describeControls({ state }: Service, { reads, presentation }: Services) {
  const pausedMarkets = state.pauses().flatMap(({ marketId, reason, isOnChain }) => {
    const market = reads.market(marketId);
    if (market === undefined) return [];
    const { question } = presentation.textsOf(market);
    return [{ marketId, question, reason, ...(isOnChain && { onChain: true as const }) }];
  });
  const blockedWallets = [...state.blocked].map(([wallet, reason]) => ({
    address: toChecksumAddress(wallet),
    reason,
  }));
  return { halted: state.halt !== undefined, reason: state.halt ?? null, pausedMarkets, blockedWallets };
}
