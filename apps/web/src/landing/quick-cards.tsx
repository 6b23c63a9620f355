// The quick markets on the landing page: time left, current price, last results, and buttons for Up and Down.
import type { Market, QuickMarket } from '@presage/sdk';
import { Link } from '../app/router.tsx';
import { assetPrice } from '../lib/format.ts';
import { askTexts } from '../lib/listed.ts';
import { assetName, outcomeLook, WINDOW_SECONDS } from '../lib/quick.ts';
import { countdown } from '../lib/times.ts';
import { usePage } from '../state/page-context.ts';
import type { QuickFeed } from '../state/quick-feed.ts';
import { useConfig } from '../state/service-config.ts';
import { useWatched } from '../state/store.ts';
import { useQuickFeed } from '../state/use-market-feed.ts';
import { Icon } from '../ui/icon.tsx';
import { Ring } from '../ui/ring.tsx';
import { STRETCHED } from './sparkline.tsx';

const RUNS = 6;

export function QuickCards({ markets }: { readonly markets: readonly Market[] }) {
  const { assets } = useConfig().quickMarkets;
  if (assets.length === 0) return null;
  return (
    <>
      <div className="section-head">
        <h2>
          Quick <span>decided every 15 minutes</span>
        </h2>
      </div>
      <section className="quicks" aria-label="Quick markets">
        {assets.map((asset) => (
          <QuickCard key={asset} asset={asset} markets={markets} />
        ))}
      </section>
    </>
  );
}

function QuickCard({ asset, markets }: { readonly asset: string; readonly markets: readonly Market[] }) {
  const quick = useQuickFeed(asset);
  const { window } = useWatched(quick.state);
  const now = useWatched(usePage().clock.seconds);
  const left = window ? Math.max(0, window.endTime - now) : 0;
  const market = markets.find(({ id }) => id === window?.marketId);
  const prices = market && askTexts(market);
  return (
    <article className="panel quick" data-testid="quick-card">
      <div className="quick-main">
        <div className="quick-head">
          <Ring share={left / WINDOW_SECONDS} size={44} isWarn={left > 0 && left < 60}>
            <span className="xs">{window ? countdown(left).replace(/^0/, '') : '–'}</span>
          </Ring>
          <div className="grow">
            <h3>
              <Link href={`/quick/${asset}`}>{assetName(asset)} up or down?</Link>
            </h3>
            <Standing quick={quick} window={window} />
          </div>
        </div>
        <Line quick={quick} window={window} />
      </div>
      <div className="quick-buy">
        <Runs quick={quick} />
        <Side asset={asset} isUp price={prices?.YES} />
        <Side asset={asset} price={prices?.NO} />
      </div>
    </article>
  );
}

interface WindowProps {
  readonly quick: QuickFeed;
  readonly window: QuickMarket | null | undefined;
}

function Standing({ quick, window }: WindowProps) {
  const { latest } = useWatched(quick.prices);
  if (!window || latest === undefined) return <p className="sm t2">The next window opens by itself</p>;
  const difference = BigInt(latest.price) - BigInt(window.startPrice);
  const isUp = difference >= 0n;
  return (
    <p className="sm t2 nowrap">
      <span className={`change ${isUp ? 'yes' : 'no'}`}>
        <Icon name={isUp ? 'up' : 'down'} size={11} />
        {assetPrice(isUp ? difference : -difference, window.priceDecimals)}
      </span>{' '}
      {isUp ? 'above' : 'below'} {assetPrice(window.startPrice, window.priceDecimals)}
    </p>
  );
}

/** Chart of the window's prices so far; its scale always includes the price to beat. */
function Line({ quick, window }: WindowProps) {
  const { points } = useWatched(quick.prices);
  if (!window) return <div className="quick-line" />;
  const strike = Number(window.startPrice) / 10 ** window.priceDecimals;
  const shown = points.filter(({ time }) => time >= window.startTime && time <= window.endTime);
  const values = [strike, ...shown.map(({ value }) => value)];
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const range = Math.max(high - low, strike / 10_000);
  const x = (time: number) => ((time - window.startTime) / (window.endTime - window.startTime)) * 400;
  const y = (value: number) => 56 - ((value - low + (range - (high - low)) / 2) / range) * 52;
  const line = shown.map(({ time, value }) => `${x(time).toFixed(1)} ${y(value).toFixed(1)}`).join('L');
  const isUp = (shown.at(-1)?.value ?? strike) >= strike;
  return (
    <div className="quick-line">
      <svg className="draw" viewBox="0 0 400 60" aria-hidden="true" {...STRETCHED}>
        <path className="st spark-line" d={`M0 ${y(strike)}H400`} />
        {line !== '' && <path className={`spark-line ${isUp ? 'lu' : 'ld'}`} d={`M${line}`} />}
      </svg>
    </div>
  );
}

function Runs({ quick }: { readonly quick: QuickFeed }) {
  const results = useWatched(quick.state).results.slice(0, RUNS).reverse();
  const words = results.map(({ outcome }) => outcomeLook(outcome).word);
  return (
    <div className="row between label-row">
      <span className="label">Last {RUNS}</span>
      <span className="runs" role="img" aria-label={`Last results, newest last: ${words.join(', ') || 'none yet'}`}>
        {results.map(({ id, outcome }) => (
          <span key={id} className={`run ${outcomeLook(outcome).tone}`}>
            <Icon name={outcomeLook(outcome).icon} size={9} />
          </span>
        ))}
      </span>
    </div>
  );
}

interface SideProps {
  readonly asset: string;
  readonly isUp?: boolean;
  readonly price: string | undefined;
}

function Side({ asset, isUp = false, price }: SideProps) {
  const name = isUp ? 'Up' : 'Down';
  return (
    <Link
      className={`btn ${isUp ? 'btn-yes-soft' : 'btn-no-soft'}`}
      href={`/quick/${asset}?buy=${isUp ? 'yes' : 'no'}`}
      aria-label={`Buy ${name} of ${assetName(asset)}`}
    >
      <span className="row">
        <Icon name={isUp ? 'up' : 'down'} />
        {name}
      </span>
      <span>{price ?? '–'}</span>
    </Link>
  );
}
