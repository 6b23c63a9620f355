// What is written on the order ticket, wherever it was written from: its fields, the ladder, or the keyboard.
import type { OutcomeName } from '@presage/sdk';
import { centsText } from '../lib/format.ts';
import type { Ticket } from '../lib/ticket.ts';
import { Store } from './store.ts';

export const LIVES = [
  { seconds: 30 * 86_400, text: '30 days, or until cancelled' },
  { seconds: 86_400, text: 'One day' },
  { seconds: 3_600, text: 'One hour' },
  { seconds: 300, text: 'Five minutes' },
] as const;

const BLANK: Ticket = {
  side: 'buy',
  outcome: 'YES',
  kind: 'limit',
  price: '50.0',
  amount: '10',
  unit: 'shares',
  lifeSeconds: LIVES[0].seconds,
  postOnly: false,
};
const CENT = 10_000;
const [LOWEST, HIGHEST] = [1, 999_999];

export class TicketStore {
  readonly ticket = new Store<Ticket>(BLANK);
  /** Whether the sheet of small screens is open. */
  readonly isSheetOpen = new Store(false);
  /** Set by the form on the screen: what the Enter key does. */
  submit: () => void = () => undefined;
  #isPriceOwn = false;
  #suggestedFor = '';

  write(change: Partial<Ticket>): void {
    if (change.price !== undefined) this.#isPriceOwn = true;
    this.ticket.update((ticket) => ({ ...ticket, ...change }));
  }

  /** Another market: its prices have nothing to do with what was typed. */
  begin(): void {
    this.#isPriceOwn = false;
    this.#suggestedFor = '';
  }

  /** The price that would trade now, until somebody picks one; once only, so that it never moves under a hand. */
  suggest(marketId: string, price: number | undefined): void {
    const { side, outcome } = this.ticket.get();
    const key = `${marketId} ${side} ${outcome}`;
    if (price === undefined || this.#isPriceOwn || key === this.#suggestedFor) return;
    this.#suggestedFor = key;
    this.ticket.update((ticket) => ({ ...ticket, price: centsText(price) }));
  }

  /** A price of the book was picked: the ticket takes the other side of it. */
  take(pick: { readonly outcome: OutcomeName; readonly from: 'bids' | 'asks'; readonly price: number }): void {
    const side = pick.from === 'asks' ? 'buy' : 'sell';
    this.write({ outcome: pick.outcome, side, kind: 'limit', price: centsText(pick.price) });
  }

  /** Steps of tenths of a cent, within what a price can be. */
  stepPrice(tenths: number): void {
    const { price } = this.ticket.get();
    const units = Math.round(Number(price) * CENT) + tenths * (CENT / 10);
    if (Number.isFinite(units)) this.write({ price: centsText(Math.min(HIGHEST, Math.max(LOWEST, units))) });
  }
}
