// The people in a market: its largest holders, and the parties of each trade.
import { cents, money, shares } from '../lib/format.ts';
import { outcomeOf } from '../lib/outcomes.ts';
import { clockTime } from '../lib/times.ts';
import type { MarketFeed } from '../state/market-feed.ts';
import { usePage } from '../state/page-context.ts';
import { useRemote } from '../state/remote.ts';
import { usePart, useWatched } from '../state/store.ts';
import { ExplorerLink } from '../ui/explorer-link.tsx';
import { Empty, Failed, Skeleton } from '../ui/states.tsx';
import { Table } from '../ui/table.tsx';
import { WalletLink } from '../ui/wallet-link.tsx';

export function Holders({ feed: { marketId, trades, names } }: { readonly feed: MarketFeed }) {
  const { reader } = usePage();
  // Read again after each trade, which may change the holders.
  const version = usePart(trades, (list) => list?.[0]?.id ?? 0);
  const holders = useRemote(`holders ${marketId}`, (signal) => reader.getHolders(marketId, { signal }), { version });
  if (holders.state === 'error') return <Failed what="The list of holders" of={holders} />;
  if (holders.value === undefined) return <Skeleton rows={3} rowHeight={40} />;
  const { topHolders, totalHolders } = holders.value;
  if (topHolders.length === 0) return <Empty text="Nobody holds shares of this market yet." />;
  const held = (size: number | bigint) => (BigInt(size) === 0n ? '–' : shares(size));
  return (
    <Table
      testId="holders"
      caption={`The largest of ${totalHolders} holders`}
      rows={topHolders}
      keyOf={({ userAddress }) => userAddress}
      columns={[
        { name: 'Holder', cell: ({ userAddress }) => <WalletLink address={userAddress} /> },
        { name: names.YES, className: 'num', cell: ({ yesShares }) => held(yesShares) },
        { name: names.NO, className: 'num', cell: ({ noShares }) => held(noShares) },
        { name: 'Paid', className: 'num', cell: ({ totalInvested }) => money(totalInvested) },
      ]}
    />
  );
}

export function Activity({ feed: { trades: list, names, chainId } }: { readonly feed: MarketFeed }) {
  const trades = useWatched(list);
  if (trades === undefined) return <Skeleton rows={4} rowHeight={40} />;
  if (trades.length === 0) return <Empty text="No trade yet in this market. The first one will appear here." />;
  return (
    <Table
      testId="activity"
      caption="Who traded with whom, newest first"
      rows={trades}
      keyOf={({ id }) => id}
      columns={[
        {
          name: 'Who',
          cell: ({ taker, side, outcome }) => (
            <>
              <WalletLink address={taker} /> {side === 0 ? 'bought' : 'sold'}{' '}
              <span className={`side ${outcome === 0 ? 'yes' : 'no'}`}>{names[outcomeOf(outcome)]}</span>
            </>
          ),
        },
        { name: 'With', cell: ({ maker }) => <WalletLink address={maker} /> },
        { name: 'Shares', className: 'num', cell: ({ size }) => shares(size) },
        { name: 'Price', className: 'num', cell: ({ price }) => cents(price) },
        { name: 'Paid', className: 'num', cell: ({ cost }) => money(cost) },
        {
          name: 'When',
          className: 'num t2',
          cell: ({ txHash, timestamp }) => (
            <ExplorerLink txHash={txHash} chainId={chainId}>
              {clockTime(timestamp)}
            </ExplorerLink>
          ),
        },
      ]}
    />
  );
}
