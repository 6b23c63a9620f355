// The portfolio's data, read together and again whenever the wallet changes.
import type { FailedClaims, Market, PendingClaims, UserActivity } from '@presage/sdk';
import { type HoldingRow, toRows } from '../lib/holdings.ts';
import type { Page } from './page-context.ts';
import { usePage } from './page-context.ts';
import { type Remote, useRemote } from './remote.ts';
import { useChain } from './service-config.ts';
import { useWatched } from './store.ts';
import { toHolding } from './use-position.ts';

export interface PortfolioPosition {
  readonly marketId: string;
  readonly question: string;
  readonly rows: readonly HoldingRow[];
  /** Part of it is not settled yet. */
  readonly isPending: boolean;
}

export interface Portfolio {
  readonly positions: readonly PortfolioPosition[];
  readonly claimable: bigint;
  readonly claimableMarkets: number;
  readonly activity: UserActivity;
  readonly pendingClaims: PendingClaims['pendingClaims'];
  readonly failedClaims: FailedClaims['failedClaims'];
  readonly questions: ReadonlyMap<string, string>;
}

const BEAT_MS = 5_000;

export function usePortfolio(markets: readonly Market[]): Remote<Portfolio> {
  const page = usePage();
  const { chainId } = useChain();
  const { wallet, version } = useWatched(page.account.state);
  const key = wallet ? `portfolio ${wallet.address}` : '';
  const load = (signal: AbortSignal) =>
    readPortfolio({ page, markets, chainId, address: wallet?.address ?? '', signal });
  return useRemote(key, load, { version, everyMs: BEAT_MS });
}

interface Reading {
  readonly page: Page;
  readonly markets: readonly Market[];
  readonly chainId: number;
  readonly address: string;
  readonly signal: AbortSignal;
}

async function readPortfolio(reading: Reading): Promise<Portfolio> {
  const { page, address, chainId, signal } = reading;
  const query = { chain_id: chainId };
  const [{ positions }, claims, activity, pending, failed] = await Promise.all([
    page.reader.listPositions(address, query, { signal }),
    page.reader.listClaimable(address, query, { signal }),
    page.reader.getUserActivity(address, { ...query, limit: 100 }, { signal }),
    page.reader.listPendingClaims({ signal }),
    page.reader.listFailedClaims({ signal }),
  ]);
  const held = positions.filter(({ yesShares, noShares }) => BigInt(yesShares) + BigInt(noShares) > 0n);
  const isOwn = ({ userAddress }: { readonly userAddress: string }) =>
    userAddress.toLowerCase() === address.toLowerCase();
  return {
    positions: await Promise.all(held.map((position) => readPosition(reading, position, activity))),
    claimable: BigInt(claims.totalPayout),
    claimableMarkets: new Set(claims.claimable.map(({ market_id }) => market_id)).size,
    activity,
    pendingClaims: pending.pendingClaims.filter(isOwn),
    failedClaims: failed.failedClaims.filter(isOwn),
    questions: new Map(positions.map(({ marketId, marketQuestion }) => [marketId, marketQuestion])),
  };
}

async function readPosition(
  { page, markets, address, signal }: Reading,
  { marketId, marketQuestion }: { readonly marketId: string; readonly marketQuestion: string },
  { activity }: UserActivity,
): Promise<PortfolioPosition> {
  const [position, market] = await Promise.all([
    page.reader.getPosition(marketId, address, { signal }),
    // Lists leave out most closed markets.
    markets.find(({ id }) => id === marketId) ?? page.reader.getMarket(marketId, { signal }),
  ]);
  const isPending = activity.some((trade) => trade.marketId === marketId && trade.status === 'pending');
  return { marketId, question: marketQuestion, rows: toRows(toHolding(position), market), isPending };
}
