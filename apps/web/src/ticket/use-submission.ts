// The press of the ticket's button: one order a press, asked about once more where it looks like a slip.
import type { BookEvent } from '@presage/sdk';
import { useEffect, useRef, useState } from 'react';
import { topOf } from '../lib/book-view.ts';
import { withNames } from '../lib/outcomes.ts';
import type { Ticket } from '../lib/ticket.ts';
import { type PriceMove, usePriceMove } from '../market/use-price-move.ts';
import type { MarketFeed } from '../state/market-feed.ts';
import type { Placing } from '../state/order-tracker.ts';
import { usePage } from '../state/page-context.ts';
import { useWatched } from '../state/store.ts';
import { type Caution, cautionOf } from './caution.ts';
import type { Obstacle } from './obstacle.ts';
import { slackOf, type TicketOrder, type TicketReading } from './ticket-order.ts';

export interface SubmissionOptions {
  readonly feed: MarketFeed;
  readonly ticket: Ticket;
  readonly book: BookEvent | undefined;
  readonly available: bigint | undefined;
  readonly reading: TicketReading;
  readonly obstacle: Obstacle | undefined;
}

export interface Submission {
  readonly order: TicketOrder | undefined;
  readonly placing: Placing | undefined;
  /** Set while the button asks for a second press. */
  readonly caution: Caution | undefined;
  /** Set when the price has moved since the order was typed. */
  readonly move: PriceMove | undefined;
  press(): void;
}

/** The second press of a double click is no answer to a question that has only just appeared. */
const READING_MS = 600;

export function useSubmission(options: SubmissionOptions): Submission {
  const { feed, ticket, book, available, reading, obstacle } = options;
  const { marketId, names } = feed;
  const { orderTracker, ticket: store } = usePage();
  const placing = useWatched(orderTracker.placing);
  const asked = useRef<{ readonly key: string; readonly atMs: number }>(undefined);
  const [askedKey, setAskedKey] = useState<string>();
  const { order } = reading;
  const caution = order && cautionOf(ticket, order, book, available);
  const key = `${marketId} ${ticket.side} ${ticket.outcome} ${ticket.kind} ${ticket.slippage} ${ticket.price} ${ticket.amount}`;
  const top = topOf(book);
  // An order at a price of one's own does not follow the book.
  const isFollowing = ticket.kind === 'now' && order !== undefined && placing === undefined;
  const move = usePriceMove(isFollowing ? key : '', ticket.side === 'buy' ? top.ask : top.bid, slackOf);
  // An order that was changed, even there and back, is a new question.
  useEffect(() => {
    if (asked.current?.key === key) return;
    asked.current = undefined;
    setAskedKey(undefined);
  }, [key]);
  const ask = () => {
    asked.current = { key, atMs: performance.now() };
    setAskedKey(key);
  };
  const send = async ({ params, text }: TicketOrder) => {
    asked.current = undefined;
    setAskedKey(undefined);
    if (await orderTracker.place({ ...params, marketId }, withNames(text, names), feed)) store.clearAmount();
  };
  const press = () => {
    // Read from the store, not from the last render: a second press may come before it.
    if (orderTracker.placing.get() !== undefined || obstacle !== undefined || order === undefined) return;
    if (move?.isLocked) return;
    if (caution !== undefined) {
      if (asked.current?.key !== key) return ask();
      if (performance.now() - asked.current.atMs < READING_MS) return;
    }
    void send(order);
  };
  return { order, placing, caution: askedKey === key ? caution : undefined, move, press };
}
