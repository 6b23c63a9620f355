// Decides whether an order needs a confirmation, and words the question, with the possible loss wherever one can be computed.
import type { BookEvent } from '@presage/sdk';
import { topOf, worthOf } from '../lib/book-view.ts';
import { cents, centsText, money } from '../lib/format.ts';
import type { Ticket } from '../lib/ticket.ts';
import { walkBook } from './preview.ts';
import type { TicketOrder } from './ticket-order.ts';

export interface Caution {
  readonly text: string;
  /** Text of the button while it asks. */
  readonly button: string;
}

/** A limit price further than this beyond the mid, in millionths or as a fraction of it, is more often a mistake than intended. */
const THROUGH = 50_000;
const THROUGH_PART = 10;
/** The same distance for a market order, which follows the book and gets this far only in a wide one. */
const FAR_FROM_MID = 100_000;
const ONE_CENT = 10_000;
const LOWEST = 1;

export function cautionOf(
  ticket: Ticket,
  order: TicketOrder,
  book: BookEvent | undefined,
  available: bigint | undefined,
): Caution | undefined {
  const text =
    dollarsTyped(ticket, order, book) ??
    farFromMid(ticket, order, book) ??
    underHalf(ticket, order, book) ??
    halfOfCash(ticket, order, available);
  if (text === undefined) return undefined;
  return { text, button: `Yes, ${order.button.charAt(0).toLowerCase()}${order.button.slice(1)}` };
}

/** Warns of dollars typed into the field of cents: `0.75` for 75 cents. */
function dollarsTyped(ticket: Ticket, order: TicketOrder, book: BookEvent | undefined): string | undefined {
  const { price } = order;
  if (ticket.kind !== 'limit' || price >= ONE_CENT) return undefined;
  const dollars = price * 100;
  const meant = `${cents(price)} is less than one cent. If you mean ${cents(dollars)}, type ${centsText(dollars)}.`;
  const lost = lossText(ticket, order, book);
  return lost === undefined ? meant : `${meant} ${lost}`;
}

function farFromMid(ticket: Ticket, order: TicketOrder, book: BookEvent | undefined): string | undefined {
  const reference = referenceOf(ticket, book);
  if (reference === undefined) return undefined;
  const isLimit = ticket.kind === 'limit';
  const through = (isLimit ? order.price : order.fills.worstPrice) - reference.price;
  const distance = ticket.side === 'buy' ? through : -through;
  const isFar = isLimit ? distance > THROUGH || distance * THROUGH_PART > reference.price : distance > FAR_FROM_MID;
  return isFar ? lossText(ticket, order, book) : undefined;
}

/** Warns of a sale that may bring less than half of what the book pays for the same shares. */
function underHalf({ side }: Ticket, { price, size }: TicketOrder, book: BookEvent | undefined): string | undefined {
  if (side === 'buy') return undefined;
  const pays = walkBook(book, { side, price: LOWEST, size }).cost;
  const least = worthOf({ price, size });
  if (least * 2n >= pays) return undefined;
  return `The book pays ${money(pays)} for these shares now. At ${cents(price)} you can get ${money(pays - least)} less.`;
}

function halfOfCash({ side }: Ticket, { outcomes }: TicketOrder, available: bigint | undefined): string | undefined {
  const isMost = side === 'buy' && available !== undefined && available > 0n && outcomes.pays * 2n > available;
  return isMost ? `This is more than half of your ${money(available)}.` : undefined;
}

function lossText({ side }: Ticket, { price, size }: TicketOrder, book: BookEvent | undefined): string | undefined {
  const reference = referenceOf({ side }, book);
  if (reference === undefined) return undefined;
  const difference = worthOf({ price, size }) - worthOf({ price: reference.price, size });
  const loss = side === 'buy' ? difference : -difference;
  if (loss <= 0n) return undefined;
  const [verb, than] = side === 'buy' ? ['pay', 'more'] : ['get', 'less'];
  return `The ${reference.name} is ${cents(reference.price)}. At ${cents(price)} you can ${verb} ${money(loss)} ${than}.`;
}

/** The mid; without one, the best price that the order would meet. */
function referenceOf({ side }: Pick<Ticket, 'side'>, book: BookEvent | undefined) {
  const { bid, ask, mid } = topOf(book);
  if (mid !== undefined) return { name: 'mid', price: mid };
  const best = side === 'buy' ? ask : bid;
  return best === undefined ? undefined : { name: side === 'buy' ? 'best ask' : 'best bid', price: best };
}
