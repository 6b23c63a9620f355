// Note that figures from the chain are old, and how old, while the chain is unreachable.
import { timeAgo, zonedMinute } from '../lib/times.ts';

interface ChainAwayProps {
  /** Name of the figures: `Cash and payouts`. */
  readonly what: string;
  /** Unix seconds, by this computer's clock. */
  readonly since: number | undefined;
}

export function ChainAway({ what, since }: ChainAwayProps) {
  if (since === undefined) return null;
  const ago = timeAgo(since, Math.floor(Date.now() / 1_000));
  return (
    <p className="note is-warn" role="status" data-testid="chain-away">
      The chain cannot be reached. {what} as of {zonedMinute(since)}, {ago}.
    </p>
  );
}
