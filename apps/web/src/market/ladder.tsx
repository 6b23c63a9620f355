// The order book of one outcome: asks above, bids below, depth bars, own orders marked; a click copies a price to the ticket.
import type { OutcomeName } from '@presage/sdk';
import { type CSSProperties, memo, useCallback, useMemo, useState } from 'react';
import { type LadderRow, ownSizes, toLadder, topOf } from '../lib/book-view.ts';
import { cents, centsText, money, roundedCents, shares, wholeMoney } from '../lib/format.ts';
import { OUTCOMES } from '../lib/outcomes.ts';
import type { MarketFeed } from '../state/market-feed.ts';
import { usePage } from '../state/page-context.ts';
import { PHONE, useMedia } from '../state/preferences.ts';
import { usePart } from '../state/store.ts';
import { Segments, Select } from '../ui/controls.tsx';
import { Icon } from '../ui/icon.tsx';
import { Panel } from '../ui/panel.tsx';
import { Empty } from '../ui/states.tsx';
import { useCanTrade } from './use-can-trade.ts';

const GROUPS = [
  { value: 1_000, text: '0.1¢' },
  { value: 5_000, text: '0.5¢' },
  { value: 10_000, text: '1¢' },
  { value: 50_000, text: '5¢' },
];
/** Rows on each side, filled or blank, so that the height of the book never changes. */
const ROWS = 6;
const PHONE_ROWS = 5;
type From = 'asks' | 'bids';

export function Ladder({ feed }: { readonly feed: MarketFeed }) {
  const { ticket, connection } = usePage();
  const isStale = usePart(connection.state, ({ state }) => state === 'stale');
  const [outcome, setOutcome] = useView(usePart(ticket.ticket, (each) => each.outcome));
  const [group, setGroup] = useState(GROUPS[0]!.value);
  const views = OUTCOMES.map((value) => ({ value, text: feed.names[value], testId: `view-${value}` }));
  const choices = (
    <div className="row">
      <Segments legend="Book of" className="seg tight" options={views} value={outcome} onPick={setOutcome} />
      <Select aria-label="Group prices by" className="sm" value={group} options={GROUPS} onPick={setGroup} />
    </div>
  );
  const state = isStale ? 'stale' : 'live';
  return (
    <Panel id="book" title="Order book" aside={choices} className="book-panel" testId="book-panel" state={state}>
      {isStale && (
        <p className="pad warn sm" role="status">
          Reconnecting: the book below is out of date.
        </p>
      )}
      <LadderRows feed={feed} outcome={outcome} group={group} />
    </Panel>
  );
}

/** Outcome whose book is shown: the ticket's until the user picks the other one, which does not change the ticket. */
function useView(traded: OutcomeName): [OutcomeName, (outcome: OutcomeName) => void] {
  const [view, setView] = useState({ traded, outcome: traded });
  if (view.traded !== traded) setView({ traded, outcome: traded });
  return [view.outcome, (outcome) => setView({ traded, outcome })];
}

interface RowsProps {
  readonly feed: MarketFeed;
  readonly outcome: OutcomeName;
  readonly group: number;
}

interface Pointed {
  readonly from: From;
  readonly rank: number;
  readonly top: number;
}

function LadderRows({ feed, outcome, group }: RowsProps) {
  const book = usePart(feed.books, (books) => books[outcome]);
  const orders = usePart(usePage().account.state, (state) => state.orders);
  const own = useMemo(() => ownSizes(orders ?? [], feed.marketId, outcome, group), [orders, feed, outcome, group]);
  const [pointed, setPointed] = useState<Pointed>();
  const canTrade = useCanTrade(usePart(feed.facts, (facts) => facts.market));
  const point = useCallback(
    (from: From, rank: number, row: HTMLElement) => setPointed({ from, rank, top: row.offsetTop }),
    [],
  );
  const count = useMedia(PHONE) ? PHONE_ROWS : ROWS;
  const asks = toLadder(book?.asks ?? [], 'asks', group).slice(0, count);
  const bids = toLadder(book?.bids ?? [], 'bids', group).slice(0, count);
  const deepest = [asks.at(-1)?.total ?? 0n, bids.at(-1)?.total ?? 0n].reduce((a, b) => (a > b ? a : b), 1n);
  const side = { outcome, deepest, own, pointed, count, onPoint: point };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the pointer only adds totals; the figures are in the rows.
    <div
      className="book"
      data-testid="book"
      data-state={book === undefined ? 'loading' : 'ready'}
      data-seq={book?.seq}
      onMouseLeave={() => setPointed(undefined)}
    >
      <LadderTable {...side} from="asks" rows={asks} />
      <Mid feed={feed} outcome={outcome} />
      <LadderTable {...side} from="bids" rows={bids} />
      {book !== undefined && asks.length + bids.length === 0 && (
        <Empty
          text={
            canTrade
              ? 'Nobody has an order here. Yours can be the first: place a limit order.'
              : 'The book is empty: trading is closed.'
          }
        />
      )}
      {pointed && <Totals pointed={pointed} rows={pointed.from === 'asks' ? asks : bids} />}
    </div>
  );
}

