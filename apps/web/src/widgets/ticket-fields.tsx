// The fields of the ticket.
import type { OutcomeName, SideName } from '@presage/sdk';
import { type KeyboardEvent, type ReactNode, useId } from 'react';
import { topOf } from '../lib/book-view.ts';
import { formatUnits, maxShares } from '../lib/chips.ts';
import { cents, shares } from '../lib/format.ts';
import type { Ticket } from '../lib/ticket.ts';
import type { MarketFeed } from '../state/market-feed.ts';
import { usePage } from '../state/page-context.ts';
import { usePart } from '../state/store.ts';
import { LIVES } from '../state/ticket-store.ts';

interface FieldsProps {
  readonly feed: MarketFeed;
  readonly ticket: Ticket;
  readonly held: bigint;
}

export function TicketFields({ feed, ticket, held }: FieldsProps) {
  const store = usePage().ticket;
  const asks = {
    YES: usePart(feed.books, ({ YES }) => topOf(YES).ask),
    NO: usePart(feed.books, ({ NO }) => topOf(NO).ask),
  };
  const label = (outcome: OutcomeName) =>
    `${outcome} ${asks[outcome] === undefined ? '' : cents(asks[outcome])}`.trim();
  return (
    <>
      <h2 id="h-t">Order</h2>
      <Choice<SideName>
        legend="Side"
        value={ticket.side}
        onPick={(side) => store.write({ side })}
        options={[
          { value: 'buy', text: 'Buy' },
          { value: 'sell', text: 'Sell' },
        ]}
      />
      <Choice<OutcomeName>
        legend="Outcome"
        value={ticket.outcome}
        onPick={(outcome) => store.write({ outcome })}
        options={[
          { value: 'YES', text: label('YES'), tone: 'yes' },
          { value: 'NO', text: label('NO'), tone: 'no' },
        ]}
      />
      <Choice<Ticket['kind']>
        legend="Kind of order"
        value={ticket.kind}
        onPick={(kind) => store.write({ kind })}
        isSmall
        options={[
          { value: 'limit', text: 'Limit' },
          { value: 'now', text: 'Immediate' },
        ]}
      />
      {ticket.kind === 'limit' && <PriceField price={ticket.price} />}
      <AmountField ticket={ticket} held={held} />
      {ticket.kind === 'limit' && <Terms ticket={ticket} />}
      {held > 0n && (
        <p className="muted held">
          You hold {shares(held)} {ticket.outcome}
        </p>
      )}
    </>
  );
}

interface ChoiceProps<T extends string> {
  readonly legend: string;
  readonly value: T;
  readonly options: readonly { readonly value: T; readonly text: string; readonly tone?: 'yes' | 'no' }[];
  readonly onPick: (value: T) => void;
  readonly isSmall?: boolean;
}

function Choice<T extends string>({ legend, value, options, onPick, isSmall = false }: ChoiceProps<T>) {
  const name = useId();
  return (
    <fieldset className={isSmall ? 'seg seg-small' : 'seg'}>
      <legend className="skip">{legend}</legend>
      {options.map((option) => (
        <label key={option.value} className={option.tone ?? ''}>
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

function PriceField({ price }: { readonly price: string }) {
  const store = usePage().ticket;
  const id = useId();
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return;
    event.preventDefault();
    store.stepPrice((event.key === 'ArrowUp' ? 1 : -1) * (event.shiftKey ? 10 : 1));
  };
  return (
    <Field id={id} label="Limit price, ¢">
      <input
        id={id}
        inputMode="decimal"
        autoComplete="off"
        value={price}
        data-testid="price"
        onChange={(event) => store.write({ price: event.target.value })}
        onKeyDown={onKeyDown}
      />
    </Field>
  );
}

function Field({
  id,
  label,
  children,
  beside,
}: {
  readonly id: string;
  readonly label: string;
  readonly children: ReactNode;
  readonly beside?: ReactNode;
}) {
  return (
    <div className="field">
      <div className="split">
        <label htmlFor={id}>{label}</label>
        {beside}
      </div>
      {children}
    </div>
  );
}

function AmountField({ ticket, held }: { readonly ticket: Ticket; readonly held: bigint }) {
  const { ticket: store, account } = usePage();
  const id = useId();
  const available = usePart(account.state, ({ balances }) => balances?.available);
  const most = maxShares(ticket, held, BigInt(available ?? 0));
  const other = ticket.unit === 'shares' ? 'dollars' : 'shares';
  return (
    <>
      <Field
        id={id}
        label={ticket.unit === 'shares' ? 'Shares' : 'Dollars'}
        beside={
          <button type="button" className="link" onClick={() => store.write({ unit: other })}>
            in {other}
          </button>
        }
      >
        <input
          id={id}
          inputMode="decimal"
          autoComplete="off"
          value={ticket.amount}
          data-testid="size"
          onChange={(event) => store.write({ amount: event.target.value })}
        />
      </Field>
      <div className="chips">
        {[10, 100].map((step) => (
          <button
            key={step}
            type="button"
            className="btn"
            onClick={() => store.write({ amount: addTo(ticket.amount, step) })}
          >
            +{step}
          </button>
        ))}
        <button
          type="button"
          className="btn"
          disabled={most === 0n}
          onClick={() => store.write({ unit: 'shares', amount: formatUnits(most / 4n) })}
        >
          25%
        </button>
        <button
          type="button"
          className="btn"
          disabled={most === 0n}
          onClick={() => store.write({ unit: 'shares', amount: formatUnits(most) })}
        >
          Max
        </button>
      </div>
    </>
  );
}

function addTo(amount: string, step: number): string {
  const value = Number(amount);
  return String(Number.isFinite(value) ? Number((value + step).toFixed(6)) : step);
}

function Terms({ ticket }: { readonly ticket: Ticket }) {
  const store = usePage().ticket;
  const id = useId();
  return (
    <div className="terms">
      <label htmlFor={id} className="muted">
        Good for
      </label>
      <select
        id={id}
        value={ticket.lifeSeconds}
        onChange={(event) => store.write({ lifeSeconds: Number(event.target.value) })}
      >
        {LIVES.map(({ seconds, text }) => (
          <option key={seconds} value={seconds}>
            {text}
          </option>
        ))}
      </select>
      <label className="check">
        <input
          type="checkbox"
          checked={ticket.postOnly}
          onChange={(event) => store.write({ postOnly: event.target.checked })}
        />
        Post only: never trade at once
      </label>
    </div>
  );
}
