// The portfolio's data, read together, and read again whenever the wallet changes.
import type { PnlHistory, PnlInterval } from '@presage/sdk';
import { PLAIN_NAMES, QUICK_NAMES } from '../lib/outcomes.ts';
import { toClosedRows, toEquity, toOpenRows } from '../lib/portfolio.ts';
import { type Page, usePage } from '../state/page-context.ts';
import { type Remote, useRemote } from '../state/remote.ts';
import { useConfig } from '../state/service-config.ts';
import { useWatched } from '../state/store.ts';
import { oldestOf, readOrRecall } from '../wallet/last-known.ts';
import { readActivity } from './read-activity.ts';

export type Portfolio = Awaited<ReturnType<typeof readPortfolio>>;

const BEAT_MS = 5_000;

export function usePortfolio(): Remote<Portfolio> {
  const { reader, account } = usePage();
  const chainIds = useConfig().chains.map(({ chainId }) => chainId);
  const { wallet, version } = useWatched(account.state);
  const key = wallet ? `portfolio ${wallet.address}` : '';
  const load = (signal: AbortSignal) => readPortfolio({ reader, chainIds, address: wallet?.address ?? '', signal });
  return useRemote(key, load, { version, everyMs: BEAT_MS });
}

export function usePnlHistory(interval: PnlInterval): Remote<PnlHistory> {
  const { reader, account } = usePage();
  const { wallet, version } = useWatched(account.state);
  const address = wallet?.address ?? '';
  const key = wallet ? `pnl ${address} ${interval}` : '';
  const load = (signal: AbortSignal) => reader.getPnlHistory(address, { interval }, { signal });
  return useRemote(key, load, { version, everyMs: BEAT_MS });
}

interface Reading extends Pick<Page, 'reader'> {
  readonly chainIds: readonly number[];
  readonly address: string;
  readonly signal: AbortSignal;
}

async function readPortfolio({ reader, address, chainIds, signal }: Reading) {
  const onEach = async <T>(read: (query: { chain_id: number }) => Promise<T>): Promise<T[]> =>
    Promise.all(chainIds.map((chain_id) => read({ chain_id })));
  const [held, balances, statistics, claims, activity, pending, failed] = await Promise.all([
    onEach((query) => reader.listPositions(address, { ...query, shares: 'any' }, { signal })),
    onEach((query) =>
      readOrRecall(`balances ${address} ${query.chain_id}`, () =>
        reader.getBalances(address, { ...query, include: 'unsettled' }, { signal }),
      ),
    ),
    reader.getUserStatistics(address, { signal }),
    onEach((query) =>
      readOrRecall(`claims ${address} ${query.chain_id}`, () => reader.listClaimable(address, query, { signal })),
    ),
    readActivity(reader, address, chainIds, { signal }),
    reader.listPendingClaims({ signal }),
    reader.listFailedClaims({ signal }),
  ]);
  const positions = held.flatMap((list) => list.positions);
  const claimable = claims.flatMap(({ value }) => value.claimable);
  const isOwn = ({ userAddress }: { readonly userAddress: string }) =>
    userAddress.toLowerCase() === address.toLowerCase();
  const quick = new Set(positions.filter(({ kind }) => kind === 'quick').map(({ marketId }) => marketId));
  const open = toOpenRows(positions, activity.unsettled);
  return {
    /** Time of cash and payouts, Unix seconds; set while the chain is unreachable and they are its last known values. */
    since: oldestOf([...balances, ...claims]),
    equity: toEquity(
      balances.map(({ value }) => value),
      positions,
      open,
      statistics,
    ),
    open,
    closed: toClosedRows(positions),
    claimable: claims.reduce((total, { value }) => total + BigInt(value.totalPayout), 0n),
    claimableMarkets: new Set(claimable.map(({ market_id }) => market_id)).size,
    activity,
    pendingClaims: pending.pendingClaims.filter(isOwn),
    failedClaims: failed.failedClaims.filter(isOwn),
    namesOf: (marketId: string) => (quick.has(marketId) ? QUICK_NAMES : PLAIN_NAMES),
    questions: new Map(positions.map(({ marketId, marketQuestion }) => [marketId, marketQuestion])),
  };
}
