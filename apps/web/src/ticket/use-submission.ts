// Handles presses of the ticket's button: one order per press, with a confirmation if it looks like a mistake.
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
  /** Set while the button asks for confirmation. */
  readonly caution: Caution | undefined;
  /** Set when the price has moved since the order was typed. */
  readonly move: PriceMove | undefined;
  press(): void;
}

/** Presses this soon after the question are ignored: the second press of a double click does not confirm it. */
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
  // Only an immediate order follows the book; a limit price stays as typed.
  const isFollowing = ticket.kind === 'now' && order !== undefined && placing === undefined;
  const move = usePriceMove(isFollowing ? key : '', ticket.side === 'buy' ? top.ask : top.bid, slackOf);
  // A changed order needs a new confirmation, even if it was changed back.
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
    // Reads the store, because a second press may come before the next render.
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
