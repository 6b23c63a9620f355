// Notes of the ticket about the book: it fills less than was typed, with alternatives; and which of the wallet's own orders are left out.
import { type BookEvent, formatAmount, type OpenOrder } from '@presage/sdk';
import { cents, centsText, money, roundedCents, shares } from '../lib/format.ts';
import type { Ticket } from '../lib/ticket.ts';
import { usePage } from '../state/page-context.ts';
import { Button } from '../ui/controls.tsx';
import { readTicket, type TicketOrder } from './ticket-order.ts';

interface ShortProps {
  readonly ticket: Ticket;
  readonly order: TicketOrder;
  readonly book: BookEvent | undefined;
  readonly free: bigint;
  readonly rate: number;
}

const CENT = 10_000n;

/** Shown only for immediate orders: the unfilled part of a limit order rests. */
export function ShortBook({ ticket, order, book, free, rate }: ShortProps) {
  const store = usePage().ticket;
  const write = (change: Partial<Ticket>) => store.write(change);
  if (ticket.kind !== 'now' || order.size >= order.wish) return null;
  const deeper = readTicket({ ...ticket, slippage: 'deep' }, book, free, rate).order;
  const reduced = reducedAmount(ticket, order);
  const isDeeper = deeper !== undefined && deeper.size > order.size;
  return (
    <div className="short-book" data-testid="short-book">
      <p role="status">{shortText(ticket, order)}</p>
      <div className="chips">
        {isDeeper && (
          <Button className="chip chip-sm" testId="take-deeper" onClick={() => write({ slippage: 'deep' })}>
            Take deeper prices, {roundedCents(deeper.fills.averagePrice)} on average
          </Button>
        )}
        <Button
          className="chip chip-sm"
          testId="rest-remainder"
          onClick={() => write({ kind: 'limit', price: centsText(order.price) })}
        >
          Rest the remainder at {cents(order.price)}
        </Button>
        {reduced > 0n && (
          <Button className="chip chip-sm" testId="reduce" onClick={() => write({ amount: formatAmount(reduced) })}>
            Reduce to {ticket.unit === 'dollars' ? money(reduced) : shares(reduced)}
          </Button>
        )}
      </div>
    </div>
  );
}

function shortText({ side, unit, amount }: Ticket, { fills, wish, price }: TicketOrder): string {
  const at = `at ${cents(price)} or ${side === 'buy' ? 'less' : 'more'}`;
  if (unit === 'dollars')
    return `Only ${money(fills.cost + fills.fee)} of your $${amount.replace(/^\s*\$/, '')} fills ${at}.`;
  return `Only ${shares(fills.filled)} of ${shares(wish)} shares fill ${at}.`;
}

/** Amount in the ticket's unit, never above the part that fills. */
function reducedAmount({ unit }: Ticket, { size, atMost }: TicketOrder): bigint {
  return unit === 'shares' ? size : atMost - (atMost % CENT);
}

interface OwnProps {
  readonly ticket: Ticket;
  readonly order: TicketOrder;
  /** The wallet's open orders of this outcome. */
  readonly own: readonly OpenOrder[];
}

/** Names the wallet's own orders that this one meets, which are cancelled rather than traded with. */
export function OwnOrdersNote({ ticket: { side }, order, own }: OwnProps) {
  const met = own.filter((each) => distanceTo(each, side, order) >= 0);
  const [first] = met;
  if (first === undefined) return null;
  // At the order's last price, orders ahead of the own one may already fill it.
  const cancels = met.every((each) => distanceTo(each, side, order) > 0) ? 'cancels' : 'may cancel';
  const name = side === 'buy' ? 'ask' : 'bid';
  const text =
    met.length === 1
      ? `Your own ${name} of ${shares(BigInt(first.remainingSize))} at ${cents(first.price)} is left out: this order ${cancels} it.`
      : `Your own ${met.length} ${name}s are left out: this order ${cancels} them.`;
  return (
    <p className="ticket-note is-warn" role="status" data-testid="own-note">
      {text}
    </p>
  );
}

/** How far this order's price goes beyond the own order's, in millionths; negative if it does not reach it or is on the same side. */
function distanceTo(own: OpenOrder, side: Ticket['side'], { price, size, fills }: TicketOrder): number {
  if (own.side === (side === 'buy' ? 0 : 1)) return -1;
  const isFilled = fills.filled === size;
  const beyond = ((isFilled ? fills.worstPrice : price) - Number(own.price)) * (side === 'buy' ? 1 : -1);
  // An order that is not filled passes every order at its last price too.
  return isFilled || beyond < 0 ? beyond : beyond + 1;
}
