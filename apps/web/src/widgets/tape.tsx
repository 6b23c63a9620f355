// The newest trades of a market, each with its settlement stage.
import type { Trade } from '@presage/sdk';
import { memo } from 'react';
import { cents, shares } from '../lib/format.ts';
import { clockTime } from '../lib/times.ts';
import type { MarketFeed } from '../state/market-feed.ts';
import { useWatched } from '../state/store.ts';
import { Empty, Skeleton } from './states.tsx';

const STAGES: Readonly<Record<Trade['stage'], string>> = {
  matched: 'matched',
  submitted: 'settling',
  mined: 'settling',
  confirmed: 'settled',
  retrying: 'retrying',
  failed: 'failed',
};

export function Tape({ feed, rows = 12 }: { readonly feed: MarketFeed; readonly rows?: number }) {
  const trades = useWatched(feed.trades);
  if (trades === undefined) return <Skeleton rows={rows} rowHeight={28} />;
  if (trades.length === 0) return <Empty text="No trade yet in this market. The first one will appear here." />;
  return (
    <table className="rows" data-testid="tape">
      <caption className="skip">Latest trades</caption>
      <thead>
        <tr>
          <th scope="col">Price</th>
          <th scope="col">Shares</th>
          <th scope="col">Time</th>
          <th scope="col">On chain</th>
        </tr>
      </thead>
      <tbody>
        {trades.slice(0, rows).map((trade) => (
          <TapeLine key={trade.id} trade={trade} />
        ))}
      </tbody>
    </table>
  );
}

const TapeLine = memo(function TapeLine({ trade }: { readonly trade: Trade }) {
  const isBuy = trade.side === 0;
  return (
    <tr className="flash">
      <td className={isBuy ? 'yes' : 'no'}>
        <span aria-hidden="true">{isBuy ? '▲' : '▼'}</span>
        <span className="skip">{isBuy ? 'buy' : 'sell'}</span> {cents(trade.price)} {trade.outcome === 0 ? 'YES' : 'NO'}
      </td>
      <td>{shares(trade.size)}</td>
      <td>{clockTime(trade.timestamp)}</td>
      <td className="muted" data-stage={trade.stage} title={trade.txHash}>
        {STAGES[trade.stage]}
      </td>
    </tr>
  );
});
