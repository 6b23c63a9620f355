// Maps statistics of markets, holders and the platform to the wire.
import type { MarketView, RetiredTotal } from '@presage/engine';
import { type MarketFacts, toChecksumAddress, toSeconds } from '@presage/protocol';
import type { ChainFigures } from '../../projections/figures/chain-figures-queries.ts';
import type { MarketFigures } from '../../projections/figures/figures-queries.ts';
import type { ChainSharesRow } from '../../projections/figures/solvency-queries.ts';
import type { Holders as HolderRows } from '../../projections/positions/holder-queries.ts';
import type { Wire } from '../answer.ts';
import { toMarketStatus } from './market.ts';

/** Statistics of a market; `figures` is undefined if nothing was traded yet. */
export function toMarketStatistics(
  { marketId, contractAddress }: MarketFacts,
  figures?: MarketFigures,
): Wire<'MarketStatistics'> {
  return {
    marketId,
    contractAddress: toChecksumAddress(contractAddress),
    volume24h: figures?.volume24h ?? 0,
    totalVolume: figures?.volume ?? 0,
    lastPrice: figures?.lastPrice ?? 0,
  };
}

export function toHolders({ top, total }: HolderRows): Wire<'Holders'> {
  const topHolders = top.map(({ wallet, yesShares, noShares, totalInvested }) => {
    return { userAddress: toChecksumAddress(wallet), yesShares, noShares, totalInvested };
  });
  return { topHolders, totalHolders: total };
}

interface PlatformFacts {
  readonly active: readonly MarketView[];
  readonly retired: readonly RetiredTotal[];
  /** Figures by chain id. */
  readonly figures: ReadonlyMap<number, ChainFigures>;
  readonly shares: ReadonlyMap<number, ChainSharesRow>;
  readonly nowSeconds: number;
}

export function toPlatformStatistics({
  active,
  retired,
  figures,
  shares,
  nowSeconds,
}: PlatformFacts): Wire<'PlatformStatistics'> {
  const chainIds = [...new Set([...active.map(({ facts }) => facts), ...retired].map(({ chainId }) => chainId))].sort(
    (a, b) => a - b,
  );
  const chains = chainIds.map((chainId) => {
    const here = active.filter(({ facts }) => facts.chainId === chainId);
    const over = retired.filter((total) => total.chainId === chainId);
    const traded = figures.get(chainId);
    const updatedMs = [...here, ...over].reduce((latest, each) => Math.max(latest, each.updatedMs), 0);
    return {
      chain_id: chainId,
      total_volume: traded?.volume ?? 0n,
      total_trades: traded?.tradeCount ?? 0,
      total_markets: over.reduce((sum, total) => sum + total.count, here.length),
      active_markets: here.filter((market) => toMarketStatus(market, nowSeconds) === 'open').length,
      open_interest: shares.get(chainId)?.locked ?? 0n,
      volume_24h: traded?.volume24h ?? 0n,
      updated_at: toSeconds(updatedMs),
    };
  });
  const sum = (read: (chain: (typeof chains)[number]) => bigint) =>
    chains.reduce((total, each) => total + read(each), 0n);
  const count = (read: (chain: (typeof chains)[number]) => number) =>
    chains.reduce((total, each) => total + read(each), 0);
  return {
    chains,
    total_volume: sum((chain) => chain.total_volume),
    total_trades: count((chain) => chain.total_trades),
    total_markets: count((chain) => chain.total_markets),
    active_markets: count((chain) => chain.active_markets),
    open_interest: sum((chain) => chain.open_interest),
    volume_24h: sum((chain) => chain.volume_24h),
  };
}
