// The header of a market: its question, status, probability, spread, volume and the time left.

import { topOf } from '../lib/book-view.ts';
import { cents, compactMoney, percent } from '../lib/format.ts';
import { countdown, spokenDuration } from '../lib/times.ts';
import type { MarketFeed } from '../state/market-feed.ts';
import { usePage } from '../state/page-context.ts';
import { usePart, useWatched } from '../state/store.ts';
import { statusText, statusTone } from './market-status.ts';
import { Mark, Skeleton } from './states.tsx';

export function MarketHeader({ feed }: { readonly feed: MarketFeed }) {
  const { market } = useWatched(feed.facts);
  if (market === undefined) return <Skeleton rows={4} />;
  return (
    <div className="pad" data-state={market.status === 'open' ? 'ready' : 'closed'} data-testid="market-header">
      <h1 data-testid="market-title">{market.question}</h1>
      <div className="stats">
        <Figure name="Chance">
          <Chance feed={feed} />
        </Figure>
        <Figure name="Spread">
          <Spread feed={feed} />
        </Figure>
        <Figure name="24 h volume">{compactMoney(market.volume24h)}</Figure>
        <Figure name="Closes in">
          <Countdown until={Number(market.expiration)} />
        </Figure>
        <Figure name="Status">
          <Mark tone={statusTone(market)}>{statusText(market)}</Mark>
        </Figure>
      </div>
    </div>
  );
}

export function Figure({ name, children }: { readonly name: string; readonly children: React.ReactNode }) {
  return (
    <div>
      <div className="muted">{name}</div>
      <div className="big">{children}</div>
    </div>
  );
}

/** The probability is shown plainly only where the book has enough money behind it. */
export function Chance({ feed }: { readonly feed: MarketFeed }) {
  const { YES } = useWatched(feed.books);
  const { mid, isThin } = topOf(YES);
  if (YES === undefined) return <span data-testid="chance">–</span>;
  if (isThin || mid === undefined) {
    return (
      <span data-testid="chance" className="thin warn">
        thin market
      </span>
    );
  }
  return <span data-testid="chance">{percent(mid)}</span>;
}

function Spread({ feed }: { readonly feed: MarketFeed }) {
  const spread = usePart(feed.books, ({ YES }) => topOf(YES).spread);
  return <>{spread === undefined ? '–' : cents(spread)}</>;
}

export function Countdown({ until }: { readonly until: number }) {
  const left = until - useWatched(usePage().clock.seconds);
  return (
    <span data-testid="countdown" role="timer" aria-label={`${spokenDuration(left)} left`}>
      {left <= 0 ? 'closed' : countdown(left)}
    </span>
  );
}
