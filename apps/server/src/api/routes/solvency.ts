// Solvency: the shares that are outstanding against the stablecoin that the chain holds for them.
import { LIMITS, Solvency } from '@presage/protocol';
import type { Answer } from '../answer.ts';
import { type Endpoint, endpoint } from '../endpoint.ts';
import { CHAIN_ID, limitUpTo, optional, withDefault } from '../parameters.ts';
import type { ApiServices, ServedChain } from '../services.ts';

const { solvencyMarkets } = LIMITS;

export function solvencyEndpoints({ chains, views }: Pick<ApiServices, 'chains' | 'views'>): Endpoint[] {
  const describe = async (chain: ServedChain): Promise<Answer<typeof Solvency>['chains'][number]> => {
    const { chainId, contracts } = chain.config;
    // The chain first: a trade that is settled meanwhile is in the view already.
    const [collateral, bonds] = await Promise.all([
      balanceOf(chain, contracts.conditionalTokens),
      balanceOf(chain, contracts.oracle),
    ]);
    const { markets, locked } = (await views.sumMarketShares()).get(chainId) ?? { markets: 0, locked: 0n };
    return {
      chain_id: chainId,
      block: chain.indexer.lastBlock?.number ?? null,
      markets,
      locked,
      collateral,
      drift: collateral === null ? null : collateral - locked,
      bonds,
      unsettled_trades: chain.settlement.queued,
    };
  };
  return [
    endpoint({
      method: 'get',
      tag: 'Proof',
      path: '/api/v1/solvency',
      id: 'getSolvency',
      summary: 'Whether every share is backed',
      description: 'Who does not want to believe it adds it up themselves: `npx presage verify --rpc URL`.',
      query: {
        chain_id: optional(CHAIN_ID),
        limit: withDefault(limitUpTo(solvencyMarkets, solvencyMarkets), solvencyMarkets),
      },
      answer: Solvency,
      handle: async ({ query: { chain_id: chainId, limit } }) => {
        const chosen = chains.list().filter(({ config }) => chainId === undefined || config.chainId === chainId);
        const described = await Promise.all(chosen.map(describe));
        return { chains: described, markets: await views.listMarketShares(chainId, limit) };
      },
    }),
  ];
}

/** Null while the chain cannot be reached. */
async function balanceOf({ wallets }: ServedChain, holder: `0x${string}`): Promise<bigint | null> {
  return wallets.service.balances(holder).then(
    ({ balance }) => balance,
    () => null,
  );
}
