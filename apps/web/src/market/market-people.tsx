// Who is in a market: its largest holders, and who traded with whom.
import type { Trade } from '@presage/sdk';
import { cents, money, shares, shortHash } from '../lib/format.ts';
import { clockTime } from '../lib/times.ts';
import { Head } from '../portfolio/portfolio-positions.tsx';
import type { MarketFeed } from '../state/market-feed.ts';
import { usePage } from '../state/page-context.ts';
import { useRemote } from '../state/remote.ts';
import { usePart, useWatched } from '../state/store.ts';
import { ExplorerLink } from '../ui/explorer-link.tsx';
import { Empty, Failed, Skeleton } from '../ui/states.tsx';

interface PeopleProps {
  readonly feed: MarketFeed;
  readonly names: { readonly YES: string; readonly NO: string };
}

export function Holders({ feed: { marketId, trades }, names }: PeopleProps) {
  const { reader } = usePage();
  // A trade may have changed them.
  const version = usePart(trades, (list) => list?.[0]?.id ?? 0);
  const holders = useRemote(`holders ${marketId}`, (signal) => reader.getHolders(marketId, { signal }), { version });
  if (holders.state === 'error') {
    return <Failed what="The list of holders" failure={holders.failure} onRetry={holders.reload} />;
  }
  if (holders.value === undefined) return <Skeleton rows={3} rowHeight={40} />;
  const { topHolders, totalHolders } = holders.value;
  if (topHolders.length === 0) return <Empty text="Nobody holds shares of this market yet." />;
  return (
    <table className="table" data-testid="holders">
      <caption className="sr">The largest of {totalHolders} holders</caption>
      <Head names={['Holder', names.YES, names.NO, 'Paid']} words={1} />
      <tbody>
        {topHolders.map(({ userAddress, yesShares, noShares, totalInvested }) => (
          <tr key={userAddress}>
            <td>
              <Wallet address={userAddress} />
            </td>
            <td className="num">{BigInt(yesShares) === 0n ? '–' : shares(yesShares)}</td>
            <td className="num">{BigInt(noShares) === 0n ? '–' : shares(noShares)}</td>
            <td className="num">{money(totalInvested)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function Activity({ feed, names }: PeopleProps) {
  const trades = useWatched(feed.trades);
  if (trades === undefined) return <Skeleton rows={4} rowHeight={40} />;
  if (trades.length === 0) return <Empty text="No trade yet in this market. The first one will appear here." />;
  return (
    <table className="table" data-testid="activity">
      <caption className="sr">Who traded with whom, newest first</caption>
      <Head names={['Who', 'With', 'Shares', 'Price', 'Paid', 'When']} words={2} />
      <tbody>
        {trades.map((trade) => (
          <ActivityLine key={trade.id} trade={trade} name={trade.outcome === 0 ? names.YES : names.NO} />
        ))}
      </tbody>
    </table>
  );
}

function ActivityLine({ trade, name }: { readonly trade: Trade; readonly name: string }) {
  return (
    <tr>
      <td>
        <Wallet address={trade.taker} /> {trade.side === 0 ? 'bought' : 'sold'}{' '}
        <span className={`side ${trade.outcome === 0 ? 'yes' : 'no'}`}>{name}</span>
      </td>
      <td>
        <Wallet address={trade.maker} />
      </td>
      <td className="num">{shares(trade.size)}</td>
      <td className="num">{cents(trade.price)}</td>
      <td className="num">{money(trade.cost)}</td>
      <td className="num t2">
        <ExplorerLink txHash={trade.txHash}>{clockTime(trade.timestamp)}</ExplorerLink>
      </td>
    </tr>
  );
}

function Wallet({ address }: { readonly address: string }) {
  const own = usePart(usePage().account.state, ({ wallet }) => wallet?.address.toLowerCase());
  if (own === address.toLowerCase()) return <b>you</b>;
  return (
    <span className="mono" title={address}>
      {shortHash(address)}
    </span>
  );
}
