// Maps a window with its start price to a market of the exchange: its question and its place on chain.
import { type BoundaryEvidence, type MarketFacts, type QuickWindow, toFeeRates } from '@presage/protocol';
import type { ChainContext } from '../chains/chain-context.ts';
import { endOf } from './window-step.ts';

/** A window whose start price is known. */
export type StruckWindow = QuickWindow & { readonly start: BoundaryEvidence };

type Place = Pick<ChainContext, 'chain' | 'addresses'>;

export function toMarketFacts(window: StruckWindow, { chain: { chainId }, addresses }: Place): MarketFacts {
  const { creation, startTime } = window;
  return {
    marketId: creation.marketId,
    chainId,
    kind: 'quick',
    contractAddress: creation.contractAddress,
    ...toTexts(window),
    category: 'general',
    maker: creation.maker,
    expiration: endOf(startTime),
    createdAt: creation.createdAt,
    settlementAddress: addresses.settlement,
    conditionalTokens: addresses.conditionalTokens,
    stablecoin: addresses.stablecoin,
    yesTokenId: creation.yesTokenId,
    noTokenId: creation.noTokenId,
    blockNumber: creation.blockNumber,
    transactionHash: creation.transactionHash,
    ...toFeeRates(creation.feeRateBps ?? 0, creation.makerShareBps ?? 0),
  };
}

function toTexts({ asset, startTime, start }: StruckWindow) {
  const price = toDollars(start);
  return {
    question: `Will ${asset} be at or above ${price} at ${toClock(endOf(startTime))} UTC on ${toDay(endOf(startTime))}?`,
    description:
      `Resolves YES if the price of ${asset} at ${toClock(endOf(startTime))} UTC is at or above ${price}, ` +
      `its price at ${toClock(startTime)} UTC, and NO if it is below. ` +
      "Each price is the oracle's first at or after its time, proved on chain.",
  };
}

/** Formats a price exactly, without trailing zeros: `$65,123.45`. */
function toDollars({ price, expo }: Pick<BoundaryEvidence, 'price' | 'expo'>): string {
  const decimals = Math.max(0, -expo);
  const digits = `${price}${'0'.repeat(Math.max(0, expo))}`.padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals).replace(/\B(?=(\d{3})+$)/g, ',');
  const fraction = decimals === 0 ? '' : digits.slice(-decimals).replace(/0+$/, '');
  return fraction === '' ? `$${whole}` : `$${whole}.${fraction}`;
}

function toClock(seconds: number): string {
  return new Date(seconds * 1_000).toISOString().slice(11, 16);
}

function toDay(seconds: number): string {
  return new Date(seconds * 1_000).toISOString().slice(0, 10);
}
