// The wallet's history: its trades and payouts, newest first, and the same as a file.
import type { UserActivity } from '@presage/sdk';
import { cents, money, shares } from '../lib/format.ts';
import { drawTime } from '../lib/times.ts';
import { usePage } from '../state/page-context.ts';
import { PHONE, useMedia } from '../state/preferences.ts';
import { useWatched } from '../state/store.ts';
import { ExplorerLink } from '../ui/explorer-link.tsx';
import { Empty } from '../ui/states.tsx';
import { download, toCsv } from './csv.ts';
import { Head } from './portfolio-positions.tsx';

interface Line {
  readonly key: string;
  readonly timestamp: number;
  readonly question: string;
  readonly text: string;
  /** Stablecoin with 6 decimals: below 0 when it was paid. */
  readonly amount: bigint;
  readonly status: string;
  readonly txHash: string;
}

const WORDS: Readonly<Record<string, string>> = { pending: 'settling', confirmed: 'settled', failed: 'failed' };

function toLines({ activity, settlements }: UserActivity): Line[] {
  const trades = activity.map((trade) => ({
    key: `${trade.id} ${trade.role}`,
    timestamp: trade.timestamp,
    question: trade.marketQuestion,
    text: `${trade.side === 0 ? 'Bought' : 'Sold'} ${shares(trade.size)} ${trade.outcome === 0 ? 'YES' : 'NO'} at ${cents(trade.price)}`,
    amount: trade.side === 0 ? -BigInt(trade.cost) : BigInt(trade.cost),
    status: trade.status,
    txHash: trade.txHash,
  }));
  const payouts = settlements.map((payout) => ({
    key: `${payout.txHash} ${payout.marketId}`,
    timestamp: payout.timestamp,
    question: payout.marketQuestion,
    text: 'Redeemed',
    amount: BigInt(payout.payout),
    status: payout.status,
    txHash: payout.txHash,
  }));
  return [...trades, ...payouts].sort((a, b) => b.timestamp - a.timestamp);
}

function save(lines: readonly Line[]): void {
  const rows = lines.map((line) => {
    const time = new Date(line.timestamp * 1_000).toISOString();
    return [time, line.question, line.text, Number(line.amount) / 1e6, line.status, line.txHash];
  });
  download('presage-history.csv', toCsv([['time', 'market', 'what', 'amount', 'state', 'transaction'], ...rows]));
}

export function History({ activity }: { readonly activity: UserActivity }) {
  const isPhone = useMedia(PHONE);
  const lines = toLines(activity);
  if (lines.length === 0) {
    return <Empty text="Nothing has happened yet. Trades and payouts will be listed here." icon="clock" />;
  }
  return (
    <>
      {isPhone ? <Cards lines={lines} /> : <Table lines={lines} />}
      <p className="pad">
        <button type="button" className="btn btn-line" data-testid="csv" onClick={() => save(lines)}>
          Save as CSV
        </button>
      </p>
    </>
  );
}

function Table({ lines }: { readonly lines: readonly Line[] }) {
  const now = useWatched(usePage().clock.seconds);
  return (
    <table className="table" data-testid="history">
      <caption className="sr">History</caption>
      <Head names={['Market', 'What', 'Money', 'When', 'State']} words={2} />
      <tbody>
        {lines.map((line) => (
          <tr key={line.key}>
            <td className="wrap">
              <span className="clip">{line.question}</span>
            </td>
            <td>{line.text}</td>
            <td className="num">{signed(line.amount)}</td>
            <td className="num t2">{drawTime(line.timestamp, now)}</td>
            <td className="num t2">
              <ExplorerLink txHash={line.txHash}>{WORDS[line.status] ?? line.status}</ExplorerLink>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Cards({ lines }: { readonly lines: readonly Line[] }) {
  const now = useWatched(usePage().clock.seconds);
  return (
    <div className="pcards" data-testid="history">
      {lines.map((line) => (
        <article key={line.key} className="pcard">
          <span className="clip">{line.question}</span>
          <div className="row between">
            <span>{line.text}</span>
            <span className="num">{signed(line.amount)}</span>
          </div>
          <p className="sm t2">
            {drawTime(line.timestamp, now)},{' '}
            <ExplorerLink txHash={line.txHash}>{WORDS[line.status] ?? line.status}</ExplorerLink>
          </p>
        </article>
      ))}
    </div>
  );
}

/** Money that went or came is no gain or loss, so it has no colour. */
function signed(amount: bigint): string {
  return amount > 0n ? `+${money(amount)}` : money(amount);
}
