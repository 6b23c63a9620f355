// Equity first: what everything is worth, the profit since the start apart into certain and not, and its curve.
import type { PnlInterval } from '@presage/sdk';
import { useState } from 'react';
import { money } from '../lib/format.ts';
import type { Equity } from '../lib/portfolio.ts';
import { Gain } from '../ui/profit.tsx';
import { PnlChart } from './pnl-chart.tsx';
import { usePnlHistory } from './use-portfolio.ts';

const RANGES: readonly { readonly interval: PnlInterval; readonly text: string }[] = [
  { interval: '1d', text: '1D' },
  { interval: '1w', text: '1W' },
  { interval: '1m', text: '1M' },
  { interval: 'all', text: 'All' },
];

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
        <fieldset className="seg" aria-label="Range">
          {RANGES.map((range) => (
            <button
              key={range.interval}
              type="button"
              aria-pressed={range.interval === interval}
              onClick={() => setInterval(range.interval)}
            >
              {range.text}
            </button>
          ))}
        </fieldset>
      </div>
      <dl className="eq-parts">
        <div>
          <dt>Realised</dt>
          <dd data-testid="realized">
            <Gain amount={equity.realized} />
          </dd>
        </div>
        <div>
          <dt>Unrealised</dt>
          <dd data-testid="unrealized">
            <Gain amount={equity.unrealized} />
          </dd>
        </div>
      </dl>
      <div className="eq-chart">{history.value && <PnlChart points={history.value.points} />}</div>
    </section>
  );
}
