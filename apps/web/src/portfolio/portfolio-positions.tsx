// Open and closed positions of the portfolio: tables, and cards on a phone.
import { useMemo, useState } from 'react';
import { Link } from '../app/router.tsx';
import { money, roundedCents, shares } from '../lib/format.ts';
import { outcomeText } from '../lib/outcomes.ts';
import type { ClosedRow, OpenRow } from '../lib/portfolio.ts';
import { isClosingSoon, timeLeft } from '../lib/times.ts';
import { bidsText, toCents } from '../lib/valuation.ts';
import { usePage } from '../state/page-context.ts';
import { useWatched } from '../state/store.ts';
import { Button } from '../ui/controls.tsx';
import { Icon } from '../ui/icon.tsx';
import { Gain } from '../ui/profit.tsx';
import { Empty } from '../ui/states.tsx';
import { type Column, Table } from '../ui/table.tsx';
import { EventGroup, groupByEvent } from './event-group.tsx';

const CLOSED_SHOWN = 50;

const OPEN_COLUMNS: readonly Column<OpenRow>[] = [
  { name: 'Market', className: 'wrap', cell: MarketName },
  { name: 'Side', cell: Side },
  { name: 'Shares', className: 'num', cell: (row) => shares(row.shares) },
  { name: 'Average', className: 'num', cell: ({ average }) => roundedCents(average) },
  { name: 'Now', className: 'num', cell: ({ now }) => roundedCents(now) },
  {
    name: 'Value',
    className: 'num strong',
    testId: 'value',
    cell: (row) => (
      <>
        {money(row.value)}
        <Bids {...row} />
      </>
    ),
  },
  {
    name: 'Profit',
    className: 'num',
    testId: 'profit',
    cell: (row) => (
      <>
        <Gain amount={row.profit} />
        <div className="xs t3">{percentOf(row)}</div>
      </>
    ),
  },
  { name: 'If right', className: 'num', cell: (row) => money(toCents(row.shares)) },
  { name: 'Closes', className: 'num', cell: ({ closes }) => <Closes until={closes} /> },
  { name: 'Action', className: 'num', cell: SellLink },
];

interface OpenPositionsProps {
  readonly rows: readonly OpenRow[];
  /** True for the positions of another wallet, which cannot be sold here. */
  readonly isPublic?: boolean;
}

export function OpenPositions({ rows, isPublic = false }: OpenPositionsProps) {
  const sum = (pick: (row: OpenRow) => bigint) => rows.reduce((total, row) => total + pick(row), 0n);
  const groups = useMemo(() => groupByEvent(rows), [rows]);
  if (rows.length === 0) {
    return (
      <Empty text="No open positions." icon="grid">
        <Link href="/" className="btn btn-line">
          Find a market
        </Link>
      </Empty>
    );
  }
  return (
    <Table
      testId="portfolio-positions"
      caption="Open positions"
      rows={[...groups.values()].flat()}
      groupHead={(row) => {
        const group = row.event && groups.get(row.event.id);
        return group?.[0] === row && <EventGroup rows={group} isPublic={isPublic} />;
      }}
      keyOf={({ marketId, outcome }) => `${marketId} ${outcome}`}
      attributes={() => ({ 'data-testid': 'open-position' })}
      columns={isPublic ? OPEN_COLUMNS.slice(0, -1) : OPEN_COLUMNS}
      card={(row) => <OpenCard {...row} isTrading={row.isTrading && !isPublic} />}
      foot={
        <>
          <td className="t2" colSpan={5}>
            {rows.length} {rows.length === 1 ? 'position' : 'positions'}
          </td>
          <td className="num strong">{money(sum(({ value }) => value))}</td>
          <td className="num" data-testid="open-profit">
            <Gain amount={sum(({ profit }) => profit)} />
          </td>
          <td className="num">{money(sum((row) => toCents(row.shares)))}</td>
          <td colSpan={isPublic ? 1 : 2} />
        </>
      }
    />
  );
}

/** Note if the bids do not take all shares. */
function Bids(row: OpenRow) {
  const text = bidsText(row, row.shares, shares);
  return text === undefined ? null : <span className="xs t3 block">{text}</span>;
}

