// The wallet's shares in one market: what they cost, what they are worth, and a button to sell them.
import type { Market, OutcomeName } from '@presage/sdk';
import { formatUnits } from '../lib/chips.ts';
import { cents, money, roundedCents, shares, signedMoney } from '../lib/format.ts';
import { type HoldingRow, toRows } from '../lib/holdings.ts';
import { usePage } from '../state/page-context.ts';
import { PHONE } from '../state/preferences.ts';
import { useWatched } from '../state/store.ts';
import { usePosition } from '../state/use-position.ts';
import { Empty, Skeleton } from './states.tsx';
import { TableHead } from './table-head.tsx';

export function PositionsTable({
  marketId,
  market,
}: {
  readonly marketId: string;
  readonly market: Market | undefined;
}) {
  const { account, ticket } = usePage();
  const { wallet } = useWatched(account.state);
  const holding = usePosition(marketId);
  if (!wallet)
    return <Empty text="No wallet is open. Everything can be read without one; the ticket offers a demo wallet." />;
  if (holding === undefined) return <Skeleton rows={2} rowHeight={36} />;
  const rows = toRows(holding, market);
  if (rows.length === 0) return <Empty text="No shares in this market. Buy YES or NO and they appear here." />;
  const sell = (row: HoldingRow) => {
    ticket.write({ side: 'sell', outcome: row.outcome, unit: 'shares', amount: formatUnits(row.shares) });
    ticket.isSheetOpen.set(matchMedia(PHONE).matches);
  };
  return (
    <table className="rows" data-testid="positions">
      <caption className="skip">Your shares in this market</caption>
      <TableHead names={['Outcome', 'Shares', 'Avg', 'Now', 'Value', 'Profit', 'Action']} />
      <tbody>
        {rows.map((row) => (
          <tr key={row.outcome} data-testid={`position-${row.outcome}`}>
            <HoldingCells row={row} />
            <td>
              <button type="button" className="btn" onClick={() => sell(row)} aria-label={`Sell ${row.outcome}`}>
                Sell
              </button>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function HoldingCells({ row }: { readonly row: HoldingRow }) {
  return (
    <>
      <td className={toneOf(row.outcome)}>{row.outcome}</td>
      <td>{shares(row.shares)}</td>
      <td>{roundedCents(row.average)}</td>
      <td>{row.now === undefined ? '–' : cents(row.now)}</td>
      <td>{row.value === undefined ? '–' : money(row.value)}</td>
      <td data-testid="profit">
        <Profit amount={row.profit} />
      </td>
    </>
  );
}

function toneOf(outcome: OutcomeName): 'yes' | 'no' {
  return outcome === 'YES' ? 'yes' : 'no';
}

export function Profit({ amount }: { readonly amount: bigint | undefined }) {
  if (amount === undefined) return <>–</>;
  if (amount === 0n) return <>{money(0)}</>;
  return (
    <span className={amount > 0n ? 'yes' : 'no'}>
      <span aria-hidden="true">{amount > 0n ? '▲' : '▼'}</span> {signedMoney(amount)}
    </span>
  );
}
