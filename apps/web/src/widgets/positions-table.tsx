// The wallet's shares in one market: what they cost, what they bring now, and a button to sell them.
import type { Market } from '@presage/sdk';
import { formatUnits } from '../lib/chips.ts';
import { cents, money, roundedCents, shares } from '../lib/format.ts';
import { type HoldingRow, toRows } from '../lib/holdings.ts';
import type { MarketFeed } from '../state/market-feed.ts';
import { usePage } from '../state/page-context.ts';
import { PHONE } from '../state/preferences.ts';
import { useWatched } from '../state/store.ts';
import { usePosition } from '../state/use-position.ts';
import { Icon } from './icon.tsx';
import { Gain } from './profit.tsx';
import { Empty, Skeleton } from './states.tsx';

interface PositionsProps {
  readonly feed: MarketFeed;
  readonly market: Market | undefined;
}

export function PositionsTable({ feed, market }: PositionsProps) {
  const { account, ticket } = usePage();
  const { wallet } = useWatched(account.state);
  const holding = usePosition(feed.marketId);
  const books = useWatched(feed.books);
  if (!wallet)
    return <Empty text="No wallet is open. Everything can be read without one; the ticket offers a demo wallet." />;
  if (holding === undefined) return <Skeleton rows={2} rowHeight={44} />;
  const rows = toRows(holding, market, books);
  if (rows.length === 0) return <Empty text="No shares in this market. Buy YES or NO and they appear here." />;
  const sell = (row: HoldingRow) => {
    ticket.write({ side: 'sell', outcome: row.outcome, unit: 'shares', amount: formatUnits(row.shares) });
    ticket.isSheetOpen.set(matchMedia(PHONE).matches);
  };
  return (
    <div data-testid="positions">
      <WideRows rows={rows} onSell={sell} />
      {rows.map((row) => (
        <PhoneCard key={row.outcome} row={row} onSell={() => sell(row)} />
      ))}
    </div>
  );
}

function WideRows({
  rows,
  onSell,
}: {
  readonly rows: readonly HoldingRow[];
  readonly onSell: (row: HoldingRow) => void;
}) {
  return (
    <table className="table wide-only">
      <caption className="sr">Your shares in this market</caption>
      <thead>
        <tr>
          <th scope="col">Side</th>
          {['Shares', 'Average', 'Now', 'Value', 'Profit', 'If right'].map((name) => (
            <th key={name} scope="col" className="num">
              {name}
            </th>
          ))}
          <th scope="col">
            <span className="sr">Action</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.outcome} data-testid={`position-${row.outcome}`}>
            <td>
              <Side row={row} />
            </td>
            <td className="num">{shares(row.shares)}</td>
            <td className="num">{roundedCents(row.average)}</td>
            <td className="num">{row.now === undefined ? '–' : cents(row.now)}</td>
            <td className="num strong" data-testid="value">
              {row.value === undefined ? '–' : money(row.value)}
            </td>
            <td className="num" data-testid="profit">
              {row.profit === undefined ? '–' : <Gain amount={row.profit} />}
            </td>
            <td className="num">{money(row.shares)}</td>
            <td className="num">
              <button
                type="button"
                className="btn btn-line sm"
                onClick={() => onSell(row)}
                aria-label={`Sell ${row.outcome}`}
              >
                Sell
              </button>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function PhoneCard({ row, onSell }: { readonly row: HoldingRow; readonly onSell: () => void }) {
  return (
    <div className="pos phone-only">
      <div className="row between">
        <Side row={row} isLong />
        <b className="strong">{row.value === undefined ? '–' : money(row.value)}</b>
      </div>
      <div className="row between sm t2">
        <span>
          Average {roundedCents(row.average)}, now {row.now === undefined ? '–' : cents(row.now)}
        </span>
        {row.profit !== undefined && <Gain amount={row.profit} />}
      </div>
      <button type="button" className="btn btn-line wide" onClick={onSell} aria-label={`Sell your ${row.outcome}`}>
        Sell
      </button>
    </div>
  );
}

function Side({ row, isLong = false }: { readonly row: HoldingRow; readonly isLong?: boolean }) {
  const isYes = row.outcome === 'YES';
  return (
    <span className={`side ${isYes ? 'yes' : 'no'}`}>
      <Icon name={isYes ? 'check' : 'cross'} size={13} />
      {isLong && `${shares(row.shares)} `}
      {row.outcome}
    </span>
  );
}