function OpenCard(row: OpenRow) {
  return (
    <>
      <MarketName {...row} />
      <div className="row between">
        <span className="row">
          <Side {...row} />
          <span className="t2">{shares(row.shares)} shares</span>
        </span>
        <b data-testid="value">
          {money(row.value)} <Bids {...row} />
        </b>
      </div>
      <div className="row between sm">
        <span className="t2">
          {roundedCents(row.average)} paid, {roundedCents(row.now)} now
        </span>
        <span data-testid="profit">
          <Gain amount={row.profit} />
        </span>
      </div>
      <div className="row between pfoot sm">
        <Closes until={row.closes} />
        <span className="t2">
          pays {money(row.shares)} if {outcomeText(row.outcome, row.kind)}
        </span>
        <SellLink {...row} />
      </div>
    </>
  );
}

const CLOSED_COLUMNS: readonly Column<ClosedRow>[] = [
  { name: 'Market', className: 'wrap', cell: MarketName },
  { name: 'Result', cell: ResultBadge },
  { name: 'Paid', className: 'num', cell: ({ paid }) => money(paid) },
  {
    name: 'Got',
    className: 'num',
    cell: ({ got, waiting }) => (
      <>
        {money(got)}
        {waiting > 0n && <div className="xs t3">to redeem</div>}
      </>
    ),
  },
  { name: 'Profit', className: 'num', testId: 'profit', cell: ({ profit }) => <Gain amount={profit} /> },
];

export function ClosedPositions({ rows }: { readonly rows: readonly ClosedRow[] }) {
  const [isAll, setIsAll] = useState(false);
  if (rows.length === 0)
    return <Empty text="No closed positions. Decided and sold markets are listed here." icon="clock" />;
  const shown = isAll ? rows : rows.slice(0, CLOSED_SHOWN);
  return (
    <>
      <Table
        testId="closed-positions"
        caption="Closed positions"
        rows={shown}
        keyOf={({ marketId }) => marketId}
        attributes={({ result }) => ({ 'data-testid': 'closed-position', 'data-result': result })}
        columns={CLOSED_COLUMNS}
        card={(row) => (
          <>
            <MarketName {...row} />
            <div className="row between">
              <ResultBadge {...row} />
              <span data-testid="profit">
                <Gain amount={row.profit} />
              </span>
            </div>
            <p className="sm t2">
              Paid {money(row.paid)}, got {money(row.got)}
              {row.waiting > 0n ? ', to redeem' : ''}
            </p>
          </>
        )}
      />
      {shown.length < rows.length && (
        <p className="pad">
          <Button look="line" onClick={() => setIsAll(true)}>
            Show all {rows.length}
          </Button>
        </p>
      )}
    </>
  );
}

function ResultBadge({ result, text }: ClosedRow) {
  return (
    <span className="row">
      <span className="badge">{text}</span>
      {result === 'lost' && <span className="t2 sm">lost</span>}
    </span>
  );
}

type Named = Pick<OpenRow, 'marketId' | 'question'> & Partial<Pick<OpenRow, 'event'>>;

/** Link to the market. Below its event's question, an outcome is shown by name only. */
export function MarketName({ marketId, question, event }: Named) {
  return (
    <Link className="clip" href={`/m/${marketId}`} title={question}>
      {event?.name ?? question}
    </Link>
  );
}

function Side({ outcome, kind, isPending }: OpenRow) {
  const isYes = outcome === 'YES';
  const icon = kind === 'quick' ? (isYes ? 'up' : 'down') : isYes ? 'check' : 'cross';
  return (
    <span className="row">
      <span className={isYes ? 'side yes' : 'side no'}>
        <Icon name={icon} size={14} />
        {outcomeText(outcome, kind)}
      </span>
      {isPending && <span className="badge">settling</span>}
    </span>
  );
}

function Closes({ until }: { readonly until: number }) {
  const now = useWatched(usePage().clock.seconds);
  return <span className={isClosingSoon(until, now) ? 'warn' : 't2'}>{timeLeft(until, now)}</span>;
}

function SellLink({ marketId, outcome, kind, question, isTrading }: OpenRow) {
  if (!isTrading) return null;
  const href = `/m/${marketId}?sell=${outcome.toLowerCase()}`;
  return (
    <Link className="btn btn-line sm" href={href} aria-label={`Sell ${outcomeText(outcome, kind)}: ${question}`}>
      Sell
    </Link>
  );
}

function percentOf({ profit, cost }: OpenRow): string {
  if (cost === 0n) return '';
  const tenths = Number((profit * 1_000n) / cost) / 10;
  return `${tenths < 0 ? '−' : '+'}${Math.abs(tenths).toFixed(1)}%`;
}