function Mid({ feed, outcome }: Omit<RowsProps, 'group'>) {
  const mid = usePart(feed.books, (books) => topOf(books[outcome]).mid);
  const spread = usePart(feed.books, (books) => topOf(books[outcome]).spread);
  return (
    <div className="spread" data-testid="spread">
      <span className="row">
        <b>{mid === undefined ? '–' : cents(mid)}</b>
        <span>mid</span>
      </span>
      <span>{spread === undefined ? 'no spread' : `spread ${cents(spread)}`}</span>
    </div>
  );
}

/** Total size and cost of trading up to the row under the pointer. */
function Totals({ pointed, rows }: { readonly pointed: Pointed; readonly rows: readonly LadderRow[] }) {
  const { from, rank, top } = pointed;
  const row = rows[rank];
  if (row === undefined) return null;
  const size = rows.slice(0, rank + 1).reduce((sum, each) => sum + each.size, 0n);
  const lines = {
    Shares: shares(size),
    Average: roundedCents(size === 0n ? 0n : (row.total * 1_000_000n) / size),
    [from === 'asks' ? 'You pay' : 'You get']: money(row.total),
  };
  return (
    <div className="totals" style={{ top }} aria-hidden="true">
      <p>
        {from === 'asks' ? 'Buy up to' : 'Sell down to'} {cents(row.price)}
      </p>
      {Object.entries(lines).map(([name, text]) => (
        <div key={name}>
          <span>{name}</span>
          <span>{text}</span>
        </div>
      ))}
    </div>
  );
}

interface TableProps {
  readonly outcome: OutcomeName;
  readonly from: From;
  readonly rows: readonly LadderRow[];
  readonly deepest: bigint;
  readonly own: ReadonlyMap<string, bigint>;
  readonly pointed: Pointed | undefined;
  /** Number of rows to draw, including blank ones. */
  readonly count: number;
  readonly onPoint: (from: From, rank: number, row: HTMLElement) => void;
}

function LadderTable({ outcome, from, rows, deepest, own, pointed, count, onPoint }: TableProps) {
  const drawn = rows.map((row, rank) => ({ row, rank }));
  if (from === 'asks') drawn.reverse();
  const blanks = RANKS.slice(0, count - rows.length).map((rank) => (
    <tr key={rank} className="blank">
      <td colSpan={3} />
    </tr>
  ));
  return (
    <table className="ladder">
      <caption className="sr">
        {from === 'asks' ? 'Asks for' : 'Bids for'} {outcome}. Press Enter on a price to copy it to the ticket.
      </caption>
      <colgroup>
        <col className="wide-col" />
        <col />
        <col />
      </colgroup>
      <thead className={from === 'asks' ? '' : 'sr'}>
        <tr>
          <th scope="col">Price ¢</th>
          <th scope="col">Shares</th>
          <th scope="col">Total $</th>
        </tr>
      </thead>
      <tbody>
        {from === 'asks' && blanks}
        {drawn.map(({ row, rank }) => (
          <LadderLine
            key={row.price}
            outcome={outcome}
            from={from}
            rank={rank}
            price={row.price}
            size={shares(row.size)}
            total={wholeMoney(row.total)}
            depth={Number((row.total * 100n) / deepest)}
            own={own.get(`${from} ${row.price}`)}
            isLit={pointed?.from === from && rank <= pointed.rank}
            onPoint={onPoint}
          />
        ))}
        {from === 'bids' && blanks}
      </tbody>
    </table>
  );
}

const RANKS = Array.from({ length: ROWS }, (_, rank) => rank);

interface LineProps extends Pick<TableProps, 'outcome' | 'from' | 'onPoint'> {
  readonly rank: number;
  readonly price: number;
  readonly size: string;
  readonly total: string;
  readonly depth: number;
  readonly own: bigint | undefined;
  readonly isLit: boolean;
}

/** One row of the ladder, re-rendered only when its own numbers change. */
const LadderLine = memo(function LadderLine(props: LineProps) {
  const { outcome, from, rank, price, size, total, depth, own, isLit, onPoint } = props;
  const { ticket } = usePage();
  const name = from === 'asks' ? 'ask' : 'bid';
  return (
    <tr
      className={[name, rank === 0 ? 'best' : '', isLit ? 'lit' : ''].join(' ')}
      // React passes custom properties on, but its types do not have them.
      style={{ '--d': `${depth}%` } as CSSProperties}
      onClick={() => ticket.take({ outcome, price })}
      onMouseEnter={(event) => onPoint(from, rank, event.currentTarget)}
    >
      <td>
        <button type="button" data-testid={`${name}-${rank}`} aria-label={`Use price ${centsText(price)} cents`}>
          {centsText(price)}
        </button>
        {own !== undefined && (
          <span className="own" data-testid="own" title={`Your order: ${shares(own)} shares`}>
            <Icon name="diamond" size={8} />
            {shares(own)} yours
          </span>
        )}
      </td>
      <td>{size}</td>
      <td>{total}</td>
    </tr>
  );
});
