// Operator endpoint for the revenue of markets.
import { DAY_MS, LIMITS } from '@presage/protocol';
import * as wire from '@presage/protocol/wire';
import type { RevenueRow } from '../../projections/figures/revenue-queries.ts';
import type { Wire } from '../answer.ts';
import { type Endpoint, endpoint } from '../endpoint.ts';
import { listLimit, optional, UNIX_SECONDS } from '../parameters.ts';
import type { ApiServices } from '../services.ts';

const DAYS_SHOWN = 30;

export function operatorRevenueEndpoints({ views, clock }: Pick<ApiServices, 'views' | 'clock'>): Endpoint[] {
  return [
    endpoint({
      tag: 'Operator',
      access: 'operator',
      answeredBy: 'settler',
      method: 'get',
      right: 'read',
      path: '/admin/v1/revenue',
      id: 'listRevenue',
      summary: 'What takers paid in fees, by day and market',
      description:
        'Newest day first, in UTC; days and markets without a fee are left out, and so are trades that failed.',
      query: {
        from: optional(UNIX_SECONDS, `Unix seconds of the first trade that counts; ${DAYS_SHOWN} days ago by default`),
        to: optional(UNIX_SECONDS, 'Unix seconds before which trades count; now by default'),
        limit: listLimit(LIMITS.revenueLines),
      },
      answer: wire.RevenueList,
      errors: ['view_behind', 'database_unavailable'],
      handle: async ({ query: { from, to, limit } }): Promise<Wire<'RevenueList'>> => {
        const toMs = to === undefined ? clock.nowMs() + 1 : to * 1_000;
        const fromMs = from === undefined ? toMs - DAYS_SHOWN * DAY_MS : from * 1_000;
        const rows = await views.listRevenue({ fromMs, toMs, limit });
        const revenue = rows.map(toRevenue);
        return { from: Math.floor(fromMs / 1_000), to: Math.floor(toMs / 1_000), revenue, count: revenue.length };
      },
    }),
  ];
}

function toRevenue({ day, fees, makerRebates, ...row }: RevenueRow): Wire<'RevenueLine'> {
  const { marketId, chainId, question, trades, volume, settled } = row;
  const date = new Date(day * DAY_MS).toISOString().slice(0, 10);
  return {
    day: date,
    marketId,
    chainId,
    question,
    trades,
    volume,
    fees,
    makerRebates,
    revenue: fees - makerRebates,
    settled,
  };
}
