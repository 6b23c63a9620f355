// The wallet's history: its trades and payouts, newest first, and the same as a file.
import type { UserActivity } from '@presage/sdk';
import { saveCsv } from '../lib/csv.ts';
import { cents, shares, signedMoney } from '../lib/format.ts';
import { type OutcomeNames, outcomeOf } from '../lib/outcomes.ts';
import { drawTime } from '../lib/times.ts';
import { usePage } from '../state/page-context.ts';
import { useWatched } from '../state/store.ts';
import { Button } from '../ui/controls.tsx';
import { ExplorerLink } from '../ui/explorer-link.tsx';
import { Empty } from '../ui/states.tsx';
import { Table } from '../ui/table.tsx';

const WORDS: Readonly<Record<string, string>> = { pending: 'settling', confirmed: 'settled', failed: 'failed' };

type Line = ReturnType<typeof toLines>[number];

/** Amounts are stablecoin with 6 decimals: below 0 when it was paid. */
function toLines({ activity, settlements }: UserActivity, namesOf: HistoryProps['namesOf']) {
  const trades = activity.map(({ id, role, side, size, outcome, price, cost, makerRebate = 0, ...trade }) => ({
    ...trade,
    key: `${id} ${role}`,
    question: trade.marketQuestion,
    text: `${side === 0 ? 'Bought' : 'Sold'} ${shares(size)} ${namesOf(trade.marketId)[outcomeOf(outcome)]} at ${cents(price)}`,
    amount: (side === 0 ? -BigInt(cost) : BigInt(cost)) + BigInt(role === 'taker' ? -trade.fee : makerRebate),
    fee: role === 'taker' ? trade.fee : -makerRebate,
  }));
  const payouts = settlements.map((payout) => ({
    ...payout,
    key: `${payout.txHash} ${payout.marketId}`,
    question: payout.marketQuestion,
    text: 'Redeemed',
    amount: BigInt(payout.payout),
    fee: 0,
  }));
  return [...trades, ...payouts].sort((a, b) => b.timestamp - a.timestamp);
}

function save(lines: readonly Line[]): void {
  const rows = lines.map((line) => {
    const time = new Date(line.timestamp * 1_000).toISOString();
    return [time, line.question, line.text, Number(line.amount) / 1e6, line.fee / 1e6, line.status, line.txHash];
  });
  saveCsv('presage-history.csv', [['time', 'market', 'what', 'amount', 'fee', 'state', 'transaction'], ...rows]);
}

interface HistoryProps {
  readonly activity: UserActivity;
  readonly namesOf: (marketId: string) => OutcomeNames;
}

export function History({ activity, namesOf }: HistoryProps) {
  const now = useWatched(usePage().clock.seconds);
  const lines = toLines(activity, namesOf);
  if (lines.length === 0) {
    return <Empty text="Nothing has happened yet. Trades and payouts will be listed here." icon="clock" />;
  }
  return (
    <>
      <Table
        testId="history"
        caption="History"
        rows={lines}
        keyOf={({ key }) => key}
        columns={[
          { name: 'Market', className: 'wrap', cell: Question },
          { name: 'What', cell: ({ text }) => text },
          { name: 'Money', className: 'num', cell: ({ amount }) => signedMoney(amount) },
          { name: 'When', className: 'num t2', cell: ({ timestamp }) => drawTime(timestamp, now) },
          { name: 'State', className: 'num t2', cell: State },
        ]}
        card={(line) => (
          <>
            <Question {...line} />
            <div className="row between">
              <span>{line.text}</span>
              <span className="num">{signedMoney(line.amount)}</span>
            </div>
            <p className="sm t2">
              {drawTime(line.timestamp, now)}, <State {...line} />
            </p>
          </>
        )}
      />
      <p className="pad">
        <Button look="line" testId="csv" onClick={() => save(lines)}>
          Save as CSV
        </Button>
      </p>
    </>
  );
}

function Question({ question }: Line) {
  return (
    <span className="clip" title={question}>
      {question}
    </span>
  );
}

function State({ txHash, status }: Line) {
  return <ExplorerLink txHash={txHash}>{WORDS[status] ?? status}</ExplorerLink>;
}
