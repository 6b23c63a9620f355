// The head of an event: its question, its most likely outcome or its winner, and its key figures.
import type { MarketEvent } from '@presage/sdk';
import { Link } from '../app/router.tsx';
import { compactMoney, percent } from '../lib/format.ts';
import { byChance } from '../lib/listed.ts';
import { voidText } from '../lib/outcomes.ts';
import { Countdown, closeOf, ShareButton } from '../market/market-header.tsx';
import { eventStatusText } from '../market/market-status.ts';
import { useTitle } from '../state/use-title.ts';
import { CategoryTile, categoryText } from '../ui/category-tile.tsx';
import { Icon } from '../ui/icon.tsx';
import { Stat } from '../ui/panel.tsx';
import { WatchButton } from '../ui/watch-button.tsx';

export function EventHead({ event }: { readonly event: MarketEvent }) {
  const [first] = byChance(event.outcomes);
  const isOpen = event.status === 'open';
  const status = eventStatusText(event);
  useTitle(isOpen ? event.question : `${status}: ${event.question}`, event.description || event.question);
  return (
    <section
      className="panel m-head"
      aria-label="Event"
      data-testid="event-header"
      data-state={isOpen ? 'ready' : 'closed'}
    >
      <div className="row between">
        <nav className="crumbs" aria-label="Where you are">
          <Link href="/" className="row">
            <Icon name="back" />
            Markets
          </Link>
          <span aria-hidden="true">/</span>
          <span>{categoryText(event.category)}</span>
        </nav>
        <div className="row">
          <span className={`badge ${isOpen ? 'is-good' : ''}`} data-testid="status">
            {isOpen && <Icon name="check" size={12} />}
            {status}
          </span>
          <WatchButton marketId={event.id} question={event.question} />
          <ShareButton />
        </div>
      </div>
      <div className="m-title">
        <CategoryTile category={event.category} isLarge />
        <h1 data-testid="event-title" title={event.question}>
          {event.question}
        </h1>
      </div>
      <div className="m-hero">
        {event.resolved ? (
          <Verdict event={event} />
        ) : (
          <div className="m-chance">
            <span className="hero-figure" data-testid="event-chance">
              {first?.chance == null ? '–' : percent(first.chance)}
            </span>
            <div>
              <span className="sm t2">{first?.chance == null ? 'no price yet' : 'most likely'}</span>
              <b className="clip">{first?.chance == null ? '' : first.name}</b>
            </div>
          </div>
        )}
        <dl className="stats">
          <Stat name="Volume">{compactMoney(event.totalVolume)}</Stat>
          <Stat name="24 hours">{compactMoney(event.volume24h)}</Stat>
          <Stat name="Outcomes">{event.outcomes.length}</Stat>
          <Stat name="Closes in">
            <Countdown until={closeOf(event)} />
          </Stat>
        </dl>
      </div>
    </section>
  );
}

function Verdict({ event }: { readonly event: MarketEvent }) {
  const isVoid = event.status === 'void';
  return (
    <div className="m-chance" data-testid="verdict">
      <span className="seal" aria-hidden="true">
        <Icon name={isVoid ? 'flat' : 'check'} size={26} />
      </span>
      <div>
        <p className="hero-figure">{eventStatusText(event)}</p>
        <span className="sm t2">
          {isVoid
            ? `${voidText(event.outcomes[0]?.marketId ?? '0x')}.`
            : 'Its YES pays $1.00, and so does the NO of every other outcome.'}
        </span>
      </div>
    </div>
  );
}
