// The portfolio's data, read together and again whenever the wallet changes.
import type { FailedClaims, PendingClaims, PnlHistory, PnlInterval, UserActivity } from '@presage/sdk';
import { type ClosedRow, type Equity, type OpenRow, toClosedRows, toEquity, toOpenRows } from '../lib/portfolio.ts';
import type { Page } from './page-context.ts';
import { usePage } from './page-context.ts';
import { type Remote, useRemote } from './remote.ts';
import { useChain } from './service-config.ts';
import { useWatched } from './store.ts';

export interface Portfolio {
  readonly equity: Equity;
  readonly open: readonly OpenRow[];
  readonly closed: readonly ClosedRow[];
  readonly claimable: bigint;
  readonly claimableMarkets: number;
  readonly activity: UserActivity;
  readonly pendingClaims: PendingClaims['pendingClaims'];
  readonly failedClaims: FailedClaims['failedClaims'];
  readonly questions: ReadonlyMap<string, string>;
}

const BEAT_MS = 5_000;

export function usePortfolio(): Remote<Portfolio> {
  const page = usePage();
  const { chainId } = useChain();
  const { wallet, version } = useWatched(page.account.state);
  const key = wallet ? `portfolio ${wallet.address}` : '';
  const load = (signal: AbortSignal) => readPortfolio({ page, chainId, address: wallet?.address ?? '', signal });
  return useRemote(key, load, { version, everyMs: BEAT_MS });
}

export function usePnlHistory(interval: PnlInterval): Remote<PnlHistory> {
  const { reader, account } = usePage();
  const { chainId } = useChain();
  const { wallet, version } = useWatched(account.state);
  const address = wallet?.address ?? '';
  const key = wallet ? `pnl ${address} ${interval}` : '';
  const load = (signal: AbortSignal) => reader.getPnlHistory(address, { chain_id: chainId, interval }, { signal });
  return useRemote(key, load, { version, everyMs: BEAT_MS });
}

interface Reading {
  readonly page: Page;
  readonly chainId: number;
  readonly address: string;
  readonly signal: AbortSignal;
}

async function readPortfolio({ page: { reader }, address, chainId, signal }: Reading): Promise<Portfolio> {
  const query = { chain_id: chainId };
  const [{ positions }, balances, statistics, claims, activity, pending, failed] = await Promise.all([
    reader.listPositions(address, { ...query, shares: 'any' }, { signal }),
    reader.getBalances(address, query, { signal }),
    reader.getUserStatistics(address, { signal }),
    reader.listClaimable(address, query, { signal }),
    reader.getUserActivity(address, { ...query, limit: 100 }, { signal }),
    reader.listPendingClaims({ signal }),
    reader.listFailedClaims({ signal }),
  ]);
  const isOwn = ({ userAddress }: { readonly userAddress: string }) =>
    userAddress.toLowerCase() === address.toLowerCase();
  const unsettled = activity.activity.filter(({ status }) => status === 'pending').map(({ marketId }) => marketId);
  return {
    equity: toEquity(balances, positions, statistics),
    open: toOpenRows(positions, new Set(unsettled)),
    closed: toClosedRows(positions),
    claimable: BigInt(claims.totalPayout),
    claimableMarkets: new Set(claims.claimable.map(({ market_id }) => market_id)).size,
    activity,
    pendingClaims: pending.pendingClaims.filter(isOwn),
    failedClaims: failed.failedClaims.filter(isOwn),
    questions: new Map(positions.map(({ marketId, marketQuestion }) => [marketId, marketQuestion])),
  };
}
