// Warns on a market's screen of a trading halt, and of an unreachable chain, database or price feed.
import type { ServiceStatus } from '@presage/sdk';
import { usePage } from '../state/page-context.ts';
import { useRemote } from '../state/remote.ts';
import { Icon } from '../ui/icon.tsx';

const BEAT_MS = 5_000;

/** One sentence about what is wrong and what still works; undefined if all is well. */
function noticeOf(status: ServiceStatus, asset?: string): string | undefined {
  const { chain, database } = status.dependencies;
  if (status.trading.halted) {
    const because = status.trading.reason ? ` (${status.trading.reason})` : '';
    return `The operator has halted trading${because}. Orders can be cancelled; trades settle.`;
  }
  if (chain?.up === false) {
    const { waiting } = status.settlementQueue;
    const settle = waiting === 0 ? 'Trades settle' : `${waiting} ${waiting === 1 ? 'trade settles' : 'trades settle'}`;
    return `The chain cannot be reached. Orders still match. ${settle} when it is back; balances may be old.`;
  }
  if (database?.up === false)
    return 'The database cannot be reached. Orders still match; lists and history do not load.';
  const feed = status.feeds.find((each) => 'asset' in each && each.asset === asset);
  if (feed !== undefined && 'fresh' in feed && feed.fresh === false) {
    return `The ${asset} price feed does not answer. New orders are refused until it does; a window without a price at its end is void, and every share pays 50¢.`;
  }
  return undefined;
}

export function HealthNotice({ asset }: { readonly asset?: string }) {
  const { reader } = usePage();
  const { value } = useRemote('health', (signal) => reader.getStatus({ signal }), { everyMs: BEAT_MS });
  const text = value && noticeOf(value, asset);
  if (text === undefined) return null;
  return (
    <p className="note is-warn health-note" role="status" data-testid="health-notice">
      <Icon name="alert" />
      <span>{text}</span>
    </p>
  );
}
