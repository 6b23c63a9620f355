// One market on the landing page: its question, its chance, both prices, its volume and the time left.
import type { Market } from '@presage/sdk';
import { memo } from 'react';
import { Link } from '../app/router.tsx';
import { compactMoney, percentText } from '../lib/format.ts';
import { askTexts } from '../lib/listed.ts';
import { OUTCOMES } from '../lib/outcomes.ts';
import { isClosingSoon, timeLeft } from '../lib/times.ts';
import { statusText } from '../market/market-status.ts';
import { usePage } from '../state/page-context.ts';
import { usePart } from '../state/store.ts';
import { CategoryTile } from '../ui/category-tile.tsx';
import { ChangeToday } from '../ui/change-today.tsx';
import { Icon } from '../ui/icon.tsx';
import { WatchButton } from '../ui/watch-button.tsx';
import { Sparkline } from './sparkline.tsx';

const MINUTE = 60;

export const MarketCard = memo(function MarketCard({ market }: { readonly market: Market }) {
  const { chance } = market;
  const href = `/m/${market.id}`;
  return (
    <article className="card" data-testid="market-card" data-market={market.id} data-state={market.status}>
      <div className="card-top">
        <CategoryTile category={market.category} />
        <h3 className="card-q">
          <Link href={href} data-row="" title={market.question}>
            {market.question}
          </Link>
        </h3>
        <WatchButton marketId={market.id} question={market.question} />
      </div>
      <div className="card-mid">
        <div className="card-chance">
          {chance === null ? (
            <b>New</b>
          ) : (
            <b data-testid="card-chance">
              {percentText(chance)}
              <small>%</small>
            </b>
          )}
          <CardNote market={market} />
        </div>
        <Sparkline values={(market.sparkline ?? []).map(Number)} tone={toneOf(market.change24h)} />
      </div>
      <CardAction market={market} href={href} />
      <div className="card-foot">
        <span>{compactMoney(market.volume)} volume</span>
        <TimeLeft of={market} />
      </div>
    </article>
  );
});

function toneOf(change: Market['change24h']): 'yes' | 'no' | 'flat' {
  const points = Math.round(Number(change ?? 0) / 10_000);
  return points === 0 ? 'flat' : points > 0 ? 'yes' : 'no';
}

function CardNote({ market: { status, chance, change24h } }: { readonly market: Market }) {
  if (chance === null) return <span className="t3">no price yet</span>;
  if (status !== 'open') return <span className="t3">last price</span>;
  return change24h === null ? <span className="t3">chance of YES</span> : <ChangeToday change={change24h} />;
}

function CardAction({ market, href }: { readonly market: Market; readonly href: string }) {
  if (market.status !== 'open') return <CardStatus status={market.status} text={statusText(market)} />;
  const { bestBidPrice, bestAskPrice, bestNoAskPrice } = market;
  const prices = askTexts(market);
  return (
    <div className="card-buy">
      {!bestBidPrice && !bestAskPrice && !bestNoAskPrice ? (
        <Link className="btn btn-line" href={href}>
          Place the first order
        </Link>
      ) : (
        OUTCOMES.map((outcome) => (
          <Link
            key={outcome}
            className={`btn btn-${outcome.toLowerCase()}-soft`}
            href={`${href}?buy=${outcome.toLowerCase()}`}
            aria-label={`Buy ${outcome}: ${market.question}`}
          >
            <span>{outcome}</span>
            <span>{prices[outcome]}</span>
          </Link>
        ))
      )}
    </div>
  );
}

interface CardStatusProps extends Pick<Market, 'status'> {
  readonly text: string;
}

export function CardStatus({ status, text }: CardStatusProps) {
  return (
    <p className={status === 'proposed' || status === 'disputed' ? 'card-note is-warn' : 'card-note'}>
      <Icon name={status === 'resolved' ? 'check' : 'gavel'} />
      {text}
    </p>
  );
}

/** Time left, redrawn once a minute rather than every second. */
export function TimeLeft({ of: { status, expiration } }: { readonly of: Pick<Market, 'status' | 'expiration'> }) {
  const now = usePart(usePage().clock.seconds, (seconds) => seconds - (seconds % MINUTE));
  const until = Number(expiration);
  return (
    <span className={isClosingSoon(until, now) ? 'warn' : ''}>
      <Icon name="clock" />
      {status !== 'open' && until > now ? 'closed early' : timeLeft(until, now)}
    </span>
  );
}
