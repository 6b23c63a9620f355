// The wallet's history: its trades and payouts, newest first.

import type { UserActivity } from '@presage/sdk';
import { cents, money, shares } from '../lib/format.ts';
import { drawTime } from '../lib/times.ts';
import { usePage } from '../state/page-context.ts';
import { useWatched } from '../state/store.ts';
import { Empty } from './states.tsx';
import { TableHead } from './table-head.tsx';
import { WideTable } from './wide-table.tsx';

interface Line {
  readonly key: string;
  readonly timestamp: number;
  readonly question: string;
  readonly text: string;
  readonly amount: string;
  readonly status: string;
}

function toLines({ activity, settlements }: UserActivity): Line[] {
  const trades = activity.map((trade) => ({
    key: `${trade.id} ${trade.role}`,
    timestamp: trade.timestamp,
    question: trade.marketQuestion,
    text: `${trade.side === 0 ? 'Bought' : 'Sold'} ${shares(trade.size)} ${trade.outcome === 0 ? 'YES' : 'NO'} at ${cents(trade.price)}`,
    amount: money(trade.cost),
    status: trade.status,
  }));
  const payouts = settlements.map((payout) => ({
    key: `${payout.txHash} ${payout.marketId}`,
    timestamp: payout.timestamp,
    question: payout.marketQuestion,
    text: 'Redeemed',
    amount: money(payout.payout),
    status: payout.status,
  }));
  return [...trades, ...payouts].sort((a, b) => b.timestamp - a.timestamp);
}

export function History({ activity }: { readonly activity: UserActivity }) {
  const nowSeconds = useWatched(usePage().clock.seconds);
  const lines = toLines(activity);
  if (lines.length === 0) return <Empty text="Nothing has happened yet. Trades and payouts will be listed here." />;
  return (
    <WideTable label="History table">
      <table className="rows" data-testid="history">
        <caption className="skip">History</caption>
        <TableHead names={['Market', 'What', 'Amount', 'When', 'State']} />
        <tbody>
          {lines.map((line) => (
            <tr key={line.key}>
              <td className="question-cell">{line.question}</td>
              <td>{line.text}</td>
              <td>{line.amount}</td>
              <td>{drawTime(line.timestamp, nowSeconds)}</td>
              <td className="muted">{line.status}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </WideTable>
  );
}
