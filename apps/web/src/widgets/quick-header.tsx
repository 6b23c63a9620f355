// The header of a quick market: the price to beat, the price now, the time left, the last results, and how fresh the feed is.
import type { QuickMarket } from '@presage/sdk';
import { assetPrice, signedDifference } from '../lib/format.ts';
import { countdown, utcMinute } from '../lib/times.ts';
import type { MarketFeed } from '../state/market-feed.ts';
import { usePage } from '../state/page-context.ts';
import type { PriceState, QuickFeed } from '../state/quick-feed.ts';
import { useWatched } from '../state/store.ts';
import { Chance, Countdown, Figure } from './market-header.tsx';

const [AMBER_SECONDS, RED_SECONDS] = [5, 15];
const WINDOW_SECONDS = 900;

interface HeaderProps {
  readonly quick: QuickFeed;
  readonly window: QuickMarket | null;
  readonly feed: MarketFeed | undefined;
}

export function QuickHeader({ quick, window, feed }: HeaderProps) {
  const prices = useWatched(quick.prices);
  return (
    <div className="pad" data-testid="quick-header" data-state={window === null ? 'closed' : 'ready'}>
      <h1 data-testid="market-title">{window === null ? `${quick.asset} up or down, 15 minutes` : titleOf(window)}</h1>
      <div className="stats">
        {window !== null && (
          <Figure name="Price to beat">
            <span data-testid="strike">{assetPrice(window.startPrice, window.priceDecimals)}</span>
          </Figure>
        )}
        <Figure name="Now">
          <Spot prices={prices} window={window} />
        </Figure>
        <Figure name={window === null ? 'Next window in' : 'Time left'}>
          {window === null ? <NextWindow /> : <Countdown until={window.endTime} />}
        </Figure>
        {feed && (
          <Figure name="Chance">
            <Chance feed={feed} />
          </Figure>
        )}
      </div>
      <div className="split quick-foot">
        <Results quick={quick} />
        <FeedAge prices={prices} />
      </div>
    </div>
  );
}

function titleOf({ asset, startPrice, priceDecimals, endTime }: QuickMarket): string {
  return `Will ${asset} be at or above ${assetPrice(startPrice, priceDecimals)} at ${utcMinute(endTime)}?`;
}

function Spot({ prices: { latest }, window }: { readonly prices: PriceState; readonly window: QuickMarket | null }) {
  if (latest === undefined) return <span data-testid="spot">–</span>;
  const { price, priceDecimals } = latest;
  const now = assetPrice(price, priceDecimals);
  if (window === null) return <span data-testid="spot">{now}</span>;
  const isUp = BigInt(price) >= BigInt(window.startPrice);
  return (
    <span data-testid="spot" className={isUp ? 'yes' : 'no'}>
      <span aria-hidden="true">{isUp ? '▲' : '▼'}</span> {now}{' '}
      <small>{signedDifference(price, window.startPrice, priceDecimals)}</small>
    </span>
  );
}

function NextWindow() {
  const nowSeconds = useWatched(usePage().clock.seconds);
  return <span data-testid="next-window">{countdown(WINDOW_SECONDS - (nowSeconds % WINDOW_SECONDS))}</span>;
}

function Results({ quick }: { readonly quick: QuickFeed }) {
  const { results } = useWatched(quick.state);
  return (
    <ol className="results" aria-label="Last results, newest first" data-testid="results">
      {results.map(({ id, outcome, endTime }) => (
        <li key={id} className={outcome === 0 ? 'yes' : outcome === 1 ? 'no' : 'muted'} title={utcMinute(endTime)}>
          {outcome === 0 ? '▲ up' : outcome === 1 ? '▼ down' : 'void'}
        </li>
      ))}
      {results.length === 0 && <li className="muted">No window has been decided yet</li>}
    </ol>
  );
}

function FeedAge({ prices: { latest } }: { readonly prices: PriceState }) {
  const { clock } = usePage();
  useWatched(clock.seconds);
  if (latest === undefined) return <span className="muted">Waiting for a price</span>;
  const age = Math.max(0, Math.round((clock.nowMs() - latest.timestamp) / 1_000));
  const state = age > RED_SECONDS ? 'dead' : age > AMBER_SECONDS ? 'old' : 'fresh';
  const tone = { fresh: 'muted', old: 'warn', dead: 'no' }[state];
  return (
    <span className={tone} data-testid="feed-age" data-state={state}>
      {latest.source}
      {latest.simulated ? ' (simulated)' : ''}, {age} s ago
      {state === 'fresh' ? '' : state === 'old' ? ': slow' : ': stalled'}
    </span>
  );
}
