// The fold of the ticket for those who name a price: when, at what price, until when, and the exact figures.
import { type KeyboardEvent, useId } from 'react';
import { cents, money, moneyUp, roundedCents, shares } from '../lib/format.ts';
import type { Ticket } from '../lib/ticket.ts';
import { Pairs } from '../market/pairs.tsx';
import type { MarketFeed } from '../state/market-feed.ts';
import { usePage } from '../state/page-context.ts';
import { Button, Select, TextInput } from '../ui/controls.tsx';
import { Icon } from '../ui/icon.tsx';
import { Choice } from './ticket-fields.tsx';
import type { TicketOrder } from './ticket-order.ts';
import { LIVES } from './ticket-store.ts';

const WHEN = [
  { value: 'now', text: 'Now' },
  { value: 'limit', text: 'At my price' },
] as const;

interface LinesProps {
  readonly ticket: Ticket;
  readonly order: TicketOrder | undefined;
}

export function TicketAdvanced({ ticket, order, feed }: LinesProps & { readonly feed: MarketFeed }) {
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
            options={WHEN}
          />
          {ticket.kind === 'limit' && <Terms ticket={ticket} />}
          <Lines ticket={ticket} order={order} />
          <Pairs feed={feed} />
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

function Terms({ ticket }: { readonly ticket: Ticket }) {
  const store = usePage().ticket;
  const id = useId();
  return (
    <>
      <div className="line">
        <label htmlFor={id}>Good until</label>
        <Select
          id={id}
          value={ticket.lifeSeconds}
          options={LIVES}
          onPick={(lifeSeconds) => store.write({ lifeSeconds })}
        />
      </div>
      <div className="toggle">
        <span id={`${id}post`}>Never trade at once</span>
        <Button
          role="switch"
          className="switch"
          aria-checked={ticket.postOnly}
          aria-labelledby={`${id}post`}
          testId="post-only"
          onClick={() => store.write({ postOnly: !ticket.postOnly })}
        />
      </div>
    </>
  );
}

function Lines({ ticket: { side, kind }, order }: LinesProps) {
  const fills = order?.fills;
  const isBuy = side === 'buy';
  const average = fills && fills.filled > 0n ? roundedCents(fills.averagePrice) : undefined;
  const worst = fills && fills.worstPrice > 0 ? cents(fills.worstPrice) : undefined;
  const lines = [
    { name: 'You pay', value: order && money(order.outcomes.pays), testId: 'cost' },
    { name: 'At most', value: order && moneyUp(order.atMost), testId: 'most' },
    { name: 'Shares', value: order && shares(order.size), testId: 'shares' },
    { name: 'Average price', value: average, testId: 'average' },
    { name: isBuy ? 'Dearest price' : 'Lowest price', value: worst, testId: 'worst' },
    { name: isBuy ? 'Never above' : 'Never below', value: order && cents(order.price), testId: 'limit' },
    { name: 'Fills now', value: order && `${shares(order.fills.filled)} of ${shares(order.wish)}`, testId: 'fills' },
    ...(kind === 'limit' ? [{ name: 'Waits in the book', value: fills && shares(fills.rests), testId: 'rests' }] : []),
    { name: 'Network fee', value: '$0.00, paid by the relayer', testId: undefined },
  ];
  return (
    <div className="lines">
      {lines.map(({ name, value, testId }) => (
        <div key={name} className="line">
          <span>{name}</span>
          <span data-testid={testId}>{value ?? '–'}</span>
        </div>
      ))}
    </div>
  );
}
