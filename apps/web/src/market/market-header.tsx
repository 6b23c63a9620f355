// The head of a market: its status, question, chance and key figures.
import type { Market } from '@presage/sdk';
import { useState } from 'react';
import { Link } from '../app/router.tsx';
import { topOf } from '../lib/book-view.ts';
import { cents, compactMoney, percent } from '../lib/format.ts';
import { countdown, spokenDuration } from '../lib/times.ts';
import { copyText } from '../state/copy-text.ts';
import type { MarketFeed } from '../state/market-feed.ts';
import { usePage } from '../state/page-context.ts';
import { usePart, useWatched } from '../state/store.ts';
import { useChance } from '../state/use-chance.ts';
import { useTitle } from '../state/use-title.ts';
import { CategoryTile, categoryText } from '../ui/category-tile.tsx';
import { ChangeToday } from '../ui/change-today.tsx';
import { Button } from '../ui/controls.tsx';
import { Icon } from '../ui/icon.tsx';
import { Fact, Stat } from '../ui/panel.tsx';
import { Skeleton } from '../ui/states.tsx';
import { WatchButton } from '../ui/watch-button.tsx';
import { statusBadge, statusText } from './market-status.ts';

/** Length above which a question is cut to three lines and can be expanded. */
const LONG_QUESTION = 130;

export function MarketHeader({ feed }: { readonly feed: MarketFeed }) {
  const { market } = useWatched(feed.facts);
  const chance = useChance(feed);
  useTitle(
    market === undefined ? '' : `${chance === undefined ? 'New' : percent(chance)} ${market.question}`,
    market?.description || market?.question,
  );
  if (market === undefined) {
    return (
      <section className="panel m-head m-head-bones" aria-label="Market">
        <Skeleton rows={5} />
      </section>
    );
  }
  const state = market.status === 'open' ? 'ready' : 'closed';
  return (
    <section className="panel m-head" aria-label="Market" data-state={state} data-testid="market-header">
      <div className="row between">
        <nav className="crumbs" aria-label="Where you are">
          <Link href="/" className="row">
            <Icon name="back" />
            Markets
          </Link>
          <span aria-hidden="true">/</span>
          <Within market={market} />
        </nav>
        <div className="row">
          <span className={`badge ${statusBadge(market)}`} data-testid="status">
            {market.status === 'open' && <Icon name="check" size={12} />}
            {statusText(market)}
          </span>
          <WatchButton marketId={market.id} question={market.question} />
          <ShareButton />
        </div>
      </div>
      <Question market={market} />
      <div className="m-hero">
        <Chance feed={feed} />
        <Figures feed={feed} market={market} />
      </div>
    </section>
  );
}

/** Link to the market's event, or its category. */
export function Within({ market: { event, category } }: { readonly market: Market }) {
  if (event === undefined) return <span>{categoryText(category)}</span>;
  return (
    <Link href={`/e/${event.id}?outcome=${event.index}`} data-testid="to-event">
      All outcomes
    </Link>
  );
}

export function ShareButton() {
  const { toasts } = usePage();
  const share = () => copyText(toasts, { what: 'Link', text: location.origin + location.pathname });
  return (
    <Button className="icon-btn" aria-label="Copy the link" onClick={() => void share()}>
      <Icon name="link" />
    </Button>
  );
}

function Question({ market: { question, category } }: { readonly market: Market }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <div className="m-title">
        <CategoryTile category={category} isLarge />
        <h1 data-testid="market-title" data-open={isOpen || undefined} title={question}>
          {question}
        </h1>
      </div>
      {question.length > LONG_QUESTION && (
        <Button className="link sm" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          {isOpen ? 'Show less' : 'Show all'}
        </Button>
      )}
    </>
  );
}

function Figures({ feed, market }: { readonly feed: MarketFeed; readonly market: Market }) {
  const spread = usePart(feed.books, ({ YES }) => topOf(YES).spread);
  return (
    <dl className="stats">
      <Stat name="Volume">{compactMoney(market.volume)}</Stat>
      <Stat name="24 hours">{compactMoney(market.volume24h)}</Stat>
      <Fact name="Spread" className="stat wide-only">
        {spread === undefined ? '–' : cents(spread)}
      </Fact>
      <Stat name="Closes in">
        <Countdown until={closeOf(market)} />
      </Stat>
    </dl>
  );
}

/** The main figure of the screen; in a thin market it is dimmed and marked as thin. */
export function Chance({ feed, of = 'YES' }: { readonly feed: MarketFeed; readonly of?: string }) {
  const chance = useChance(feed);
  const isThin = usePart(feed.books, ({ YES }) => YES !== undefined && topOf(YES).isThin);
  const market = usePart(feed.facts, (facts) => facts.market);
  const isStale = usePart(usePage().connection.state, ({ state }) => state === 'stale');
  return (
    <div className="m-chance" data-state={isStale ? 'stale' : 'live'}>
      <span className={`hero-figure ${isThin ? 't2' : ''}`} data-testid="chance">
        {chance === undefined ? '–' : percent(chance)}
      </span>
      <div>
        <span className="sm t2 chance-of">
          {chance === undefined ? 'no price yet' : `chance of ${of}`}
          {isThin && (
            <span className="badge is-warn" data-testid="thin">
              thin market
            </span>
          )}
        </span>
        {market?.kind === 'standard' && <ChangeToday change={liveChange(market, chance)} />}
      </div>
    </div>
  );
}

/** Change since yesterday up to the live chance, because the service's own change ends at its older chance. */
function liveChange({ chance, change24h }: Market, live: number | undefined): number | null {
  if (chance === null || change24h === null || live === undefined) return null;
  return live - (Number(chance) - Number(change24h));
}

/** Closing time for the countdown; 0 for a market that is not open, even if it stopped before its end. */
export function closeOf({ status, expiration }: Pick<Market, 'status' | 'expiration'>): number {
  return status === 'open' ? Number(expiration) : 0;
}

export function Countdown({ until }: { readonly until: number }) {
  const left = until - useWatched(usePage().clock.seconds);
  return (
    <span data-testid="countdown" role="timer" aria-label={`${spokenDuration(left)} left`}>
      {left <= 0 ? 'closed' : countdown(left)}
    </span>
  );
}
