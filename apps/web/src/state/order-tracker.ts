// The orders placed in this session, each with its progress: signing, accepted, settling, settled, or what went wrong.
import type { OrderParams, OrderTrade, PlacedOrder, WatchUserEvent } from '@presage/sdk';
import type { Account } from './account.ts';
import { toFailure } from './failure.ts';
import { Store } from './store.ts';

export const STAGES = ['signing', 'accepted', 'settling', 'settled'] as const;
export type Stage = (typeof STAGES)[number];

export interface TrackedOrder {
  readonly id: number;
  /** The order as text. */
  readonly text: string;
  readonly stage: Stage;
  /** Set when it ended without settling, or failed. */
  readonly ending: { readonly kind: 'resting' | 'failed'; readonly text: string } | undefined;
  readonly matches: number;
  readonly txHash: string | undefined;
}

const KEPT = 4;

export class OrderTracker {
  /** Newest first. */
  readonly orders = new Store<readonly TrackedOrder[]>([]);
  readonly #account: Account;
  #count = 0;

  constructor(account: Account) {
    this.#account = account;
  }

  async place(params: OrderParams, text: string): Promise<void> {
    const { wallet } = this.#account.state.get();
    if (!wallet) return;
    const id = this.#begin(text);
    try {
      const placed = await wallet.client.placeOrder(params);
      this.#change(id, { stage: 'accepted', matches: placed.matches });
      await this.#follow(id, placed);
    } catch (error) {
      const { message, remedy } = toFailure(error);
      this.#fail(id, [message, remedy, 'Nothing was spent.'].filter(Boolean).join(' '));
    }
    this.#account.touch();
  }

  dismiss(id: number): void {
    this.orders.update((orders) => orders.filter((order) => order.id !== id));
  }

  #begin(text: string): number {
    const id = this.#count++;
    const order = { id, text, stage: 'signing', ending: undefined, matches: 0, txHash: undefined } as const;
    this.orders.update((orders) => [order, ...orders].slice(0, KEPT));
    return id;
  }

  async #follow(id: number, placed: PlacedOrder): Promise<void> {
    if (placed.trades.length === 0) {
      const isOver = placed.orderStatus !== 'open';
      const text = isOver ? 'Nothing to fill: the order is over, nothing was spent.' : 'Resting on the book.';
      this.#change(id, { ending: { kind: 'resting', text } });
      return;
    }
    const ids = new Set(placed.trades.map((trade) => trade.id));
    const stop = this.#account.listen((event) => this.#onEvent(id, ids, event));
    try {
      const { settled, failed } = await placed.waitForSettlement();
      const txHash = settled.at(-1)?.txHash;
      if (failed[0] === undefined) this.#change(id, { stage: 'settled', txHash });
      else this.#fail(id, await describeFailure(failed[0], placed));
    } finally {
      stop();
    }
  }

  #onEvent(id: number, trades: ReadonlySet<string>, event: WatchUserEvent): void {
    if (event.type !== 'trade_status' || !trades.has(event.data.id)) return;
    if (event.data.stage === 'submitted' || event.data.stage === 'mined') {
      this.#change(id, { stage: 'settling', txHash: event.data.txHash });
    }
  }

  #fail(id: number, text: string): void {
    this.#change(id, { ending: { kind: 'failed', text } });
  }

  #change(id: number, change: Partial<TrackedOrder>): void {
    this.orders.update((orders) => orders.map((order) => (order.id === id ? { ...order, ...change } : order)));
  }
}

/** The reason, the party at fault, and what happened to the money and the order. */
async function describeFailure({ reason, faultParty }: OrderTrade, placed: PlacedOrder): Promise<string> {
  const { status } = await placed.refresh();
  const whose = faultParty === undefined ? '' : ` (fault of the ${faultParty})`;
  const after = status === 'open' ? 'what did not settle rests on the book again' : 'the order is over';
  return `${reason ?? 'The chain refused it'}${whose}. No money moved for it; ${after}.`;
}
