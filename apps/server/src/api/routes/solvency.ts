// Endpoint for solvency: outstanding shares compared with the stablecoin that the chain holds for them.
import { LIMITS } from '@presage/protocol';
import * as wire from '@presage/protocol/wire';
import type { ChainSharesRow } from '../../projections/figures/solvency-queries.ts';
import type { Wire } from '../answer.ts';
import { type Backing, readBacking } from '../backing.ts';
import { type Endpoint, endpoint } from '../endpoint.ts';
import { CHAIN_ID, listLimit, optional } from '../parameters.ts';
import type { ApiServices } from '../services.ts';

/** Attempts to read chain and view at one block: others may come in between, but if they come fast, a later attempt hits a pause. */
const ATTEMPTS = 5;

export function solvencyEndpoints({ chains, views }: Pick<ApiServices, 'chains' | 'views'>): Endpoint[] {
  return [
    endpoint({
      method: 'get',
      tag: 'Proof',
      path: '/api/v1/solvency',
      answeredBy: 'settler',
      id: 'getSolvency',
      summary: 'Whether every share is backed',
      description: 'To check it yourself: `npx @presage/cli verify --url URL --rpc NODE`.',
      query: {
        chain_id: optional(CHAIN_ID),
        limit: listLimit(LIMITS.solvencyMarkets),
      },
      answer: wire.Solvency,
      handle: async ({ query: { chain_id: chainId, limit } }) => {
        const chosen = chains.list().filter(({ config }) => chainId === undefined || config.chainId === chainId);
        for (let attempt = 1; ; attempt++) {
          // Reads the chains first: a trade that settles in between is already in the view.
          const backings = await Promise.all(chosen.map((chain) => readBacking(chain, LIMITS.readYourWritesMs)));
          const [shares, markets, events] = await Promise.all([
            views.sumMarketShares(),
            views.listMarketShares(chainId, limit),
            views.listEventShares(chainId, limit),
          ]);
          if (attempt < ATTEMPTS && backings.some((each) => each.isFollowed && !each.isCurrent())) continue;
          const ofChains = chosen.map(({ config }, at) => {
            return { chain_id: config.chainId, ...toChainSolvency(backings[at]!, shares.get(config.chainId)) };
          });
          return { chains: ofChains, markets, ...(events.length > 0 && { events }) };
        }
      },
    }),
  ];
}

function toChainSolvency(
  backing: Backing,
  { markets, locked }: ChainSharesRow = { markets: 0, locked: 0n },
): Omit<Wire<'Solvency'>['chains'][number], 'chain_id'> {
  const { block, collateral, bonds } = backing;
  return {
    block,
    markets,
    locked,
    collateral,
    drift: collateral === null || !backing.isCurrent() ? null : collateral - locked,
    bonds,
    unsettled_trades: backing.unsettledTrades(),
  };
}
