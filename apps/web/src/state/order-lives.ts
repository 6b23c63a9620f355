// Orders of this visit, each from the signature to the chain: signing, accepted, settling, settled, or what went wrong.
import type { OrderParams, OrderTrade, PlacedOrder, UserEvent } from '@presage/sdk';
import type { Account } from './account.ts';
import { toFailure } from './failure.ts';
import { Store } from './store.ts';

export const STAGES = ['signing', 'accepted', 'settling', 'settled'] as const;
export type Stage = (typeof STAGES)[number];

export interface OrderLife {
  readonly id: number;
  /** The order in words. */
  readonly text: string;
  readonly stage: Stage;
  /** Set when it is over without having gone all the way, or for the worse. */
  readonly ending: { readonly kind: 'resting' | 'failed'; readonly text: string } | undefined;
  readonly matches: number;
  readonly txHash: string | undefined;
}

const KEPT = 4;

export class OrderLives {
  /** Newest first. */
  readonly lives = new Store<readonly OrderLife[]>([]);
  readonly #account: Account;
  #count = 0;

  constructor(account: Account) {
    this.#account = account;
  }

  async place(wish: OrderParams, text: string): Promise<void> {
    const { wallet } = this.#account.state.get();
    if (!wallet) return;
    const id = this.#begin(text);
    try {
      const placed = await wallet.client.placeOrder(wish);
      this.#change(id, { stage: 'accepted', matches: placed.matches });
      await this.#follow(id, placed);
    } catch (error) {
      const { message, remedy } = toFailure(error);
      this.#fail(id, [message, remedy, 'Nothing was spent.'].filter(Boolean).join(' '));
    }
    this.#account.touch();
  }

  dismiss(id: number): void {
    this.lives.update((lives) => lives.filter((life) => life.id !== id));
  }

  #begin(text: string): number {
    const id = this.#count++;
    const life = { id, text, stage: 'signing', ending: undefined, matches: 0, txHash: undefined } as const;
    this.lives.update((lives) => [life, ...lives].slice(0, KEPT));
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
      const { settled, failed } = await placed.settled();
      const txHash = settled.at(-1)?.txHash;
      if (failed[0] === undefined) this.#change(id, { stage: 'settled', txHash });
      else this.#fail(id, await describeFailure(failed[0], placed));
    } finally {
      stop();
    }
  }

  #onEvent(id: number, trades: ReadonlySet<string>, event: UserEvent): void {
    if (event.type !== 'trade_status' || !trades.has(event.data.id)) return;
    if (event.data.stage === 'submitted' || event.data.stage === 'mined') {
      this.#change(id, { stage: 'settling', txHash: event.data.txHash });
    }
  }

  #fail(id: number, text: string): void {
    this.#change(id, { ending: { kind: 'failed', text } });
  }

  #change(id: number, change: Partial<OrderLife>): void {
    this.lives.update((lives) => lives.map((life) => (life.id === id ? { ...life, ...change } : life)));
  }
}

/** Why, whose fault it was, and what became of the money and of the order. */
async function describeFailure({ reason, faultParty }: OrderTrade, placed: PlacedOrder): Promise<string> {
  const { status } = await placed.refresh();
  const whose = faultParty === undefined ? '' : ` (fault of the ${faultParty})`;
  const after = status === 'open' ? 'what did not settle rests on the book again' : 'the order is over';
  return `${reason ?? 'The chain refused it'}${whose}. No money moved for it; ${after}.`;
}
