// The first fields of the ticket: buy or sell, YES or NO, and how much.

import { type BookEvent, formatAmount, type OpenOrder, type OutcomeName, type SideName } from '@presage/sdk';
import { type KeyboardEvent, useId } from 'react';
import { ownOrders, topOf, withoutOwn } from '../lib/book-view.ts';
import { cents, money, shares } from '../lib/format.ts';
import { OUTCOMES } from '../lib/outcomes.ts';
import type { Ticket } from '../lib/ticket.ts';
import { readNumber, readPrice } from '../lib/typed-number.ts';
import type { Books, MarketFeed } from '../state/market-feed.ts';
import { usePage } from '../state/page-context.ts';
import { usePart } from '../state/store.ts';
import { Button, TextInput } from '../ui/controls.tsx';
import { Icon } from '../ui/icon.tsx';
import type { Obstacle } from './obstacle.ts';
import { marketLimit, type TicketOrder } from './ticket-order.ts';
import { sizeWithin } from './worst-case.ts';

interface ChoiceProps<T extends string> {
  readonly legend: string;
  readonly value: T;
  readonly options: readonly { readonly value: T; readonly text: string }[];
  readonly onPick: (value: T) => void;
}

function Choice<T extends string>({ legend, value, options, onPick }: ChoiceProps<T>) {
  const name = useId();
  return (
    <fieldset className="seg fill radios">
      <legend className="sr">{legend}</legend>
      {options.map((option) => (
        <label key={option.value}>
          <input
            type="radio"
            name={name}
            value={option.value}
            checked={option.value === value}
            onChange={() => onPick(option.value)}
          />
          <span>{option.text}</span>
        </label>
      ))}
    </fieldset>
  );
}

const NO_ORDERS: readonly OpenOrder[] = [];
const SIDES = [
  { value: 'buy', text: 'Buy' },
  { value: 'sell', text: 'Sell' },
] as const;

const KINDS = [
  { value: 'now', text: 'Market' },
  { value: 'limit', text: 'Limit' },
] as const;

export function SideChoice({ ticket }: { readonly ticket: Ticket }) {
  const store = usePage().ticket;
  return (
    <div className="ticket-kind">
      <Choice<SideName> legend="Side" value={ticket.side} onPick={(side) => store.write({ side })} options={SIDES} />
      <Choice<Ticket['kind']>
        legend="Order type"
        value={ticket.kind}
        onPick={(kind) => store.write({ kind })}
        options={KINDS}
      />
    </div>
  );
}

export function OutcomeChoice({ feed, ticket }: { readonly feed: MarketFeed; readonly ticket: Ticket }) {
  const page = usePage();
  const store = page.ticket;
  const group = useId();
  const orders = usePart(page.account.state, (state) => state.orders) ?? NO_ORDERS;
  // The best price that this wallet could trade at, without its own orders.
  const price = (outcome: OutcomeName) => (books: Books) =>
    topOf(withoutOwn(books[outcome], ownOrders(orders, feed.marketId, outcome)))[ticket.side === 'buy' ? 'ask' : 'bid'];
  const prices = { YES: usePart(feed.books, price('YES')), NO: usePart(feed.books, price('NO')) };
  return (
    <fieldset className="outcomes">
      <legend className="sr">Outcome</legend>
      {OUTCOMES.map((outcome) => (
        <label key={outcome} className={`outcome is-${outcome.toLowerCase()}`} data-testid={`outcome-${outcome}`}>
          <input
            type="radio"
            name={group}
            value={outcome}
            checked={ticket.isPicked && ticket.outcome === outcome}
            onChange={() => store.write({ outcome })}
          />
          <span className="name">
            <span className="mark">
              {ticket.isPicked && ticket.outcome === outcome && <Icon name="check" size={12} />}
            </span>
            {feed.names[outcome]}
          </span>
          <span className="price">{prices[outcome] === undefined ? '–' : cents(prices[outcome])}</span>
        </label>
      ))}
    </fieldset>
  );
}

export function PriceField({ price }: { readonly price: string }) {
  const store = usePage().ticket;
  const id = useId();
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return;
    event.preventDefault();
    store.stepPrice((event.key === 'ArrowUp' ? 1 : -1) * (event.shiftKey ? 10 : 1));
  };
  return (
    <div className="field">
      <label htmlFor={id}>Limit price, ¢</label>
      <div className="stepper">
        <Button aria-label="Half a cent less" onClick={() => store.stepPrice(-1)}>
          <Icon name="minus" />
        </Button>
        <TextInput
          id={id}
          inputMode="decimal"
          autoComplete="off"
          value={price}
          data-testid="price"
          onText={(text) => store.write({ price: text })}
          onKeyDown={onKeyDown}
        />
        <Button aria-label="Half a cent more" onClick={() => store.stepPrice(1)}>
          <Icon name="plus" />
        </Button>
      </div>
    </div>
  );
}

