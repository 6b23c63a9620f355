// The order book of one outcome: asks above, bids below, depth bars, own orders marked; a click copies a price to the ticket.
import type { OpenOrder, OutcomeName } from '@presage/sdk';
import { memo, useMemo, useState } from 'react';
import { type LadderRow, toLadder, topOf } from '../lib/book-view.ts';
import { cents, centsText, shares, wholeMoney } from '../lib/format.ts';
import type { Books, MarketFeed } from '../state/market-feed.ts';
import { usePage } from '../state/page-context.ts';
import { usePart } from '../state/store.ts';
import { Empty, Skeleton } from './states.tsx';

const GROUPS = [
  { units: 1_000, text: '0.1¢' },
  { units: 10_000, text: '1¢' },
  { units: 50_000, text: '5¢' },
] as const;
const ROWS = 10;
const OUTCOMES: readonly OutcomeName[] = ['YES', 'NO'];

export function Ladder({ feed }: { readonly feed: MarketFeed }) {
  const { ticket, connection } = usePage();
  const outcome = usePart(ticket.ticket, (each) => each.outcome);
  const isStale = usePart(connection.state, ({ state }) => state === 'stale');
  const [group, setGroup] = useState<number>(GROUPS[0].units);
  return (
    <section
      className="g-book"
      aria-labelledby="h-book"
      data-testid="book-panel"
      data-state={isStale ? 'stale' : 'live'}
    >
      <div className="pad split">
        <h2 id="h-book">Order book · {outcome}</h2>
        <fieldset className="mini-seg">
          <legend className="skip">Book of</legend>
          {OUTCOMES.map((each) => (
            <button
              key={each}
              type="button"
              aria-pressed={each === outcome}
              onClick={() => ticket.write({ outcome: each })}
            >
              {each}
            </button>
          ))}
        </fieldset>
        <label className="mini-select">
          <span className="skip">Group prices by</span>
          <select value={group} onChange={(event) => setGroup(Number(event.target.value))}>
            {GROUPS.map(({ units, text }) => (
              <option key={units} value={units}>
                {text}
              </option>
            ))}
          </select>
        </label>
      </div>
      {isStale && (
        <p className="pad warn" role="status">
          Reconnecting: the book below is old.
        </p>
      )}
      <LadderRows feed={feed} outcome={outcome} group={group} />
    </section>
  );
}

interface RowsProps {
  readonly feed: MarketFeed;
  readonly outcome: OutcomeName;
  readonly group: number;
}

function LadderRows({ feed, outcome, group }: RowsProps) {
  const book = usePart<Books, Books['YES']>(feed.books, (books) => books[outcome]);
  const last = usePart(
    feed.trades,
    (trades) => trades?.find((trade) => trade.outcome === (outcome === 'YES' ? 0 : 1))?.price,
  );
  const own = useOwnPrices(feed.marketId, outcome, group);
  if (book === undefined) return <Skeleton rows={2 * ROWS + 2} />;
  const asks = toLadder(book.asks, 'asks', group).slice(0, ROWS);
  const bids = toLadder(book.bids, 'bids', group).slice(0, ROWS);
  const deepest = [asks.at(-1)?.total ?? 0n, bids.at(-1)?.total ?? 0n].reduce((a, b) => (a > b ? a : b), 1n);
  const { spread } = topOf(book);
  const side = { outcome, deepest, own };
  return (
    <div data-testid="book" data-seq={book.seq}>
      <LadderTable {...side} from="asks" rows={asks} />
      <div className="mid" data-testid="spread">
        <span>{spread === undefined ? 'No spread' : `Spread ${cents(spread)}`}</span>
        <span className="muted">{last === undefined ? 'No trade yet' : `Last ${cents(last)}`}</span>
      </div>
      <LadderTable {...side} from="bids" rows={bids} />
      {asks.length + bids.length === 0 && (
        <Empty text="Nobody has an order here. Yours can be the first: set a price in the ticket." />
      )}
    </div>
  );
}

function useOwnPrices(marketId: string, outcome: OutcomeName, group: number): ReadonlySet<string> {
  const orders = usePart(usePage().account.state, (state) => state.orders);
  return useMemo(() => {
    const mine = (orders ?? []).filter(
      (each) => each.marketId === marketId && each.outcome === (outcome === 'YES' ? 0 : 1),
    );
    return new Set(mine.map((order) => ownKey(order, group)));
  }, [orders, marketId, outcome, group]);
}

function ownKey({ side, price }: Pick<OpenOrder, 'side' | 'price'>, group: number): string {
  const units = Number(price) / group;
  return side === 1 ? `asks ${Math.ceil(units) * group}` : `bids ${Math.floor(units) * group}`;
}

interface TableProps {
  readonly outcome: OutcomeName;
  readonly from: 'asks' | 'bids';
  readonly rows: readonly LadderRow[];
  readonly deepest: bigint;
  readonly own: ReadonlySet<string>;
}

function LadderTable({ outcome, from, rows, deepest, own }: TableProps) {
  const drawn = rows.map((row, rank) => ({ row, rank }));
  if (from === 'asks') drawn.reverse();
  return (
    <table className="book">
      <caption className="skip">
        {from === 'asks' ? 'Offers to sell' : 'Offers to buy'} {outcome}. Press Enter on a price to copy it to the
        ticket.
      </caption>
      <thead className={from === 'asks' ? '' : 'skip'}>
        <tr>
          <th scope="col">Price ¢</th>
          <th scope="col">Shares</th>
          <th scope="col">Total $</th>
        </tr>
      </thead>
      <tbody>
        {drawn.map(({ row, rank }) => (
          <LadderLine
            key={row.price}
            {...{ outcome, from, rank }}
            price={row.price}
            size={shares(row.size)}
            total={wholeMoney(row.total)}
            depth={Number((row.total * 100n) / deepest)}
            isOwn={own.has(`${from} ${row.price}`)}
          />
        ))}
      </tbody>
    </table>
  );
}

interface LineProps extends Pick<TableProps, 'outcome' | 'from'> {
  readonly rank: number;
  readonly price: number;
  readonly size: string;
  readonly total: string;
  readonly depth: number;
  readonly isOwn: boolean;
}

/** Re-rendered only when its own numbers change. */
const LadderLine = memo(function LadderLine({ outcome, from, rank, price, size, total, depth, isOwn }: LineProps) {
  const { ticket } = usePage();
  const isAsk = from === 'asks';
  return (
    <tr className={`l ${isAsk ? 'ask' : 'bid'}`} style={{ backgroundSize: `${depth}% 100%` }}>
      <td>
        <button
          type="button"
          className={isAsk ? 'no' : 'yes'}
          data-testid={`${isAsk ? 'ask' : 'bid'}-${rank}`}
          onClick={() => ticket.take({ outcome, from, price })}
        >
          {centsText(price)}
          {isOwn && <span className="own"> ◆ yours</span>}
        </button>
      </td>
      <td>{size}</td>
      <td>{total}</td>
    </tr>
  );
});
