// The compared implementations: the peer package, our book alone, and the whole engine.
import { type Book, Engine, type EventBytes, fastBooks, type Level, NONE, PackedCommands } from '@presage/engine';
import { BUY, type CancelOrder, crosses, type OrderHash, oppositeSide, type PlaceOrder, SELL } from '@presage/protocol';
import { marketFacts, TEST_MARKET } from '@presage/testkit';
import { OrderBook, type Side as PeerSide } from 'nodejs-order-book';
import { type FlowOperation, toCommands } from './engine-flow.ts';

export const START_MS = 1_900_000_000_000;

export interface Contestant {
  readonly name: string;
  /** The timed part. */
  readonly run: () => void;
  /** The resulting book, best first: it must be equal for all, or the comparison is invalid. */
  readonly depth: () => { readonly bids: Level[]; readonly asks: Level[] };
}

export function createPeer(flow: readonly FlowOperation[]): Contestant {
  const book = new OrderBook();
  // The package declares an enum without values at run time.
  const sides = ['buy', 'sell'] as [PeerSide.BUY, PeerSide.SELL];
  return {
    name: 'nodejs-order-book 10.1.1',
    run: () => {
      for (const operation of flow) {
        if (operation.kind === 'cancel') book.cancel(operation.id);
        else
          book.limit({ id: operation.id, side: sides[operation.side], size: operation.size, price: operation.price });
      }
    },
    depth: () => {
      const [asks, bids] = book.depth().map((levels) => levels.map(([price, size]) => ({ price, size })));
      return { bids: bids!.sort((a, b) => b.price - a.price), asks: asks!.sort((a, b) => a.price - b.price) };
    },
  };
}

/** The minimum around the book for matching and cancelling by id: the same work as the peer's. */
class BareMatcher {
  readonly book: Book = fastBooks()(0);
  readonly #slots = new Map<OrderHash, number>();
  readonly #ids: OrderHash[] = [];
  readonly #free: number[] = [];
  #sequence = 0;

  place(order: FlowOperation & { kind: 'place' }): void {
    const { book } = this;
    let left: number = order.size;
    for (let slot = book.first(oppositeSide(order.side)); slot !== NONE && left > 0; ) {
      const best = book.best(oppositeSide(order.side));
      if (!crosses(order.side, order.price, best)) break;
      const size = Math.min(left, book.remaining(slot));
      left -= size;
      if (book.take(slot, size) > 0) break;
      this.#remove(slot);
      slot = book.first(oppositeSide(order.side));
    }
    if (left > 0) this.#rest(order, left);
  }

  cancel(id: OrderHash): void {
    const slot = this.#slots.get(id);
    if (slot === undefined) return;
    this.book.remove(slot);
    this.#remove(slot);
  }

  #rest(order: FlowOperation & { kind: 'place' }, left: number): void {
    const slot = this.#free.pop() ?? this.#ids.length;
    this.#ids[slot] = order.id;
    this.#slots.set(order.id, slot);
    this.book.insert(slot, order.side, order.price, this.#sequence++, left);
  }

  #remove(slot: number): void {
    this.#slots.delete(this.#ids[slot]!);
    this.#free.push(slot);
  }
}

export function createBookOnly(flow: readonly FlowOperation[]): Contestant {
  const matcher = new BareMatcher();
  return {
    name: 'presage, the book alone',
    run: () => {
      for (const operation of flow) {
        if (operation.kind === 'cancel') matcher.cancel(operation.id);
        else matcher.place(operation);
      }
    },
    depth: () => ({ bids: matcher.book.levels(BUY), asks: matcher.book.levels(SELL) }),
  };
}

/** Packed as a service does it: bytes written where the signature was checked. */
export function pack(commands: readonly (PlaceOrder | CancelOrder)[]): PackedCommands {
  const packed = new PackedCommands(commands.length);
  for (const [at, command] of commands.entries()) packed.write(at, command);
  return packed;
}

/** Preallocated memory for the orders of a busy service. */
const ORDERS_AHEAD = 200_000;

/** Takes commands as bytes, decides and applies them; with `events` it also writes the journal's bytes. */
export function createWholeEngine(flow: readonly FlowOperation[], events?: EventBytes): Contestant {
  const engine = new Engine({ ordersAhead: ORDERS_AHEAD });
  engine.apply({ type: 'list-market', timeMs: START_MS, market: marketFacts() });
  const commands = pack(toCommands(flow, START_MS));
  return {
    name: 'presage, the whole engine',
    run: () => {
      for (let at = 0; at < flow.length; at++) engine.applyPacked(commands, at, events);
    },
    depth: () => ({ bids: engine.levels(TEST_MARKET, 0, BUY), asks: engine.levels(TEST_MARKET, 0, SELL) }),
  };
}
