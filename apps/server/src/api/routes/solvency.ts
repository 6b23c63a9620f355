// Solvency: the shares that are outstanding against the stablecoin that the chain holds for them.
import { LIMITS } from '@presage/protocol';
import * as wire from '@presage/protocol/wire';
import type { ServedChain } from '../../chains/chain-actor.ts';
import type { ChainSharesRow } from '../../projections/figures/solvency-queries.ts';
import type { Wire } from '../answer.ts';
import { type Endpoint, endpoint } from '../endpoint.ts';
import { CHAIN_ID, listLimit, optional } from '../parameters.ts';
import type { ApiServices } from '../services.ts';

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
        // Reads the chains first: a trade that settles meanwhile is in the view already.
        const held = await Promise.all(chosen.map(readHeld));
        const [shares, markets, events] = await Promise.all([
          views.sumMarketShares(),
          views.listMarketShares(chainId, limit),
          views.listEventShares(chainId, limit),
        ]);
        const ofChains = held.map((each) => toChainSolvency(each, shares.get(each.chain.config.chainId)));
        return { chains: ofChains, markets, ...(events.length > 0 && { events }) };
      },
    }),
  ];
}

/** Stablecoin held; null while the chain is unreachable. */
async function readHeld(chain: ServedChain) {
  const { conditionalTokens, oracle } = chain.config.contracts;
  const [collateral, bonds] = await Promise.all(
    [conditionalTokens, oracle].map((holder) =>
      chain.wallets.service.balances(holder).then(
        ({ balance }) => balance,
        () => null,
      ),
    ),
  );
  return { chain, collateral: collateral ?? null, bonds: bonds ?? null };
}

function toChainSolvency(
  { chain, collateral, bonds }: Awaited<ReturnType<typeof readHeld>>,
  { markets, locked }: ChainSharesRow = { markets: 0, locked: 0n },
): Wire<'Solvency'>['chains'][number] {
  return {
    chain_id: chain.config.chainId,
    block: chain.actor?.indexer.lastBlock?.number ?? null,
    markets,
    locked,
    collateral,
    drift: collateral === null ? null : collateral - locked,
    bonds,
    unsettled_trades: chain.actor?.settlement.queued ?? 0,
  };
}
