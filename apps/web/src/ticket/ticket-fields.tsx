// The first fields of the ticket: buy or sell, YES or NO, and how much.
import type { BookEvent, OutcomeName, SideName } from '@presage/sdk';
import { useId } from 'react';
import { topOf } from '../lib/book-view.ts';
import { cents, money, shares } from '../lib/format.ts';
import type { Ticket } from '../lib/ticket.ts';
import { readNumber } from '../lib/typed-number.ts';
import type { MarketFeed } from '../state/market-feed.ts';
import { usePage } from '../state/page-context.ts';
import { usePart } from '../state/store.ts';
import { Icon } from '../ui/icon.tsx';
import { formatUnits, mostOf } from './chips.ts';
import type { Obstacle } from './obstacle.ts';
import type { TicketOrder } from './ticket-order.ts';

interface ChoiceProps<T extends string> {
  readonly legend: string;
  readonly value: T;
  readonly options: readonly { readonly value: T; readonly text: string }[];
  readonly onPick: (value: T) => void;
}

export function Choice<T extends string>({ legend, value, options, onPick }: ChoiceProps<T>) {
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

export function SideChoice({ ticket }: { readonly ticket: Ticket }) {
  const store = usePage().ticket;
  return (
    <Choice<SideName>
      legend="Side"
      value={ticket.side}
      onPick={(side) => store.write({ side })}
      options={[
        { value: 'buy', text: 'Buy' },
        { value: 'sell', text: 'Sell' },
      ]}
    />
  );
}

interface OutcomeProps {
  readonly feed: MarketFeed;
  readonly ticket: Ticket;
  readonly names?: { readonly YES: string; readonly NO: string } | undefined;
}

const OUTCOMES: readonly OutcomeName[] = ['YES', 'NO'];

export function OutcomeChoice({ feed, ticket, names = { YES: 'YES', NO: 'NO' } }: OutcomeProps) {
  const store = usePage().ticket;
  const group = useId();
  const price =
    (outcome: OutcomeName) =>
    (books: { readonly YES?: BookEvent | undefined; readonly NO?: BookEvent | undefined }) => {
      const { bid, ask } = topOf(books[outcome]);
      return ticket.side === 'buy' ? ask : bid;
    };
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
            {names[outcome]}
          </span>
          <span className="price">{prices[outcome] === undefined ? '–' : cents(prices[outcome])}</span>
        </label>
      ))}
    </fieldset>
  );
}

interface AmountProps {
  readonly ticket: Ticket;
  readonly book: BookEvent | undefined;
  readonly held: bigint;
  /** Shares held that no open order offers. */
  readonly free: bigint;
  readonly order: TicketOrder | undefined;
  readonly problem: Obstacle | undefined;
}

export function AmountField({ ticket, book, held, free, order, problem }: AmountProps) {
  const { ticket: store, account } = usePage();
  const id = useId();
  const available = usePart(account.state, ({ balances }) => balances?.available);
  const most = mostOf(ticket, book, free, BigInt(available ?? 0));
  const isDollars = ticket.unit === 'dollars';
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
        <input
          id={id}
          inputMode="decimal"
          autoComplete="off"
          placeholder="0"
          value={ticket.amount}
          data-testid="size"
          data-unit={ticket.unit}
          aria-label={
            isDollars ? 'You pay, in dollars' : `${ticket.side === 'buy' ? 'You buy' : 'You sell'}, in shares`
          }
          onChange={(event) => store.write({ amount: event.target.value })}
        />
        {ticket.side === 'buy' ? (
          <button
            type="button"
            className="link sm nowrap"
            data-testid="unit"
            title={isDollars ? 'Enter shares instead' : 'Enter dollars instead'}
            onClick={() => store.write({ unit: isDollars ? 'shares' : 'dollars', amount: '' })}
          >
            {otherUnit(isDollars, order)}
          </button>
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
  const fill = (amount: bigint) => store.write({ amount: formatUnits(amount) });
  const part = (percent: bigint) => {
    const size = (most * percent) / 100n;
    return size - (size % 10_000n);
  };
  return (
    <div className="amount-chips">
      {ticket.side === 'buy'
        ? [10, 50, 100].map((step) => (
            <button
              key={step}
              type="button"
              className="chip chip-sm"
              onClick={() => store.write({ amount: addTo(ticket, step) })}
            >
              +{sign}
              {step}
            </button>
          ))
        : [25n, 50n].map((percent) => (
            <button
              key={String(percent)}
              type="button"
              className="chip chip-sm"
              disabled={most === 0n}
              onClick={() => fill(part(percent))}
            >
              {String(percent)}%
            </button>
          ))}
      <button
        type="button"
        className="chip chip-sm"
        data-testid="max"
        disabled={most === 0n}
        onClick={() => fill(most)}
      >
        Max
      </button>
    </div>
  );
}

/** What cannot be read stays, with the note that says why. */
function addTo({ amount, unit }: Ticket, step: number): string {
  if (amount.trim() === '') return String(step);
  const { units } = readNumber(amount, { unit, expected: '' });
  return units === undefined ? amount : formatUnits(units + BigInt(step) * 1_000_000n);
}
