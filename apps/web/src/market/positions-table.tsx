// The wallet's shares in one market: cost, current value, and a button to sell them.

import { valueShares } from '@presage/protocol/browser';
import { formatAmount, type Market, type OutcomeName } from '@presage/sdk';
import type { ReactNode } from 'react';
import { money, roundedCents, shares } from '../lib/format.ts';
import type { OutcomeNames } from '../lib/outcomes.ts';
import { bidsText, roundToCents, toCents } from '../lib/valuation.ts';
import type { Books, MarketFeed } from '../state/market-feed.ts';
import { usePage } from '../state/page-context.ts';
import { PHONE } from '../state/preferences.ts';
import { useWatched } from '../state/store.ts';
import { Button } from '../ui/controls.tsx';
import { Icon } from '../ui/icon.tsx';
import { Gain } from '../ui/profit.tsx';
import { Empty, Skeleton } from '../ui/states.tsx';
import { type Column, Table } from '../ui/table.tsx';
import { useCanTrade } from './use-can-trade.ts';
import { useFreeShares } from './use-free-shares.ts';
import { useOthersBook } from './use-others-book.ts';
import { type Holding, usePosition } from './use-position.ts';

export function PositionsTable({ feed, market }: { readonly feed: MarketFeed; readonly market: Market | undefined }) {
  const { account, ticket } = usePage();
  const { wallet } = useWatched(account.state);
  const holding = usePosition(feed.marketId);
  const free = useFreeShares(feed.marketId);
  const books = { YES: useOthersBook(feed, 'YES').book, NO: useOthersBook(feed, 'NO').book };
  const { names } = feed;
  const canTrade = useCanTrade(market);
  if (!wallet)
    return <Empty text="No wallet is open. Everything can be read without one; the ticket offers a demo wallet." />;
  if (holding === undefined) return <Skeleton rows={2} rowHeight={44} />;
  const rows = toRows(holding, market, books);
  if (rows.length === 0)
    return (
      <Empty
        text={
          canTrade
            ? `No shares in this market. ${names.YES} or ${names.NO} you buy appear here.`
            : 'No shares in this market.'
        }
      />
    );
  const sell = (row: HoldingRow) => {
    // Leaves out shares that open orders already offer; if all are offered, the ticket says so.
    const amount = free?.[row.outcome] ?? row.shares;
    ticket.write({ side: 'sell', outcome: row.outcome, unit: 'shares', amount: formatAmount(amount) });
    ticket.isSheetOpen.set(matchMedia(PHONE).matches);
  };
  const sellButton = (row: HoldingRow) => (
    <Button look="line sm" onClick={() => sell(row)} aria-label={`Sell ${names[row.outcome]}`}>
      Sell
    </Button>
  );
  return (
    <div data-testid="positions">
      <Table
        className="table wide-only"
        caption="Your shares in this market"
        rows={rows}
        keyOf={({ outcome }) => outcome}
        attributes={({ outcome }) => ({ 'data-testid': `position-${outcome}` })}
        columns={columnsOf(names, canTrade ? sellButton : undefined)}
      />
      {rows.map((row) => (
        <PhoneCard
          key={row.outcome}
          row={row}
          name={names[row.outcome]}
          onSell={canTrade ? () => sell(row) : undefined}
        />
      ))}
    </div>
  );
}

function columnsOf(
  names: OutcomeNames,
  sellButton: ((row: HoldingRow) => ReactNode) | undefined,
): Column<HoldingRow>[] {
  return [
    { name: 'Side', cell: (row) => <Side row={row} name={names[row.outcome]} /> },
    { name: 'Shares', className: 'num', cell: (row) => shares(row.shares) },
    { name: 'Average', className: 'num', cell: ({ average }) => roundedCents(average) },
    { name: 'Now', className: 'num', cell: ({ now }) => orDash(now, roundedCents) },
    { name: 'Value', className: 'num strong', testId: 'value', cell: (row) => <Value row={row} /> },
    {
      name: 'Profit',
      className: 'num',
      testId: 'profit',
      cell: ({ profit }) => (profit === undefined ? '–' : <Gain amount={profit} />),
    },
    { name: 'If right', className: 'num', cell: (row) => money(row.shares) },
    ...(sellButton ? [{ name: 'Action', className: 'num', cell: sellButton }] : []),
  ];
}

function orDash(amount: bigint | undefined, format: (amount: bigint) => string): string {
  return amount === undefined ? '–' : format(amount);
}

/** Value of the shares, with a note if the bids do not take all of them. */
function Value({ row }: { readonly row: HoldingRow }) {
  const { value, sellable } = row;
  if (value === undefined || sellable === undefined) return '–';
  const note = bidsText({ sellable, value }, row.shares, shares);
  return (
    <>
      {money(value)}
      {note !== undefined && <span className="xs t3 block">{note}</span>}
    </>
  );
}

interface CardProps {
  readonly row: HoldingRow;
  readonly name: string;
  /** Undefined if the shares cannot be sold any more. */
  readonly onSell: (() => void) | undefined;
}

function PhoneCard({ row, name, onSell }: CardProps) {
  return (
    <div className="pos phone-only">
      <div className="row between">
        <Side row={row} name={name} isLong />
        <b className="strong">
          <Value row={row} />
        </b>
      </div>
      <div className="row between sm t2">
        <span>
          Average {roundedCents(row.average)}, now {orDash(row.now, roundedCents)}
        </span>
        {row.profit !== undefined && <Gain amount={row.profit} />}
      </div>
      {onSell && (
        <Button look="line wide" onClick={onSell} aria-label={`Sell your ${name}`}>
          Sell
        </Button>
      )}
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
  /** Average price paid, in millionths per share. */
  readonly average: bigint;
  /** Average bid for the shares that have one, in millionths; the last price if none has. */
  readonly now?: bigint | undefined;
  /** Rounded down to whole cents. */
  readonly value?: bigint;
  readonly sellable?: bigint;
  readonly profit?: bigint;
}

const ONE = 1_000_000n;

/** Values the shares: by the bids while the market trades, by the last price afterwards. */
function toRows(holding: Holding, market: Market | undefined, books: Books): HoldingRow[] {
  const lastYes = BigInt(market?.lastYesPrice ?? 0);
  const sides = [
    { outcome: 'YES', shares: holding.yesShares, cost: holding.yesCost, last: lastYes },
    { outcome: 'NO', shares: holding.noShares, cost: holding.noCost, last: lastYes === 0n ? 0n : ONE - lastYes },
  ] as const;
  return sides
    .filter(({ shares }) => shares > 0n)
    .map(({ outcome, shares, cost, last }) => {
      const row = { outcome, shares, average: (cost * ONE) / shares };
      const bids = books[outcome]?.bids;
      if (market === undefined || bids === undefined) return row;
      const isOpen = market.status === 'open';
      const { feeRateBps } = market;
      const offered = isOpen ? bids.map((bid) => ({ ...bid, feeRateBps })) : [];
      const { price, sellable, value } = valueShares(shares, offered, last);
      const worth = { now: price, sellable: isOpen ? sellable : shares };
      return { ...row, ...worth, value: toCents(value), profit: roundToCents(value - cost) };
    });
}
