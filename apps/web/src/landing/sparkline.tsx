// A price history as a small line without axes; a figure beside it shows the last price.
import { useId } from 'react';

interface SparklineProps {
  readonly values: readonly number[];
  readonly tone: 'yes' | 'no' | 'flat';
}

/** SVG attributes of a drawing that stretches to fill its container. */
export const STRETCHED = { width: '100%', height: '100%', preserveAspectRatio: 'none' } as const;
const [WIDTH, HEIGHT, EDGE] = [148, 48, 3];

export function Sparkline({ values, tone }: SparklineProps) {
  const id = useId();
  const last = values.at(-1);
  if (values.length < 2 || last === undefined) return <div className="card-spark" />;
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const range = Math.max(high - low, 20_000);
  const x = (index: number) => EDGE + (index / (values.length - 1)) * (WIDTH - 2 * EDGE);
  const y = (value: number) =>
    HEIGHT - EDGE - ((value - low + (range - (high - low)) / 2) / range) * (HEIGHT - 2 * EDGE);
  const line = values.map((value, index) => `${x(index).toFixed(1)} ${y(value).toFixed(1)}`).join('L');
  return (
    <div className={`card-spark tone-${tone}`}>
      <svg className="draw" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true" {...STRETCHED}>
        <defs>
          <linearGradient id={id} x1="0" y1="0" x2="0" y2="1">
            <stop className="g0" offset="0" />
            <stop className="g1" offset="1" />
          </linearGradient>
        </defs>
        <path d={`M${line}V${HEIGHT}H${EDGE}Z`} fill={`url(#${id})`} />
        <path className="ln spark-line" d={`M${line}`} />
        <circle className="dt" cx={x(values.length - 1)} cy={y(last)} r="2.5" />
      </svg>
    </div>
  );
}
