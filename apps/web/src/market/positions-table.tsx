// The wallet's shares in one market: what they cost, what they bring now, and a button to sell them.

import { marksOf, type ShareMarks } from '@presage/protocol/browser';
import { formatAmount, type Market, type OutcomeName } from '@presage/sdk';
import { quoteOf } from '../lib/chance.ts';
import { cents, money, roundedCents, shares } from '../lib/format.ts';
import type { Books, MarketFeed } from '../state/market-feed.ts';
import { usePage } from '../state/page-context.ts';
import { PHONE } from '../state/preferences.ts';
import { useWatched } from '../state/store.ts';
import { Button } from '../ui/controls.tsx';
import { Icon } from '../ui/icon.tsx';
import { Gain } from '../ui/profit.tsx';
import { Empty, Skeleton } from '../ui/states.tsx';
import { Table } from '../ui/table.tsx';
import { type Holding, usePosition } from './use-position.ts';

export function PositionsTable({ feed, market }: { readonly feed: MarketFeed; readonly market: Market | undefined }) {
  const { account, ticket } = usePage();
  const { wallet } = useWatched(account.state);
  const holding = usePosition(feed.marketId);
  const books = useWatched(feed.books);
  const { names } = feed;
  if (!wallet)
    return <Empty text="No wallet is open. Everything can be read without one; the ticket offers a demo wallet." />;
  if (holding === undefined) return <Skeleton rows={2} rowHeight={44} />;
  const rows = toRows(holding, market, books);
  if (rows.length === 0)
    return <Empty text={`No shares in this market. Buy ${names.YES} or ${names.NO} and they appear here.`} />;
  const sell = (row: HoldingRow) => {
    ticket.write({ side: 'sell', outcome: row.outcome, unit: 'shares', amount: formatAmount(row.shares) });
    ticket.isSheetOpen.set(matchMedia(PHONE).matches);
  };
  return (
    <div data-testid="positions">
      <Table
        className="table wide-only"
        caption="Your shares in this market"
        rows={rows}
        keyOf={({ outcome }) => outcome}
        attributes={({ outcome }) => ({ 'data-testid': `position-${outcome}` })}
        columns={[
          { name: 'Side', cell: (row) => <Side row={row} name={names[row.outcome]} /> },
          { name: 'Shares', className: 'num', cell: (row) => shares(row.shares) },
          { name: 'Average', className: 'num', cell: ({ average }) => roundedCents(average) },
          { name: 'Now', className: 'num', cell: ({ now }) => orDash(now, cents) },
          { name: 'Value', className: 'num strong', testId: 'value', cell: ({ value }) => orDash(value, money) },
          {
            name: 'Profit',
            className: 'num',
            testId: 'profit',
            cell: ({ profit }) => (profit === undefined ? '–' : <Gain amount={profit} />),
          },
          { name: 'If right', className: 'num', cell: (row) => money(row.shares) },
          {
            name: 'Action',
            className: 'num',
            cell: (row) => (
              <Button look="line sm" onClick={() => sell(row)} aria-label={`Sell ${names[row.outcome]}`}>
                Sell
              </Button>
            ),
          },
        ]}
      />
      {rows.map((row) => (
        <PhoneCard key={row.outcome} row={row} name={names[row.outcome]} onSell={() => sell(row)} />
      ))}
    </div>
  );
}

function orDash(amount: bigint | undefined, format: (amount: bigint) => string): string {
  return amount === undefined ? '–' : format(amount);
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
        <b className="strong">{orDash(row.value, money)}</b>
      </div>
      <div className="row between sm t2">
        <span>
          Average {roundedCents(row.average)}, now {orDash(row.now, cents)}
        </span>
        {row.profit !== undefined && <Gain amount={row.profit} />}
      </div>
      <Button look="line wide" onClick={onSell} aria-label={`Sell your ${name}`}>
        Sell
      </Button>
    </div>
  );
}

interface SideProps extends Omit<CardProps, 'onSell'> {
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

interface HoldingRow {
  readonly outcome: OutcomeName;
  readonly shares: bigint;
  /** Millionths a share. */
  readonly average: bigint;
  readonly now: bigint | undefined;
  readonly value: bigint | undefined;
  readonly profit: bigint | undefined;
}

const ONE = 1_000_000n;
const HALF = 500_000;

type Decided = Pick<Market, 'status' | 'winningOutcome' | 'lastYesPrice'>;

/** What a share of either outcome brings now; 0 before anyone named a price. */
function marksNow({ status, winningOutcome, lastYesPrice }: Decided, books: Books): ShareMarks {
  if (status === 'void') return { yes: HALF, no: HALF };
  if (status === 'resolved') return winningOutcome === 0 ? { yes: 1_000_000, no: 0 } : { yes: 0, no: 1_000_000 };
  return marksOf(quoteOf(books), Number(lastYesPrice));
}

function toRows(holding: Holding, market: Decided | undefined, books: Books): HoldingRow[] {
  const marks = market && marksNow(market, books);
  const sides = [
    { outcome: 'YES', shares: holding.yesShares, cost: holding.yesCost, mark: marks?.yes },
    { outcome: 'NO', shares: holding.noShares, cost: holding.noCost, mark: marks?.no },
  ] as const;
  return sides
    .filter(({ shares }) => shares > 0n)
    .map(({ outcome, shares, cost, mark }) => {
      const now = mark === undefined ? undefined : BigInt(mark);
      const value = now === undefined ? undefined : (shares * now) / ONE;
      const profit = value === undefined ? undefined : value - cost;
      return { outcome, shares, average: (cost * ONE) / shares, now, value, profit };
    });
}
