// The wallet's shares in one market: what they cost, what they bring now, and a button to sell them.
import type { Market } from '@presage/sdk';
import { cents, money, roundedCents, shares } from '../lib/format.ts';
import { type HoldingRow, toRows } from '../lib/holdings.ts';
import type { MarketFeed } from '../state/market-feed.ts';
import { usePage } from '../state/page-context.ts';
import { PHONE } from '../state/preferences.ts';
import { useWatched } from '../state/store.ts';
import { formatUnits } from '../ticket/chips.ts';
import { Icon } from '../ui/icon.tsx';
import { Gain } from '../ui/profit.tsx';
import { Empty, Skeleton } from '../ui/states.tsx';
import { usePosition } from './use-position.ts';

interface PositionsProps {
  readonly feed: MarketFeed;
  readonly market: Market | undefined;
  readonly names: OutcomeNames;
}

interface OutcomeNames {
  readonly YES: string;
  readonly NO: string;
}

export function PositionsTable({ feed, market, names }: PositionsProps) {
  const { account, ticket } = usePage();
  const { wallet } = useWatched(account.state);
  const holding = usePosition(feed.marketId);
  const books = useWatched(feed.books);
  if (!wallet)
    return <Empty text="No wallet is open. Everything can be read without one; the ticket offers a demo wallet." />;
  if (holding === undefined) return <Skeleton rows={2} rowHeight={44} />;
  const rows = toRows(holding, market, books);
  if (rows.length === 0)
    return <Empty text={`No shares in this market. Buy ${names.YES} or ${names.NO} and they appear here.`} />;
  const sell = (row: HoldingRow) => {
    ticket.write({ side: 'sell', outcome: row.outcome, unit: 'shares', amount: formatUnits(row.shares) });
    ticket.isSheetOpen.set(matchMedia(PHONE).matches);
  };
  return (
    <div data-testid="positions">
      <WideRows rows={rows} names={names} onSell={sell} />
      {rows.map((row) => (
        <PhoneCard key={row.outcome} row={row} name={names[row.outcome]} onSell={() => sell(row)} />
      ))}
    </div>
  );
}

function WideRows({
  rows,
  names,
  onSell,
}: {
  readonly rows: readonly HoldingRow[];
  readonly names: OutcomeNames;
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
              <Side row={row} name={names[row.outcome]} />
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
                aria-label={`Sell ${names[row.outcome]}`}
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

interface CardProps {
  readonly row: HoldingRow;
  readonly name: string;
  readonly onSell: () => void;
}

function PhoneCard({ row, name, onSell }: CardProps) {
  return (
    <div className="pos phone-only">
      <div className="row between">
        <Side row={row} name={name} isLong />
        <b className="strong">{row.value === undefined ? '–' : money(row.value)}</b>
      </div>
      <div className="row between sm t2">
        <span>
          Average {roundedCents(row.average)}, now {row.now === undefined ? '–' : cents(row.now)}
        </span>
        {row.profit !== undefined && <Gain amount={row.profit} />}
      </div>
      <button type="button" className="btn btn-line wide" onClick={onSell} aria-label={`Sell your ${name}`}>
        Sell
      </button>
    </div>
  );
}

interface SideProps {
  readonly row: HoldingRow;
  readonly name: string;
  readonly isLong?: boolean;
}

function Side({ row, name, isLong = false }: SideProps) {
  const isYes = row.outcome === 'YES';
  return (
    <span className={`side ${isYes ? 'yes' : 'no'}`}>
      <Icon name={isYes ? 'check' : 'cross'} size={13} />
      {isLong && `${shares(row.shares)} `}
      {name}
    </span>
  );
}
