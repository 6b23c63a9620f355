// The resolution desk: every market that waits for a result, with its possible actions.
import type { Market } from '@presage/sdk';
import { Link } from '../app/router.tsx';
import { money } from '../lib/format.ts';
import { timeLeft } from '../lib/times.ts';
import { ResolutionActions } from '../market/resolution-actions.tsx';
import { usePage } from '../state/page-context.ts';
import { useRemote } from '../state/remote.ts';
import { useWatched } from '../state/store.ts';
import { Icon } from '../ui/icon.tsx';
import { Panel } from '../ui/panel.tsx';
import { Empty, Skeleton } from '../ui/states.tsx';

interface DeskProps {
  readonly markets: readonly Market[];
  readonly isLoading: boolean;
  readonly onDone: () => void;
}

const SHOWN = 20;

export function ResolutionDesk({ markets, isLoading, onDone }: DeskProps) {
  return (
    <Panel id="desk" title="Resolution desk" note={`${markets.length} waiting`} className="o-desk" testId="desk">
      {isLoading && <Skeleton rows={4} rowHeight={40} />}
      {!isLoading && markets.length === 0 && (
        <Empty icon="gavel" text="No market waits for a result. Closed ones are listed here." />
      )}
      <ul className="desk">
        {markets.slice(0, SHOWN).map((market) => (
          <DeskRow key={market.id} market={market} onDone={onDone} />
        ))}
      </ul>
    </Panel>
  );
}

const LOOKS = {
  expired: { badge: 'badge is-warn', icon: 'alert', text: 'Needs a result' },
  proposed: { badge: 'badge is-accent', icon: 'clock', text: 'Proposed' },
  disputed: { badge: 'badge is-bad', icon: 'gavel', text: 'Disputed' },
} as const;

function DeskRow({ market, onDone }: { readonly market: Market; readonly onDone: () => void }) {
  const { reader, clock } = usePage();
  const now = useWatched(clock.seconds);
  const { value: resolution, reload } = useRemote(
    `resolution ${market.id} ${market.status}`,
    (signal) => reader.getResolution(market.id, { signal }),
    { everyMs: 5_000 },
  );
  const renew = () => {
    reload();
    onDone();
  };
  // Other statuses look like an expired one.
  const look = LOOKS[market.status as keyof typeof LOOKS] ?? LOOKS.expired;
  const assertion = resolution?.assertion;
  const side = assertion === undefined ? '' : assertion.proposedOutcome ? 'YES ' : 'NO ';
  return (
    <li>
      <div className="grow">
        <Link className="dq" href={`/m/${market.id}`}>
          {market.question}
        </Link>
        <span className="row wrap">
          <span className={look.badge}>
            <Icon name={look.icon} size={12} />
            {market.status === 'proposed' ? `${side}proposed` : look.text}
          </span>
          <span className="sm t2">
            {assertion === undefined
              ? timeLeft(Number(market.expiration), now)
              : `${assertion.expirationTime > now ? `${timeLeft(assertion.expirationTime, now)} to dispute` : 'nobody disputed it in time'}, bond ${money(BigInt(assertion.bondAmount))}`}
          </span>
        </span>
      </div>
      {resolution && <ResolutionActions market={market} resolution={resolution} nowSeconds={now} onDone={renew} />}
    </li>
  );
}
