// One event on the landing page: its question, and its most likely outcomes with their chances and prices.
import type { EventOutcome } from '@presage/sdk';
import { memo } from 'react';
import { Link } from '../app/router.tsx';
import { compactMoney, percentText, plural } from '../lib/format.ts';
import { byChance, type ListedEvent } from '../lib/listed.ts';
import { eventStatusText } from '../market/market-status.ts';
import { CategoryTile } from '../ui/category-tile.tsx';
import { WatchButton } from '../ui/watch-button.tsx';
import { CardStatus, TimeLeft } from './market-card.tsx';

/** Rows that make the card as tall as a market's card. */
const SHOWN = 3;

export const EventCard = memo(function EventCard({ event }: { readonly event: ListedEvent }) {
  const href = `/e/${event.id}`;
  const isOpen = event.status === 'open';
  const shown = byChance(event.outcomes).slice(0, isOpen ? SHOWN : SHOWN - 1);
  return (
    <article className="card" data-testid="event-card" data-event={event.id} data-state={event.status}>
      <div className="card-top">
        <CategoryTile category={event.category} />
        <h3 className="card-q">
          <Link href={href} data-row="" title={event.question}>
            {event.question}
          </Link>
        </h3>
        <WatchButton marketId={event.id} question={event.question} />
      </div>
      <ul className="card-outcomes" aria-label="Most likely outcomes">
        {shown.map((outcome) => (
          <Row key={outcome.index} outcome={outcome} question={event.question} href={isOpen ? href : undefined} />
        ))}
      </ul>
      {!isOpen && <CardStatus status={event.status} text={eventStatusText(event)} />}
      <div className="card-foot">
        <span>
          {plural(event.outcomes.length, 'outcome')}, {compactMoney(event.volume)} volume
        </span>
        <TimeLeft of={event} />
      </div>
    </article>
  );
});

interface RowProps {
  readonly outcome: EventOutcome;
  readonly question: string;
  /** Undefined if the outcome cannot be bought any more. */
  readonly href: string | undefined;
}

function Row({ outcome: { index, name, chance }, question, href }: RowProps) {
  return (
    <li>
      <span className="grow clip" title={name}>
        {name}
      </span>
      <b data-testid="outcome-chance">{chance === null ? 'New' : `${percentText(chance)}%`}</b>
      {href &&
        (['Yes', 'No'] as const).map((side) => (
          <Link
            key={side}
            className={`btn btn-${side.toLowerCase()}-soft`}
            href={`${href}?outcome=${index}&buy=${side.toLowerCase()}`}
            aria-label={`Buy ${side.toUpperCase()}: ${name}, ${question}`}
          >
            {side.toUpperCase()}
          </Link>
        ))}
      <ChanceBar chance={chance} />
    </li>
  );
}

interface ChanceBarProps extends Pick<EventOutcome, 'chance'> {
  /** Colour token. */
  readonly colour?: string | undefined;
}

/** Decoration: the figure beside it shows the same. */
export function ChanceBar({ chance, colour = '--accent' }: ChanceBarProps) {
  return (
    <span className="chance-bar" aria-hidden="true">
      <span style={{ width: `${Number(chance ?? 0) / 10_000}%`, background: `var(${colour})` }} />
    </span>
  );
}
