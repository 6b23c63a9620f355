// Plans the demo maker's orders in a market: several levels on both sides of both outcomes, skewed against its inventory.

export interface Quote {
  readonly outcome: 'YES' | 'NO';
  readonly side: 'buy' | 'sell';
  /** Millionths of a dollar, always whole cents. */
  readonly price: number;
  /** Millionths of a share. */
  readonly size: number;
}

const CENT = 10_000;
const MILLION = 1_000_000;
export const LEVELS = 4;
/** Distance from the fair value to the best level. */
const HALF_SPREAD = 8_000;
/** Makes the best level worth more than fifty dollars at most prices; with less, the page calls a market thin. */
const BASE_SIZE = 200_000_000;
/** Net inventory at which the skew reaches its maximum. */
const FULL_INVENTORY = 10_000_000_000;
const MOST_SKEW = 40_000;

/** Shift of the quotes against the inventory: a maker long of YES asks and bids less for YES, so that others buy it. */
export function skewOf(inventory: number): number {
  const share = Math.max(-1, Math.min(1, inventory / FULL_INVENTORY));
  return -Math.round(share * MOST_SKEW);
}

/** `fair` is the YES price in millionths of a dollar; `inventory` is YES less NO in millionths of a share. */
export function planQuotes(fair: number, inventory: number): Quote[] {
  const centre = fair + skewOf(inventory);
  return [...ladder('YES', centre), ...ladder('NO', MILLION - centre)];
}

function* ladder(outcome: Quote['outcome'], centre: number): Generator<Quote> {
  const bid = Math.floor((centre - HALF_SPREAD) / CENT) * CENT;
  const ask = Math.ceil((centre + HALF_SPREAD) / CENT) * CENT;
  for (let level = 0; level < LEVELS; level++) {
    const size = BASE_SIZE * (level + 1);
    const [low, high] = [bid - level * CENT, ask + level * CENT];
    if (isQuotable(low)) yield { outcome, side: 'buy', price: low, size };
    if (isQuotable(high)) yield { outcome, side: 'sell', price: high, size };
  }
}

function isQuotable(price: number): boolean {
  return price >= CENT && price <= MILLION - CENT;
}

export interface RestingOrder extends Omit<Quote, 'size'> {
  readonly orderHash: string;
  readonly remainingSize: number;
}

/** Replaces only quotes that moved or are more than half filled: an order that still fits keeps its place in the queue. */
export function diffQuotes(wanted: readonly Quote[], resting: readonly RestingOrder[]) {
  const open = new Map(resting.map((order) => [keyOf(order), order]));
  const place = wanted.filter((quote) => (open.get(keyOf(quote))?.remainingSize ?? 0) < quote.size / 2);
  const kept = new Set(wanted.filter((quote) => !place.includes(quote)).map(keyOf));
  const cancel = resting.filter((order) => !kept.has(keyOf(order)) || open.get(keyOf(order)) !== order);
  return { cancel: cancel.map(({ orderHash }) => orderHash), place };
}

function keyOf({ outcome, side, price }: Omit<Quote, 'size'>): string {
  return `${outcome} ${side} ${price}`;
}
