// Solvency: the shares that are outstanding against the stablecoin that the chain holds for them.
import { LIMITS, Solvency } from '@presage/protocol';
import type { ChainSharesRow } from '../../projections/figures/solvency-queries.ts';
import type { Answer } from '../answer.ts';
import { type Endpoint, endpoint } from '../endpoint.ts';
import { CHAIN_ID, limitUpTo, optional, withDefault } from '../parameters.ts';
import type { ApiServices, ServedChain } from '../services.ts';

const { solvencyMarkets } = LIMITS;

export function solvencyEndpoints({ chains, views }: Pick<ApiServices, 'chains' | 'views'>): Endpoint[] {
  return [
    endpoint({
      method: 'get',
      tag: 'Proof',
      path: '/api/v1/solvency',
      answeredBy: 'settler',
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
        // Reads the chains first: a trade that settles meanwhile is in the view already.
        const held = await Promise.all(chosen.map(readHeld));
        const [shares, markets] = await Promise.all([views.sumMarketShares(), views.listMarketShares(chainId, limit)]);
        return { chains: held.map((each) => toChainSolvency(each, shares.get(each.chain.config.chainId))), markets };
      },
    }),
  ];
}

interface Held {
  readonly chain: ServedChain;
  /** Stablecoin held; null while the chain is unreachable, like the next one. */
  readonly collateral: bigint | null;
  readonly bonds: bigint | null;
}

async function readHeld(chain: ServedChain): Promise<Held> {
  const { conditionalTokens, oracle } = chain.config.contracts;
  const [collateral, bonds] = await Promise.all([balanceOf(chain, conditionalTokens), balanceOf(chain, oracle)]);
  return { chain, collateral, bonds };
}

function toChainSolvency(
  { chain, collateral, bonds }: Held,
  { markets, locked }: ChainSharesRow = { markets: 0, locked: 0n },
): Answer<typeof Solvency>['chains'][number] {
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

async function balanceOf({ wallets }: ServedChain, holder: `0x${string}`): Promise<bigint | null> {
  return wallets.service.balances(holder).then(
    ({ balance }) => balance,
    () => null,
  );
}
