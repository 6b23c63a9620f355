// Taker fees by day and market, also as a file.
import type { RevenueList } from '@presage/sdk';
import { saveCsv } from '../lib/csv.ts';
import { money } from '../lib/format.ts';
import { useRemote } from '../state/remote.ts';
import { Button } from '../ui/controls.tsx';
import { Panel } from '../ui/panel.tsx';
import { Empty } from '../ui/states.tsx';
import { useOperator } from './operator-access.tsx';

const SHOWN = 20;
type Line = RevenueList['revenue'][number];

export function OperatorRevenue() {
  const client = useOperator('read');
  const { value } = useRemote(client === undefined ? '' : 'revenue', (signal) => client!.listRevenue({}, { signal }), {
    everyMs: 60_000,
  });
  if (value === undefined) return null;
  const { revenue } = value;
  const sum = revenue.reduce((total, line) => total + BigInt(line.revenue), 0n);
  return (
    <Panel id="revenue" title="Fees" note={`${money(sum)} in 30 days`} className="o-desk" testId="revenue">
      {revenue.length === 0 && <Empty icon="check" text="No market has charged a fee in 30 days." />}
      <ul className="desk">
        {revenue.slice(0, SHOWN).map((line) => (
          <li key={`${line.day} ${line.marketId}`}>
            <div className="grow">
              <p>{line.question}</p>
              <p className="sm t2">
                {line.day}, {line.trades} trades, {money(line.makerRebates)} to makers
              </p>
            </div>
            <b className="num">{money(line.revenue)}</b>
          </li>
        ))}
      </ul>
      {revenue.length > 0 && (
        <Button look="line sm" testId="revenue-csv" onClick={() => save(revenue)}>
          Save as CSV
        </Button>
      )}
    </Panel>
  );
}

function save(revenue: readonly Line[]): void {
  const amount = (units: number | bigint) => Number(units) / 1e6;
  const rows = revenue.map((line) => [
    ...[line.day, line.marketId, line.question, line.trades],
    ...[line.volume, line.fees, line.makerRebates, line.revenue, line.settled].map(amount),
  ]);
  const head = ['day', 'market', 'question', 'trades', 'volume', 'fees', 'to makers', 'revenue', 'settled'];
  saveCsv('presage-revenue.csv', [head, ...rows]);
}