interface AmountProps {
  readonly ticket: Ticket;
  readonly book: BookEvent | undefined;
  readonly held: bigint;
  /** Shares held and not offered by open orders. */
  readonly free: bigint;
  /** Taker fee rate of the market. */
  readonly rate: number;
  readonly order: TicketOrder | undefined;
  readonly problem: Obstacle | undefined;
}

export function AmountField({ ticket, book, held, free, rate, order, problem }: AmountProps) {
  const { ticket: store, account } = usePage();
  const id = useId();
  const available = usePart(account.state, ({ balances }) => balances?.available);
  const most = ticket.side === 'sell' ? free : mostBought(ticket, book, rate, BigInt(available ?? 0));
  const isDollars = ticket.unit === 'dollars';
  const label = isDollars ? 'You pay, in dollars' : `${ticket.side === 'buy' ? 'You buy' : 'You sell'}, in shares`;
  return (
    <div className={problem?.state === 'short' ? 'amount is-bad' : 'amount'}>
      <div className="amount-top">
        <label htmlFor={id}>{ticket.side === 'buy' ? 'You pay' : 'You sell'}</label>
        <span>
          {ticket.side === 'sell'
            ? heldText(held, free)
            : available !== undefined && `Available ${money(BigInt(available))}`}
        </span>
      </div>
      <div className="amount-in">
        {isDollars && <span aria-hidden="true">$</span>}
        <TextInput
          id={id}
          inputMode="decimal"
          autoComplete="off"
          placeholder="0"
          value={ticket.amount}
          data-testid="size"
          data-unit={ticket.unit}
          aria-label={label}
          onText={(amount) => store.write({ amount })}
        />
        {ticket.side === 'buy' ? (
          <Button
            className="link sm nowrap"
            testId="unit"
            title={isDollars ? 'Enter shares instead' : 'Enter dollars instead'}
            onClick={() => store.write({ unit: isDollars ? 'shares' : 'dollars', amount: '' })}
          >
            {otherUnit(isDollars, order)}
          </Button>
        ) : (
          <em>shares</em>
        )}
      </div>
      <AmountChips ticket={ticket} most={most} />
    </div>
  );
}

function heldText(held: bigint, free: bigint): string {
  return free === held ? `You hold ${shares(held)}` : `Free ${shares(free)} of ${shares(held)}`;
}

function otherUnit(isDollars: boolean, order: TicketOrder | undefined): string {
  if (order === undefined) return isDollars ? 'in shares' : 'in dollars';
  return isDollars ? `${shares(order.size)} shares` : money(order.outcomes.pays);
}

function AmountChips({ ticket, most }: { readonly ticket: Ticket; readonly most: bigint }) {
  const store = usePage().ticket;
  const sign = ticket.unit === 'dollars' ? '$' : '';
  const part = (percent: bigint) => {
    const size = (most * percent) / 100n;
    return formatAmount(size - (size % 10_000n));
  };
  const isNone = most === 0n;
  const steps =
    ticket.side === 'buy'
      ? [10, 50, 100].map((step) => ({ text: `+${sign}${step}`, amount: addTo(ticket, step), isNone: false }))
      : [25n, 50n].map((percent) => ({ text: `${percent}%`, amount: part(percent), isNone }));
  const chips = [...steps, { text: 'Max', amount: formatAmount(most), isNone, testId: 'max' }];
  return (
    <div className="amount-chips">
      {chips.map(({ text, amount, ...chip }) => (
        <Button
          key={text}
          className="chip chip-sm"
          testId={'testId' in chip ? chip.testId : undefined}
          disabled={chip.isNone}
          onClick={() => store.write({ amount })}
        >
          {text}
        </Button>
      ))}
    </div>
  );
}

/** Adds a step to the amount; text that is not a number stays, with its note. */
function addTo({ amount, unit }: Ticket, step: number): string {
  if (amount.trim() === '') return String(step);
  const { units } = readNumber(amount, { unit, expected: '' });
  return units === undefined ? amount : formatAmount(units + BigInt(step) * 1_000_000n);
}

const CENT = 10_000n;

/** Largest purchase that the available money pays for, in the ticket's unit. */
function mostBought(ticket: Ticket, book: BookEvent | undefined, rate: number, available: bigint): bigint {
  const limit = ticket.kind === 'now' ? marketLimit('buy', book) : readPrice(ticket.price).price;
  if (limit === undefined) return 0n;
  return ticket.unit === 'shares' ? sizeWithin(available, limit, rate) : available - (available % CENT);
}
