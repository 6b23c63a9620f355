// The expandable part of the ticket: lifetime of a limit order, slippage of a market order, and the exact figures.
import { useId } from 'react';
import { cents, money, moneyUp, roundedCents, shares } from '../lib/format.ts';
import type { Ticket } from '../lib/ticket.ts';
import { Pairs } from '../market/pairs.tsx';
import type { MarketFeed } from '../state/market-feed.ts';
import { usePage } from '../state/page-context.ts';
import { Button, Select } from '../ui/controls.tsx';
import { Icon } from '../ui/icon.tsx';
import type { TicketOrder } from './ticket-order.ts';
import { LIVES } from './ticket-store.ts';

const SLIPPAGES = [
  { value: 'usual', text: 'At most 1% or 0.5¢' },
  { value: 'deep', text: 'As deep as it takes' },
] as const;

interface LinesProps {
  readonly ticket: Ticket;
  readonly order: TicketOrder | undefined;
}

export function TicketAdvanced({ ticket, order, feed }: LinesProps & { readonly feed: MarketFeed }) {
  return (
    <details className="fold" data-testid="advanced">
      <summary>
        Details
        <span className="val">{summaryOf(ticket, order)}</span>
        <Icon name="chevron" />
      </summary>
      <div className="fold-body">
        {ticket.kind === 'limit' ? <Terms ticket={ticket} /> : <Slippage ticket={ticket} />}
        <Lines ticket={ticket} order={order} />
        <Pairs feed={feed} />
      </div>
    </details>
  );
}

function summaryOf({ kind, side, lifeSeconds, postOnly }: Ticket, order: TicketOrder | undefined): string {
  if (kind === 'now') return order === undefined ? '' : `At ${side === 'buy' ? 'most' : 'least'} ${cents(order.price)}`;
  const life = LIVES.find(({ value }) => value === lifeSeconds)?.text ?? '';
  return postOnly ? `Post-only, ${life}` : life;
}

function Slippage({ ticket }: { readonly ticket: Ticket }) {
  const store = usePage().ticket;
  const id = useId();
  return (
    <div className="line">
      <label htmlFor={id}>Slippage</label>
      <Select
        id={id}
        value={ticket.slippage}
        options={SLIPPAGES}
        data-testid="slippage"
        onPick={(slippage) => store.write({ slippage })}
      />
    </div>
  );
}

function Terms({ ticket }: { readonly ticket: Ticket }) {
  const store = usePage().ticket;
  const id = useId();
  return (
    <>
      <div className="line">
        <label htmlFor={id}>Good till</label>
        <Select
          id={id}
          value={ticket.lifeSeconds}
          options={LIVES}
          onPick={(lifeSeconds) => store.write({ lifeSeconds })}
        />
      </div>
      <div className="toggle">
        <span id={`${id}post`}>Post-only</span>
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

function Lines({ ticket: { kind }, order }: LinesProps) {
  const fills = order?.fills;
  const average = fills && fills.filled > 0n ? roundedCents(fills.averagePrice) : undefined;
  const worst = fills && fills.worstPrice > 0 ? cents(fills.worstPrice) : undefined;
  const lines = [
    { name: 'You pay', value: order && money(order.outcomes.pays), testId: 'cost' },
    { name: 'Fee included', value: fills && money(fills.fee), testId: 'fee' },
    { name: 'At most', value: order && moneyUp(order.atMost), testId: 'most' },
    { name: 'Shares', value: order && shares(order.size), testId: 'shares' },
    { name: 'Average price', value: average, testId: 'average' },
    { name: 'Worst price', value: worst, testId: 'worst' },
    { name: 'Limit price', value: order && cents(order.price), testId: 'limit' },
    { name: 'Fills now', value: order && `${shares(order.fills.filled)} of ${shares(order.wish)}`, testId: 'fills' },
    ...(kind === 'limit' ? [{ name: 'Rests in the book', value: fills && shares(fills.rests), testId: 'rests' }] : []),
    { name: 'Network fee', value: '$0.00, paid by the exchange', testId: undefined },
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
