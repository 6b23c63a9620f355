// The newest trades of a market, each with its settlement stage.
import type { Trade } from '@presage/sdk';
import { memo } from 'react';
import { cents, shares } from '../lib/format.ts';
import { outcomeOf } from '../lib/outcomes.ts';
import { clockTime } from '../lib/times.ts';
import type { MarketFeed } from '../state/market-feed.ts';
import { useWatched } from '../state/store.ts';
import { ExplorerLink } from '../ui/explorer-link.tsx';
import { Icon } from '../ui/icon.tsx';
import { Empty, Skeleton } from '../ui/states.tsx';

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
  if (trades === undefined) return <Skeleton rows={rows} rowHeight={27} />;
  if (trades.length === 0) return <Empty text="No trade yet in this market. The first one will appear here." />;
  return (
    <table className="tape" data-testid="tape">
      <caption className="sr">Latest trades</caption>
      <thead>
        <tr>
          <th scope="col">Price</th>
          <th scope="col">Shares</th>
          <th scope="col">Time</th>
        </tr>
      </thead>
      <tbody>
        {trades.slice(0, rows).map((trade) => (
          <TapeLine key={trade.id} trade={trade} name={feed.names[outcomeOf(trade.outcome)]} chainId={feed.chainId} />
        ))}
      </tbody>
    </table>
  );
}

interface TapeLineProps {
  readonly trade: Trade;
  readonly name: string;
  readonly chainId: number | undefined;
}

const TapeLine = memo(function TapeLine({ trade, name, chainId }: TapeLineProps) {
  const isBuy = trade.side === 0;
  const stage = STAGES[trade.stage];
  return (
    <tr className="flash">
      <td>
        <span className={`side ${trade.outcome === 0 ? 'yes' : 'no'}`}>
          <span className="t3">
            <Icon name={isBuy ? 'up' : 'down'} size={10} />
            <span className="sr">{isBuy ? 'bought' : 'sold'}</span>
          </span>
          {name} {cents(trade.price)}
        </span>
      </td>
      <td>{shares(trade.size)}</td>
      <td>
        <span className="tick" data-stage={trade.stage} title={trade.txHash}>
          <ExplorerLink txHash={trade.txHash} chainId={chainId}>
            {clockTime(trade.timestamp)}
          </ExplorerLink>
          {trade.stage === 'confirmed' ? <Icon name="check" size={12} /> : <span className="spin tiny" />}
          <span className="sr">{stage}</span>
        </span>
      </td>
    </tr>
  );
});
