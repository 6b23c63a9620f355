// The head of a quick market: asset, ring with the time left, chance of Up, the price to beat, the price now, and how fresh it is.
import type { PriceTick, QuickMarket } from '@presage/sdk';
import { Link } from '../app/router.tsx';
import { assetPrice, compactMoney, signedDifference } from '../lib/format.ts';
import { assetName, WINDOW_SECONDS } from '../lib/quick.ts';
import { countdown, spokenDuration, zonedMinute } from '../lib/times.ts';
import { Chance } from '../market/market-header.tsx';
import type { MarketFeed } from '../state/market-feed.ts';
import { usePage } from '../state/page-context.ts';
import type { QuickFeed } from '../state/quick-feed.ts';
import { useConfig } from '../state/service-config.ts';
import { usePart, useWatched } from '../state/store.ts';
import { Icon } from '../ui/icon.tsx';
import { Stat } from '../ui/panel.tsx';
import { Ring } from '../ui/ring.tsx';

const [AMBER_SECONDS, RED_SECONDS, LAST_MINUTE] = [5, 15, 60];

interface HeaderProps {
  readonly quick: QuickFeed;
  readonly window: QuickMarket | null;
  readonly feed: MarketFeed | undefined;
}

export function QuickHeader({ quick, window, feed }: HeaderProps) {
  const { latest } = useWatched(quick.prices);
  return (
    <section
      className="panel m-head"
      aria-label="Quick market"
      data-testid="quick-header"
      data-state={window === null ? 'closed' : 'ready'}
    >
      <div className="row between assets-row">
        <Assets asset={quick.asset} />
        <FeedAge latest={latest} />
      </div>
      <div className="q-title">
        <TimeLeft window={window} />
        <div className="grow">
          <h1 data-testid="market-title">{titleOf(quick.asset, window)}</h1>
          <p className="t2">
            {window === null
              ? 'The next window opens by itself; this page follows.'
              : `Up wins if the price at ${zonedMinute(window.endTime)} is at or above the price to beat.`}
          </p>
        </div>
      </div>
      <div className="m-hero">
        {feed && <Chance feed={feed} of="Up" />}
        <dl className="stats pairs">
          {window !== null && (
            <Stat name="To beat" tone="warn" testId="strike">
              {assetPrice(window.startPrice, window.priceDecimals)}
            </Stat>
          )}
          <Stat name="Now" testId="spot">
            {latest === undefined ? '–' : assetPrice(latest.price, latest.priceDecimals)}
          </Stat>
          {window !== null && <Difference latest={latest} window={window} />}
          {feed && <Volume feed={feed} />}
        </dl>
      </div>
    </section>
  );
}

function titleOf(asset: string, window: QuickMarket | null): string {
  return window === null
    ? `${assetName(asset)} up or down, every 15 minutes`
    : `${assetName(asset)} up or down at ${zonedMinute(window.endTime)}?`;
}

function Assets({ asset }: { readonly asset: string }) {
  const { assets } = useConfig().quickMarkets;
  return (
    <nav className="seg" aria-label="Asset">
      {assets.map((each) => (
        <Link key={each} href={`/quick/${each}`} aria-current={each === asset ? 'page' : undefined}>
          {assetName(each)}
        </Link>
      ))}
    </nav>
  );
}

function TimeLeft({ window }: { readonly window: QuickMarket | null }) {
  const now = useWatched(usePage().clock.seconds);
  const left = window === null ? WINDOW_SECONDS - (now % WINDOW_SECONDS) : Math.max(0, window.endTime - now);
  const whole = window === null ? WINDOW_SECONDS : window.endTime - window.startTime;
  const isLast = window !== null && left > 0 && left <= LAST_MINUTE;
  const words = window === null ? 'to the next' : left === 0 ? 'deciding' : isLast ? 'last minute' : 'left';
  return (
    <span
      className="q-ring"
      role="timer"
      aria-label={`${spokenDuration(left)} ${window === null ? 'to the next window' : 'left'}`}
      data-testid={window === null ? 'next-window' : 'countdown'}
    >
      <Ring share={left / whole} size={84} stroke={6} isWarn={isLast}>
        <b>{countdown(left).replace(/^0(\d)/, '$1')}</b>
        <small>{words}</small>
      </Ring>
    </span>
  );
}

function Difference({ latest, window }: { readonly latest: PriceTick | undefined; readonly window: QuickMarket }) {
  if (latest === undefined) return <Stat name="Difference">–</Stat>;
  const isUp = BigInt(latest.price) >= BigInt(window.startPrice);
  const text = signedDifference(latest.price, window.startPrice, latest.priceDecimals);
  return (
    <Stat name="Difference" tone={isUp ? 'change yes' : 'change no'} testId="difference">
      <Icon name={isUp ? 'up' : 'down'} size={12} />
      {text.replace(/^([+−])/, '$1$$')}
    </Stat>
  );
}

function Volume({ feed }: { readonly feed: MarketFeed }) {
  const volume = usePart(feed.facts, ({ market }) => market?.volume);
  return <Stat name="Volume">{volume === undefined ? '–' : compactMoney(volume)}</Stat>;
}

const FEED_WORDS = { fresh: 'old', old: 'old: slow', dead: 'old: stalled' } as const;

function FeedAge({ latest }: { readonly latest: PriceTick | undefined }) {
  const { clock } = usePage();
  useWatched(clock.seconds);
  if (latest === undefined) return <span className="badge">Waiting for a price</span>;
  const age = Math.max(0, Math.round((clock.nowMs() - latest.timestamp) / 1_000));
  const state = age > RED_SECONDS ? 'dead' : age > AMBER_SECONDS ? 'old' : 'fresh';
  const tone = { fresh: 'badge', old: 'badge is-warn', dead: 'badge is-bad' }[state];
  return (
    <span className={tone} data-testid="feed-age" data-state={state}>
      <Icon name={state === 'fresh' ? 'feed' : 'alert'} size={13} />
      {latest.source}
      {latest.simulated ? ', simulated' : ''}, {age} s {FEED_WORDS[state]}
    </span>
  );
}
