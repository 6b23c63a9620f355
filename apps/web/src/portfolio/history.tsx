// The wallet's history: its trades and payouts, newest first, and all of them as files.
import { cents, shares, signedMoney } from '../lib/format.ts';
import { type OutcomeNames, outcomeOf } from '../lib/outcomes.ts';
import { drawTime } from '../lib/times.ts';
import { usePage } from '../state/page-context.ts';
import { useWatched } from '../state/store.ts';
import { ExplorerLink } from '../ui/explorer-link.tsx';
import { Empty } from '../ui/states.tsx';
import { Table } from '../ui/table.tsx';
import type { WalletActivity } from './read-activity.ts';

const WORDS: Readonly<Record<string, string>> = { pending: 'settling', confirmed: 'settled', failed: 'failed' };

type Line = ReturnType<typeof toLines>[number];

/** Lines of the history. Amounts have the stablecoin's 6 decimals and are negative for payments. */
function toLines(activity: WalletActivity, namesOf: HistoryProps['namesOf']) {
  const trades = activity.trades.map(({ id, role, side, size, outcome, price, cost, makerRebate = 0, ...trade }) => {
    const fee = role === 'taker' ? trade.fee : -makerRebate;
    return {
      ...trade,
      key: `${id} ${role}`,
      question: trade.marketQuestion,
      text: `${side === 0 ? 'Bought' : 'Sold'} ${shares(size)} ${namesOf(trade.marketId)[outcomeOf(outcome)]} at ${cents(price)}`,
      amount: (side === 0 ? -BigInt(cost) : BigInt(cost)) - BigInt(fee),
    };
  });
  const payouts = activity.payouts.map((payout) => ({
    ...payout,
    key: `${payout.txHash} ${payout.marketId}`,
    question: payout.marketQuestion,
    text: 'Redeemed',
    amount: BigInt(payout.payout),
  }));
  return [...trades, ...payouts].sort((a, b) => b.timestamp - a.timestamp);
}

interface HistoryProps {
  /** Address of the wallet that is shown. */
  readonly address: string;
  readonly activity: WalletActivity;
  readonly namesOf: (marketId: string) => OutcomeNames;
}

export function History({ address, activity, namesOf }: HistoryProps) {
  const { clock } = usePage();
  const now = useWatched(clock.seconds);
  const lines = toLines(activity, namesOf);
  if (lines.length === 0) {
    return <Empty text="No history yet. Trades and payouts will be listed here." icon="clock" />;
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
      <p className="pad row">
        {Object.entries({ fills: 'fills', claims: 'redemptions' }).map(([dataset, name]) => (
          <a className="btn btn-line" key={dataset} href={`/api/v1/users/${address}/export?kind=${dataset}`} download>
            Save {name}
          </a>
        ))}
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

function State({ txHash, chainId, status }: Line) {
  return (
    <ExplorerLink txHash={txHash} chainId={chainId}>
      {WORDS[status] ?? status}
    </ExplorerLink>
  );
}
