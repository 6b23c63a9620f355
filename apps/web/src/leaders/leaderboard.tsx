// The leaderboard: wallets by volume or profit, for a day, a week and all time.
import type { Leaderboard } from '@presage/sdk';
import { useState } from 'react';
import { money, plural } from '../lib/format.ts';
import { drawTime } from '../lib/times.ts';
import { usePage } from '../state/page-context.ts';
import { useRemote } from '../state/remote.ts';
import { useWatched } from '../state/store.ts';
import { useTitle } from '../state/use-title.ts';
import { Segments } from '../ui/controls.tsx';
import { Panel } from '../ui/panel.tsx';
import { Gain } from '../ui/profit.tsx';
import { Empty, Failed, Skeleton } from '../ui/states.tsx';
import { type Column, Table } from '../ui/table.tsx';
import { WalletLink } from '../ui/wallet-link.tsx';

export { WalletScreen } from './wallet-page.tsx';

type Leader = Leaderboard['leaders'][number];

const BEAT_MS = 15_000;
const PERIODS = [
  { value: 'day', text: 'Day' },
  { value: 'week', text: 'Week' },
  { value: 'all', text: 'All' },
] as const;
const SORTS = [
  { value: 'volume', text: 'Volume' },
  { value: 'profit', text: 'Profit' },
] as const;

const COLUMNS: readonly Column<Leader>[] = [
  { name: 'Rank', cell: ({ rank }) => rank },
  { name: 'Wallet', cell: ({ userAddress }) => <WalletLink address={userAddress} /> },
  { name: 'Volume', className: 'num', testId: 'volume', cell: ({ volume }) => money(volume) },
  { name: 'Trades', className: 'num', testId: 'trades', cell: ({ tradeCount }) => tradeCount },
  { name: 'Profit of all time', className: 'num', testId: 'profit', cell: ({ pnl }) => <Gain amount={BigInt(pnl)} /> },
];

export function LeaderboardScreen() {
  useTitle('Leaderboard');
  const { reader, clock } = usePage();
  const now = useWatched(clock.seconds);
  const [period, setPeriod] = useState<Leaderboard['period']>('all');
  const [sort, setSort] = useState<Leaderboard['sort']>('volume');
  const read = (signal: AbortSignal) => reader.getLeaderboard({ period, sort }, { signal });
  const board = useRemote(`leaders ${period} ${sort}`, read, { everyMs: BEAT_MS });
  const since = board.value?.since;
  return (
    <main id="main" tabIndex={-1} className="page portfolio" data-screen="leaderboard" data-state={board.state}>
      <h1 className="sr">Leaderboard</h1>
      <Panel
        id="leaders"
        title="Leaderboard"
        note={since ? `since ${drawTime(since, now)}` : 'of all time'}
        className="list"
      >
        <div className="row wrap-row pad">
          <Segments<Leaderboard['period']> legend="Period" options={PERIODS} value={period} onPick={setPeriod} />
          <Segments<Leaderboard['sort']> legend="Sort by" options={SORTS} value={sort} onPick={setSort} />
        </div>
        {board.state === 'error' && <Failed what="The leaderboard" of={board} />}
        {board.state === 'loading' && <Skeleton rows={10} rowHeight={44} />}
        {board.value && <Leaders leaders={board.value.leaders} />}
      </Panel>
    </main>
  );
}

function Leaders({ leaders }: { readonly leaders: readonly Leader[] }) {
  if (leaders.length === 0) return <Empty text="Nobody has traded in this time yet." icon="trophy" />;
  return (
    <Table
      testId="leaders"
      caption="Leaderboard"
      rows={leaders}
      keyOf={({ userAddress }) => userAddress}
      attributes={({ userAddress }) => ({ 'data-wallet': userAddress })}
      columns={COLUMNS}
      card={({ rank, userAddress, volume, tradeCount, pnl }) => (
        <>
          <div className="row between">
            <span>
              {rank}. <WalletLink address={userAddress} />
            </span>
            <b data-testid="volume">{money(volume)}</b>
          </div>
          <div className="row between sm">
            <span className="t2">{plural(tradeCount, 'trade')}</span>
            <span data-testid="profit">
              <Gain amount={BigInt(pnl)} />
            </span>
          </div>
        </>
      )}
    />
  );
}
