// The price of an asset over a quick market's window; always includes the price to beat and the remaining time.
import type { QuickMarket } from '@presage/sdk';
import { useId } from 'react';
import type { Point } from '../lib/line-chart.ts';
import { WINDOW_SECONDS } from '../lib/quick.ts';
import { clockMinute, zonedMinute } from '../lib/times.ts';
import { usePage } from '../state/page-context.ts';
import type { QuickFeed } from '../state/quick-feed.ts';
import { useWatched } from '../state/store.ts';
import { type Size, useSize } from '../state/use-size.ts';
import { AboveAndBelow } from '../ui/above-and-below.tsx';

const dollars = new Intl.NumberFormat('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const [RIGHT, BOTTOM, TOP] = [96, 26, 12];
const MARKS = [0, 0.2, 0.4, 0.6, 0.8, 1];

export function QuickChart({ quick, window }: { readonly quick: QuickFeed; readonly window: QuickMarket | null }) {
  const [holder, size] = useSize();
  const { points } = useWatched(quick.prices);
  const now = useWatched(usePage().clock.seconds);
  const start = window?.startTime ?? now - WINDOW_SECONDS;
  const end = window?.endTime ?? now;
  const strike = window === null ? undefined : Number(window.startPrice) / 10 ** window.priceDecimals;
  const drawn = points.filter(({ time }) => time >= start && time <= end);
  const facts = { points: drawn, start, end, strike, size };
  return (
    <figure
      className="chart q-chart"
      data-testid="quick-chart"
      data-state={drawn.length === 0 ? 'loading' : 'ready'}
      aria-label={labelOf(quick.asset, facts)}
    >
      <div ref={holder}>{size.width > 0 && <Drawing {...facts} />}</div>
    </figure>
  );
}

interface Facts {
  readonly points: readonly Point[];
  readonly start: number;
  readonly end: number;
  /** Price to beat in dollars; undefined between two windows. */
  readonly strike: number | undefined;
  readonly size: Size;
}

function labelOf(asset: string, { points, strike, start }: Facts): string {
  const last = points.at(-1)?.value;
  if (last === undefined) return `${asset} price: waiting for a price`;
  if (strike === undefined) return `${asset} price: now ${dollars.format(last)} dollars`;
  const side = last >= strike ? 'above' : 'below';
  const distance = dollars.format(Math.abs(last - strike));
  return `${asset} price since ${zonedMinute(start)}: now ${distance} dollars ${side} the price to beat`;
}

function Drawing(facts: Facts) {
  const { points, start, end, strike, size } = facts;
  const id = useId();
  const scale = toScale(facts);
  const last = points.at(-1);
  const line = points.map(({ time, value }) => `${scale.x(time)},${scale.y(value)}`).join(' ');
  const level = scale.y(strike ?? last?.value ?? 0);
  const nowX = last === undefined ? 0 : scale.x(last.time);
  const area = `${scale.x(points[0]?.time ?? start)},${level} ${line} ${nowX},${level}`;
  const isUp = last === undefined || strike === undefined || last.value >= strike;
  const plot = size.width - RIGHT;
  return (
    <svg className={`draw tone-${isUp ? 'yes' : 'no'}`} width={size.width} height={size.height} aria-hidden="true">
      <defs>
        <AboveAndBelow id={id} level={level} size={size} />
        <pattern id={`${id}h`} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <line className="hatch" x1="0" y1="0" x2="0" y2="6" />
        </pattern>
      </defs>
      {strike !== undefined && (
        <rect x={nowX} y="0" width={Math.max(0, plot - nowX)} height={size.height - BOTTOM} fill={`url(#${id}h)`} />
      )}
      {(['u', 'd'] as const).map((side) => (
        <g key={side} clipPath={`url(#${id}${side})`}>
          {strike !== undefined && <polygon className={`f${side}`} points={area} />}
          <polyline className={`l${side}`} points={line} />
        </g>
      ))}
      <line className="end" x1={plot} x2={plot} y1="0" y2={size.height - BOTTOM} />
      {strike !== undefined && <Strike strike={strike} level={level} plot={plot} bottom={size.height - BOTTOM} />}
      {last !== undefined && <Now price={last.value} x={nowX} y={scale.y(last.value)} plot={plot} level={level} />}
      {MARKS.map((share) => (
        <text
          key={share}
          className="ax"
          x={Math.min(plot - 2, Math.max(2, plot * share))}
          y={size.height - 8}
          textAnchor={share === 0 ? 'start' : share === 1 ? 'end' : 'middle'}
        >
          {clockMinute(start + (end - start) * share)}
        </text>
      ))}
    </svg>
  );
}

type Numbers<K extends string> = Readonly<Record<K, number>>;

function Strike({ strike, level, plot, bottom }: Numbers<'strike' | 'level' | 'plot' | 'bottom'>) {
  return (
    <g data-testid="chart-strike">
      <line className="st" x1="0" x2={plot} y1={level} y2={level} />
      <Pill x={plot + 4} y={level} text={`$${dollars.format(strike)}`} kind="strike" />
      <Pill x={Math.max(4, plot - 70)} y={level} text="To beat" kind="strike" />
      <g className="side">
        <text className="su" x={plot - 10} y={TOP + 8} textAnchor="end">
          Up wins
        </text>
        <text className="sd" x={plot - 10} y={bottom - 8} textAnchor="end">
          Down wins
        </text>
      </g>
    </g>
  );
}

function Now({ price, x, y, plot, level }: Numbers<'price' | 'x' | 'y' | 'plot' | 'level'>) {
  return (
    <>
      <line className="now" x1={x} x2={plot} y1={y} y2={y} />
      <circle className="halo" cx={x} cy={y} r="8" />
      <circle className="dt" cx={x} cy={y} r="4" />
      {Math.abs(y - level) > 20 && <Pill x={plot + 4} y={y} text={`$${dollars.format(price)}`} kind="tone" />}
    </>
  );
}

function Pill({ x, y, text, kind }: Numbers<'x' | 'y'> & { readonly text: string; readonly kind: string }) {
  const width = text.length * 7.2 + 12;
  return (
    <g className={`pill ${kind}`}>
      <rect x={x} y={y - 11} width={width} height="22" rx="6" />
      <text x={x + width / 2} y={y + 4} textAnchor="middle">
        {text}
      </text>
    </g>
  );
}

/** Scale that fits all prices and the strike, with a margin. */
function toScale({ points, start, end, strike, size }: Facts) {
  const values = points.map(({ value }) => value).concat(strike ?? []);
  const [low, high] = values.length === 0 ? [0, 1] : [Math.min(...values), Math.max(...values)];
  const room = (high - low || high * 0.0005 || 1) * 0.18;
  const [bottom, top] = [low - room, high + room];
  return {
    x: (time: number) => ((time - start) / Math.max(1, end - start)) * (size.width - RIGHT),
    y: (value: number) => TOP + ((top - value) / (top - bottom)) * (size.height - BOTTOM - TOP),
  };
}
