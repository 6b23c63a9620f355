// The state of the order ticket, set from its fields, the ladder, or the keyboard.
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
  /** Whether the sheet is open on small screens. */
  readonly isSheetOpen = new Store(false);
  /** Set by the visible form: what the Enter key does. */
  submit: () => void = () => undefined;
  #isPriceOwn = false;
  #suggestedFor = '';

  write(change: Partial<Ticket>): void {
    if (change.price !== undefined) this.#isPriceOwn = true;
    this.ticket.update((ticket) => ({ ...ticket, ...change }));
  }

  /** Another market: the typed price means nothing there. */
  begin(): void {
    this.#isPriceOwn = false;
    this.#suggestedFor = '';
  }

  /** Fills in the price that would trade now unless the user chose one; once only, so that it never changes while they type. */
  suggest(marketId: string, price: number | undefined): void {
    const { side, outcome } = this.ticket.get();
    const key = `${marketId} ${side} ${outcome}`;
    if (price === undefined || this.#isPriceOwn || key === this.#suggestedFor) return;
    this.#suggestedFor = key;
    this.ticket.update((ticket) => ({ ...ticket, price: centsText(price) }));
  }

  /** The user clicked a price in the book: the ticket takes the other side of it. */
  take(pick: { readonly outcome: OutcomeName; readonly from: 'bids' | 'asks'; readonly price: number }): void {
    const side = pick.from === 'asks' ? 'buy' : 'sell';
    this.write({ outcome: pick.outcome, side, kind: 'limit', price: centsText(pick.price) });
  }

  /** Steps of a tenth of a cent, within the valid price range. */
  stepPrice(tenths: number): void {
    const { price } = this.ticket.get();
    const units = Math.round(Number(price) * CENT) + tenths * (CENT / 10);
    if (Number.isFinite(units)) this.write({ price: centsText(Math.min(HIGHEST, Math.max(LOWEST, units))) });
  }
}
