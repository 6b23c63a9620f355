// The state of the order ticket, set from its fields, the ladder, or the keyboard.
import type { OutcomeName } from '@presage/sdk';
import { centsText } from '../lib/format.ts';
import type { Ticket } from '../lib/ticket.ts';
import { readPrice } from '../lib/typed-number.ts';
import { Store } from '../state/store.ts';

export const LIVES = [
  { value: 30 * 86_400, text: '30 days, or until cancelled' },
  { value: 86_400, text: 'One day' },
  { value: 3_600, text: 'One hour' },
  { value: 300, text: 'Five minutes' },
];

const BLANK: Ticket = {
  side: 'buy',
  outcome: 'YES',
  isPicked: true,
  kind: 'now',
  slippage: 'usual',
  price: '',
  amount: '',
  unit: 'dollars',
  lifeSeconds: LIVES[0]!.value,
  postOnly: false,
};
/** Price step of half a cent. */
const STEP = 5_000;
const [LOWEST, HIGHEST] = [1, 999_999];

export class TicketStore {
  readonly ticket = new Store<Ticket>(BLANK);
  readonly isSheetOpen = new Store(false);
  #isPriceOwn = false;
  #suggestedFor = '';
  /** Asset of the quick markets on the screen. */
  #asset: string | undefined;

  write(change: Partial<Ticket>): void {
    const before = this.ticket.get();
    const after = { ...before, ...change, isPicked: before.isPicked || change.outcome !== undefined };
    if (after.side !== before.side || after.outcome !== before.outcome) {
      this.#forgetPrice();
      this.ticket.set({ ...after, ...freshFields(before, change) });
    } else {
      this.ticket.set(after);
    }
    if (change.price !== undefined) this.#isPriceOwn = change.price.trim() !== '';
    // The price field reappears, and its earlier suggestion may be an hour old.
    if (after.kind !== before.kind) this.#suggestedFor = '';
  }

  /**
   * Resets the ticket for another market, where nothing typed before applies. The next window of the same asset keeps the
   * amount, and the user must pick the outcome again.
   */
  begin(asset?: string): void {
    const isNextWindow = asset !== undefined && asset === this.#asset;
    this.#asset = asset;
    this.#forgetPrice();
    this.ticket.update(({ outcome, lifeSeconds, amount, unit, side }) => ({
      ...BLANK,
      outcome,
      lifeSeconds,
      ...(isNextWindow && { isPicked: false, ...(side === 'buy' && { amount, unit }) }),
    }));
  }

  /** Call when the screen is left: on return the ticket is empty and the sheet closed. */
  leave(): void {
    this.#asset = undefined;
    this.isSheetOpen.set(false);
  }

  /** Call after an order was accepted, so that one more key press does not place it again. */
  clearAmount(): void {
    this.ticket.update((ticket) => ({ ...ticket, amount: '', slippage: 'usual' }));
  }

  /** Fills in the price that would trade now, unless the user chose one. Only once per order, so that it never changes while they type. */
  suggest(marketId: string, price: number | undefined): void {
    const { side, outcome } = this.ticket.get();
    const key = `${marketId} ${side} ${outcome}`;
    if (price === undefined || key === this.#suggestedFor) return;
    this.#suggestedFor = key;
    if (!this.#isPriceOwn) this.ticket.update((ticket) => ({ ...ticket, price: centsText(price) }));
  }

  /** Takes over a price that the user clicked in the book; never switches the side by itself. */
  take({ outcome, price }: { readonly outcome: OutcomeName; readonly price: number }): void {
    this.write({ outcome, kind: 'limit', price: centsText(price) });
  }

  /** Changes the price in steps of half a cent within the valid range; fills an empty field with the price that would trade now. */
  stepPrice(steps: number): void {
    const ticket = this.ticket.get();
    const { price } = readPrice(ticket.price);
    if (ticket.kind !== 'limit') return;
    if (!this.#isPriceOwn && ticket.price === '') {
      this.#suggestedFor = '';
      // A new object redraws the ticket, which then requests a suggestion.
      this.ticket.set({ ...ticket });
    }
    if (price === undefined) return;
    this.write({ price: centsText(Math.min(HIGHEST, Math.max(LOWEST, price + steps * STEP))) });
  }

  #forgetPrice(): void {
    this.#isPriceOwn = false;
    this.#suggestedFor = '';
  }
}

/** Fields to reset after a change of outcome or side: the price always, the amount if it counts other units. */
function freshFields(before: Ticket, change: Partial<Ticket>): Partial<Ticket> {
  const side = change.side ?? before.side;
  const isOtherSide = side !== before.side;
  return {
    slippage: 'usual',
    price: change.price ?? '',
    unit: change.unit ?? (isOtherSide ? (side === 'buy' ? 'dollars' : 'shares') : before.unit),
    amount: change.amount ?? (isOtherSide || side === 'sell' ? '' : before.amount),
  };
}
