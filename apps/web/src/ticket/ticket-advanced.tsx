// The fold of the ticket for those who name a price: when, at what price, until when, and the exact figures.
import { type KeyboardEvent, useId } from 'react';
import { cents, money, moneyUp, roundedCents, shares } from '../lib/format.ts';
import type { Ticket } from '../lib/ticket.ts';
import { Pairs } from '../market/pairs.tsx';
import { usePage } from '../state/page-context.ts';
import { Icon } from '../ui/icon.tsx';
import { Choice } from './ticket-fields.tsx';
import type { TicketOrder } from './ticket-order.ts';
import { LIVES } from './ticket-store.ts';

interface AdvancedProps extends LinesProps {
  readonly marketId: string;
  readonly names?: { readonly YES: string; readonly NO: string } | undefined;
}

const PLAIN_NAMES = { YES: 'YES', NO: 'NO' };

interface LinesProps {
  readonly ticket: Ticket;
  readonly order: TicketOrder | undefined;
}

export function TicketAdvanced({ ticket, order, marketId, names = PLAIN_NAMES }: AdvancedProps) {
  const store = usePage().ticket;
  return (
    <>
      {ticket.kind === 'limit' && <PriceField price={ticket.price} />}
      <details className="fold" data-testid="advanced">
        <summary>
          Advanced
          <span className="val">{summaryOf(ticket, order)}</span>
          <Icon name="chevron" />
        </summary>
        <div className="fold-body">
          <Choice<Ticket['kind']>
            legend="When"
            value={ticket.kind}
            onPick={(kind) => store.write({ kind })}
            options={[
              { value: 'now', text: 'Now' },
              { value: 'limit', text: 'At my price' },
            ]}
          />
          {ticket.kind === 'limit' && <Terms ticket={ticket} />}
          <Lines ticket={ticket} order={order} />
          <Pairs marketId={marketId} names={names} />
        </div>
      </details>
    </>
  );
}

function summaryOf({ kind, side, price }: Ticket, order: TicketOrder | undefined): string {
  if (kind === 'limit') return price === '' ? 'At my price' : `At my price, ${price}¢`;
  return order === undefined ? 'Now' : `Now, at ${side === 'buy' ? 'most' : 'least'} ${cents(order.price)}`;
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
    <div className="field">
      <label htmlFor={id}>My price, ¢</label>
      <div className="stepper">
        <button type="button" aria-label="Half a cent less" onClick={() => store.stepPrice(-1)}>
          <Icon name="minus" />
        </button>
        <input
          id={id}
          inputMode="decimal"
          autoComplete="off"
          value={price}
          data-testid="price"
          onChange={(event) => store.write({ price: event.target.value })}
          onKeyDown={onKeyDown}
        />
        <button type="button" aria-label="Half a cent more" onClick={() => store.stepPrice(1)}>
          <Icon name="plus" />
        </button>
      </div>
    </div>
  );
}

function Terms({ ticket }: { readonly ticket: Ticket }) {
  const store = usePage().ticket;
  const id = useId();
  return (
    <>
      <div className="line">
        <label htmlFor={id}>Good until</label>
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
      </div>
      <div className="toggle">
        <span id={`${id}post`}>Never trade at once</span>
        <button
          type="button"
          role="switch"
          className="switch"
          aria-checked={ticket.postOnly}
          aria-labelledby={`${id}post`}
          data-testid="post-only"
          onClick={() => store.write({ postOnly: !ticket.postOnly })}
        />
      </div>
    </>
  );
}

function Lines({ ticket, order }: LinesProps) {
  const fills = order?.fills;
  return (
    <div className="lines">
      <Line name="You pay" value={order && money(order.outcomes.pays)} testId="cost" />
      <Line name="At most" value={order && moneyUp(order.atMost)} testId="most" />
      <Line name="Shares" value={order && shares(order.size)} testId="shares" />
      <Line
        name="Average price"
        value={fills && fills.filled > 0n ? roundedCents(fills.averagePrice) : undefined}
        testId="average"
      />
      <Line
        name={ticket.side === 'buy' ? 'Dearest price' : 'Lowest price'}
        value={fills && fills.worstPrice > 0 ? cents(fills.worstPrice) : undefined}
        testId="worst"
      />
      <Line
        name={ticket.side === 'buy' ? 'Never above' : 'Never below'}
        value={order && cents(order.price)}
        testId="limit"
      />
      <Line
        name="Fills now"
        value={order && fills && `${shares(fills.filled)} of ${shares(order.wish)}`}
        testId="fills"
      />
      {ticket.kind === 'limit' && <Line name="Waits in the book" value={fills && shares(fills.rests)} testId="rests" />}
      <Line name="Network fee" value="$0.00, paid by the relayer" />
    </div>
  );
}

function Line({
  name,
  value,
  testId,
}: {
  readonly name: string;
  readonly value: string | undefined;
  readonly testId?: string;
}) {
  return (
    <div className="line">
      <span>{name}</span>
      <span data-testid={testId}>{value ?? '–'}</span>
    </div>
  );
}
