// Draws a book as a ladder: asks above, bids below, best prices next to the separator.
import type { Colors } from './table.ts';
import { drawAmount, drawPrice } from './values.ts';

interface LadderLevel {
  readonly price: number | bigint;
  readonly size: number | bigint;
}

/** A book, with both sides sorted best first. */
export interface LadderBook {
  readonly bids: readonly LadderLevel[];
  readonly asks: readonly LadderLevel[];
}

const BAR = 20;
const PRICE_WIDTH = 8;
const SIZE_WIDTH = 14;

/** At most `depth` levels per side; bars are relative to the largest level shown. */
export function drawLadder({ bids, asks }: LadderBook, colors: Colors, depth = 10): string {
  const [near, far] = [bids.slice(0, depth), asks.slice(0, depth)];
  const largest = [...near, ...far].reduce((most, { size }) => (BigInt(size) > most ? BigInt(size) : most), 1n);
  const draw = ({ price, size }: LadderLevel, paint: (text: string) => string) => {
    const bar = '▆'.repeat(Number((BigInt(size) * BigInt(BAR) + largest - 1n) / largest));
    return `${paint(drawPrice(price).padEnd(PRICE_WIDTH))} ${drawAmount(size).padStart(SIZE_WIDTH)}  ${paint(bar)}`;
  };
  return [
    ...hidden(asks, depth, colors),
    ...far.map((level) => draw(level, colors.red)).reverse(),
    colors.dim(`${'-'.repeat(PRICE_WIDTH + SIZE_WIDTH + 1)}  ${drawSpread(bids[0], asks[0])}`),
    ...near.map((level) => draw(level, colors.green)),
    ...hidden(bids, depth, colors),
  ].join('\n');
}

function hidden(levels: readonly LadderLevel[], depth: number, colors: Colors): string[] {
  return levels.length <= depth ? [] : [colors.dim(`... ${levels.length - depth} more`)];
}

function drawSpread(bid: LadderLevel | undefined, ask: LadderLevel | undefined): string {
  if (bid === undefined && ask === undefined) return 'empty';
  if (bid === undefined || ask === undefined) return bid === undefined ? 'no bids' : 'no asks';
  return `spread ${drawAmount(BigInt(ask.price) - BigInt(bid.price))}`;
}
