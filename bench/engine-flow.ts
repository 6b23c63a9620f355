// The flow of orders that the engine benchmark runs through every implementation, drawn from one seed.
import {
  BUY,
  type CancelOrder,
  DEFAULT_TERMS,
  type OrderHash,
  type PlaceOrder,
  type Price,
  SELL,
  type Side,
  type Size,
  toPrice,
  toSize,
  ZERO_ADDRESS,
} from '@presage/protocol';
import { SeededRandom, TEST_MARKET } from '@presage/testkit';

export type FlowOperation =
  | { readonly kind: 'place'; readonly id: OrderHash; readonly side: Side; readonly price: Price; readonly size: Size }
  | { readonly kind: 'cancel'; readonly id: OrderHash };

export interface FlowShape {
  readonly seed: number;
  readonly operations: number;
  /** Share of operations that cancel an earlier order, whether or not it is filled by now. */
  readonly cancels: number;
  /** Overlap of bids and asks in ticks; with 0 nothing trades. */
  readonly overlap: number;
}

const MIDDLE = 500_000;
const DEPTH_TICKS = 190;

export function makeFlow({ seed, operations, cancels, overlap }: FlowShape): FlowOperation[] {
  const random = new SeededRandom(seed);
  const placed: OrderHash[] = [];
  return Array.from({ length: operations }, () => {
    if (placed.length > 0 && random.chance(cancels)) {
      const at = random.int(0, placed.length - 1);
      const id = placed[at]!;
      placed[at] = placed.at(-1)!;
      placed.pop();
      return { kind: 'cancel', id };
    }
    const id = flat(random.hex(32));
    placed.push(id);
    const side = random.pick<Side>([BUY, SELL]);
    const distance = random.int(1 - overlap, DEPTH_TICKS);
    const price = toPrice(side === BUY ? MIDDLE - distance : MIDDLE + distance);
    return { kind: 'place', id, side, price, size: toSize(random.int(1, 100)) };
  });
}

/** The flow as commands: a thousand wallets, orders that live an hour to a day, a millisecond between commands. */
export function toCommands(
  flow: readonly FlowOperation[],
  startMs: number,
  firstNonce = 0,
): (PlaceOrder | CancelOrder)[] {
  const random = new SeededRandom(flow.length);
  const wallets = Array.from({ length: 1_000 }, () => flat(random.hex(20)));
  return flow.map((operation, index) => {
    const timeMs = startMs + index;
    const { id: orderHash } = operation;
    if (operation.kind === 'cancel') {
      return { type: 'cancel-order', timeMs, marketId: TEST_MARKET, orderHash, reason: 'user' };
    }
    const { side, price, size } = operation;
    const expiration = BigInt(Math.floor(startMs / 1000) + random.int(3_600, 86_400));
    const signature = flat(`0x${orderHash.slice(2).repeat(2)}1b`);
    // A literal, as a parser returns: objects made by spreading are slower to read.
    const order = {
      marketId: TEST_MARKET,
      trader: random.pick(wallets),
      side,
      outcome: 0 as const,
      price,
      size,
      nonce: BigInt(firstNonce + index),
      expiration,
      makerFeeRecipient: ZERO_ADDRESS,
    };
    return { type: 'place-order', timeMs, orderHash, order, signature, terms: DEFAULT_TERMS };
  });
}

/** Concatenated strings are flattened at their first use, which should not be part of the measurement. */
function flat(text: `0x${string}`): `0x${string}` {
  return JSON.parse(JSON.stringify(text));
}
