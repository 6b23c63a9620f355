// The equity panel: total value, profit since the start split into realized and unrealized, and its curve.
import type { PnlHistory, PnlInterval } from '@presage/sdk';
import { useId, useState } from 'react';
import { money, signedMoney } from '../lib/format.ts';
import type { Equity } from '../lib/portfolio.ts';
import { clockMinute, dayText } from '../lib/times.ts';
import { type Size, useSize } from '../state/use-size.ts';
import { AboveAndBelow } from '../ui/above-and-below.tsx';
import { Segments } from '../ui/controls.tsx';
import { Fact } from '../ui/panel.tsx';
import { Gain } from '../ui/profit.tsx';
import { usePnlHistory } from './use-portfolio.ts';

const RANGES = [
  { value: '1d', text: '1D' },
  { value: '1w', text: '1W' },
  { value: '1m', text: '1M' },
  { value: 'all', text: 'All' },
] as const;

export function EquityPanel({ equity }: { readonly equity: Equity }) {
  const [interval, setInterval] = useState<PnlInterval>('all');
  const history = usePnlHistory(interval);
  return (
    <section className="panel eq" aria-labelledby="h-equity" data-testid="summary">
      <div className="eq-head">
        <div>
          <h2 className="label" id="h-equity">
            Equity
          </h2>
          <p className="hero-figure" data-testid="equity">
            {money(equity.total)}
          </p>
          <p className="row eq-change">
            <span data-testid="total-profit">
              <Gain amount={equity.profit} percentage={equity.percentage} />
            </span>
            <span className="t2">since the start</span>
          </p>
        </div>
        <Segments<PnlInterval> legend="Range" options={RANGES} value={interval} onPick={setInterval} />
      </div>
      <dl className="eq-parts">
        <Fact name="Realised" testId="realized">
          <Gain amount={equity.realized} />
        </Fact>
        <Fact name="Unrealised" testId="unrealized">
          <Gain amount={equity.unrealized} />
        </Fact>
      </dl>
      <div className="eq-chart">{history.value && <PnlChart points={history.value.points} />}</div>
    </section>
  );
}

type Points = PnlHistory['points'];

const [RIGHT, BOTTOM] = [78, 26];
const DAY = 86_400;

function PnlChart({ points }: { readonly points: Points }) {
  const [holder, size] = useSize();
  return (
    <div ref={holder} className="pnl-holder">
      {size.width > 0 && <Curve points={points} size={size} />}
    </div>
  );
}

function Curve({ points, size }: { readonly points: Points; readonly size: Size }) {
  const { width, height } = size;
  const id = useId();
  const last = points.at(-1);
  if (points.length < 2 || last === undefined) {
    return <p className="eq-empty t3">The curve begins with your first trade.</p>;
  }
  const scale = toScale(points, size);
  const line = points.map(({ time, pnl }) => `${scale.x(time)},${scale.y(Number(pnl))}`).join(' ');
  const zero = scale.y(0);
  const area = `${scale.x(points[0]?.time ?? 0)},${zero} ${line} ${scale.x(last.time)},${zero}`;
  const tone = Number(last.pnl) < 0 ? 'no' : 'yes';
  return (
    <svg
      className="pnl"
      width={width}
      height={height}
      role="img"
      aria-label={`Profit and loss: now ${signedMoney(BigInt(last.pnl))}`}
      data-testid="pnl-chart"
    >
      <AboveAndBelow id={id} level={zero} size={size} />
      <line className="pnl-zero" x1="0" x2={width - RIGHT} y1={zero} y2={zero} />
      {(['u', 'd'] as const).map((side) => (
        <g key={side} clipPath={`url(#${id}${side})`} className={side === 'u' ? 'pnl-gain' : 'pnl-loss'}>
          <polygon points={area} />
          <polyline points={line} />
        </g>
      ))}
      <circle className={`pnl-dot ${tone}`} cx={scale.x(last.time)} cy={scale.y(Number(last.pnl))} r="4" />
      {scale.marks.map((value) => (
        <text key={value} x={width - RIGHT + 10} y={scale.y(value) + 4}>
          {value === 0 ? '$0' : signedMoney(value)}
        </text>
      ))}
      {timesOf(points).map(({ time, text }) => (
        <text key={time} x={scale.x(time)} y={height - 6} textAnchor="middle">
          {text}
        </text>
      ))}
    </svg>
  );
}

function toScale(points: Points, { width, height }: Size) {
  const values = points.map(({ pnl }) => Number(pnl));
  const [low, high] = [Math.min(0, ...values), Math.max(0, ...values)];
  const room = (high - low || 1_000_000) * 0.12;
  const [bottom, top] = [low - room, high + room];
  const [first, end] = [points[0]?.time ?? 0, points.at(-1)?.time ?? 1];
  return {
    x: (time: number) => ((time - first) / Math.max(1, end - first)) * (width - RIGHT),
    y: (value: number) => ((top - value) / (top - bottom)) * (height - BOTTOM),
    marks: [...new Set([low, 0, high])],
  };
}

function timesOf(points: Points): { readonly time: number; readonly text: string }[] {
  const [first, last] = [points[0]?.time ?? 0, points.at(-1)?.time ?? 0];
  const format = last - first > 2 * DAY ? dayText : clockMinute;
  const marks = [0.15, 0.5, 0.85].map((share) => {
    const time = Math.round(first + (last - first) * share);
    return { time, text: format(time) };
  });
  return marks.filter(({ text }, index) => marks[index - 1]?.text !== text);
}
