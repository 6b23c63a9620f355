// Statistics of markets, holders and the platform as the wire shows them.
import type { MarketView } from '@presage/engine';
import {
  type Holders,
  type MarketFacts,
  type MarketStatistics,
  type PlatformStatistics,
  toChecksumAddress,
  toSeconds,
} from '@presage/protocol';
import type { ChainFigures } from '../../projections/figures/chain-figures-queries.ts';
import type { MarketFigures } from '../../projections/figures/figures-queries.ts';
import type { ChainSharesRow } from '../../projections/figures/solvency-queries.ts';
import type { Holders as HolderRows } from '../../projections/positions/holder-queries.ts';
import type { Answer } from '../answer.ts';
import { toMarketStatus } from './market.ts';

/** Without figures nothing was traded yet. */
export function toMarketStatistics(
  { marketId, contractAddress }: MarketFacts,
  figures?: MarketFigures,
): Answer<typeof MarketStatistics> {
  return {
    marketId,
    contractAddress: toChecksumAddress(contractAddress),
    volume24h: figures?.volume24h ?? 0,
    totalVolume: figures?.volume ?? 0,
    lastPrice: figures?.lastPrice ?? 0,
  };
}

export function toHolders({ top, total }: HolderRows): Answer<typeof Holders> {
  const topHolders = top.map(({ wallet, yesShares, noShares, totalInvested }) => {
    return { userAddress: toChecksumAddress(wallet), yesShares, noShares, totalInvested };
  });
  return { topHolders, totalHolders: total };
}

interface PlatformFacts {
  readonly markets: readonly MarketView[];
  /** By chain, like the next one. */
  readonly figures: ReadonlyMap<number, ChainFigures>;
  readonly shares: ReadonlyMap<number, ChainSharesRow>;
  readonly nowSeconds: number;
}

interface Totals {
  readonly total_volume: bigint;
  readonly total_trades: number;
  readonly total_markets: number;
  readonly active_markets: number;
  readonly open_interest: bigint;
  readonly volume_24h: bigint;
}

export function toPlatformStatistics({
  markets,
  figures,
  shares,
  nowSeconds,
}: PlatformFacts): Answer<typeof PlatformStatistics> {
  const chainIds = [...new Set(markets.map(({ facts }) => facts.chainId))].sort((a, b) => a - b);
  const chains = chainIds.map((chainId) => {
    const here = markets.filter(({ facts }) => facts.chainId === chainId);
    const traded = figures.get(chainId);
    const updatedMs = here.reduce((latest, market) => Math.max(latest, market.updatedMs), 0);
    return {
      chain_id: chainId,
      total_volume: traded?.volume ?? 0n,
      total_trades: traded?.tradeCount ?? 0,
      total_markets: here.length,
      active_markets: here.filter((market) => toMarketStatus(market, nowSeconds) === 'open').length,
      open_interest: shares.get(chainId)?.locked ?? 0n,
      volume_24h: traded?.volume24h ?? 0n,
      updated_at: toSeconds(updatedMs),
    };
  });
  return { chains, ...sumOf(chains) };
}

function sumOf(parts: readonly Totals[]): Totals {
  const sum = {
    total_volume: 0n,
    total_trades: 0,
    total_markets: 0,
    active_markets: 0,
    open_interest: 0n,
    volume_24h: 0n,
  };
  for (const part of parts) {
    sum.total_volume += part.total_volume;
    sum.total_trades += part.total_trades;
    sum.total_markets += part.total_markets;
    sum.active_markets += part.active_markets;
    sum.open_interest += part.open_interest;
    sum.volume_24h += part.volume_24h;
  }
  return sum;
}
