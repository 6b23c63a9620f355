// Tracks the orders placed in this session: one at a time, each from the signature to its settlement or failure.
import { costOf, type Price, type Size } from '@presage/protocol/browser';
import { sleep } from '@presage/runtime';
import {
  type OpenOrder,
  type OrderParams,
  type OrderSubmissionBody,
  type OrderTrade,
  type PlacedOrder,
  PresageApiError,
  type TradingClient,
  type WatchUserEvent,
} from '@presage/sdk';
import { money, shares } from '../lib/format.ts';
import { type OutcomeNames, outcomeOf } from '../lib/outcomes.ts';
import type { Account } from '../wallet/account.ts';
import type { OpenWallet } from '../wallet/wallets.ts';
import { isRefusal, toFailure } from './failure.ts';
import { markPlacing } from './interrupted.ts';
import { keepReceipt } from './kept-receipts.ts';
import { Store } from './store.ts';
import type { Toasts } from './toasts.ts';
import { AGAIN_MS, isUnanswered, untilAnswered } from './until-answered.ts';

export const STAGES = ['signing', 'accepted', 'settling', 'settled'] as const;
type Stage = (typeof STAGES)[number];

export interface TrackedOrder {
  readonly id: number;
  readonly marketId: string;
  readonly text: string;
  readonly stage: Stage;
  /** Set when the order rests, ended without settling, or failed. */
  readonly ending?: { readonly kind: 'resting' | 'over' | 'failed'; readonly text: string };
  readonly matches: number;
  readonly txHash?: string | undefined;
  readonly chainId: number | undefined;
  /** Time from acceptance to the chain's confirmation. */
  readonly settleMs?: number;
  /** Cancels the order; set while it rests. */
  readonly cancel?: (() => Promise<unknown>) | undefined;
}

/** Facts about the market that the tracker needs. */
interface OrderMarket {
  readonly names: OutcomeNames;
  readonly chainId: number | undefined;
}

/** What a pressed button waits for; undefined if another order may be placed. */
export type Placing = 'signature' | 'answer' | 'connection';

const ENDINGS = {
  filled: 'Filled. Your portfolio shows the trades.',
  cancelled: 'Cancelled.',
  expired: 'Expired.',
} as const;
const KEPT = 4;

export class OrderTracker {
  /** Tracked orders, newest first. */
  readonly orders = new Store<readonly TrackedOrder[]>([]);
  readonly placing = new Store<Placing | undefined>(undefined);
  readonly #account: Account;
  readonly #toasts: Toasts;
  /** Ids of trades of orders placed here. */
  readonly #trades = new Set<number>();
  #count = 0;

  constructor(account: Account, toasts: Toasts) {
    this.#account = account;
    this.#toasts = toasts;
  }

  /** Places an order; true if the service accepted it. Sets `placing` before anything else, so that a second press is ignored. */
  async place(params: OrderParams, text: string, market: OrderMarket): Promise<boolean> {
    const { wallet } = this.#account.state.get();
    if (!wallet || this.placing.get() !== undefined) return false;
    this.placing.set('signature');
    markPlacing(text);
    const id = this.#begin(params.marketId, text, market);
    try {
      const placed = await this.#send(wallet, params);
      this.placing.set(undefined);
      if ('nonce' in placed) {
        this.#tellFound(id, placed, text);
      } else {
        keepReceipt(placed, text);
        void this.#follow(id, placed, text, market);
      }
      return true;
    } catch (error) {
      this.placing.set(undefined);
      this.#refuse(id, text, error);
      return false;
    } finally {
      markPlacing(undefined);
      this.#account.touch();
    }
  }

  /** Whether this tracker reports the outcome of the trade. */
  follows(tradeId: number): boolean {
    return this.#trades.has(tradeId);
  }

  dismiss(id: number): void {
    this.orders.update((orders) => orders.filter((order) => order.id !== id));
  }

  /** Signs once. After a lost answer it resends the same signed order until the service answers, or finds it among the wallet's orders. */
  async #send({ client, address }: OpenWallet, params: OrderParams): Promise<PlacedOrder | OpenOrder> {
    let signed: OrderSubmissionBody | undefined;
    const onSigned = (order: OrderSubmissionBody) => {
      signed = order;
      this.placing.set('answer');
    };
    try {
      return await client.placeOrder(params, { onSigned }).catch((error) => {
        if (signed === undefined || !isUnanswered(error)) throw error;
        return this.#sendAgain(client, signed);
      });
    } catch (error) {
      const found = signed && isForgetful(error) && (await findPlaced(client, address, signed));
      if (!found) throw error;
      return found;
    }
  }

  async #sendAgain(client: TradingClient, signed: OrderSubmissionBody): Promise<PlacedOrder> {
    this.placing.set('connection');
    await sleep(AGAIN_MS);
    return untilAnswered(() => client.sendSignedOrder(signed));
  }

  #begin(marketId: string, text: string, { chainId }: OrderMarket): number {
    const id = this.#count++;
    const order: TrackedOrder = { id, marketId, text, chainId, stage: 'signing', matches: 0 };
    this.orders.update((orders) => [order, ...orders].slice(0, KEPT));
    return id;
  }

  async #follow(id: number, placed: PlacedOrder, text: string, { names, chainId }: OrderMarket): Promise<void> {
    this.#change(id, { stage: 'accepted', matches: placed.matches });
    if (placed.trades.length === 0) return this.#rest(id, placed, text);
    const done = doneText(placed, names);
    this.#change(id, { text: done });
    this.#toasts.show({ key: `order ${id}`, tone: 'wait', title: done, text: 'Accepted. Settling on chain.' });
    const ids = new Set(placed.trades.map((trade) => trade.id));
    for (const tradeId of ids) this.#trades.add(tradeId);
    const stop = this.#account.listen((event) => this.#onEvent(id, ids, event));
    const startMs = performance.now();
    try {
      const { settled, failed } = await untilAnswered(() => placed.waitForSettlement());
      const first = failed[0];
      const sent = { txHash: settled.at(-1)?.txHash, chainId };
      if (first === undefined) return this.#settle(id, done, performance.now() - startMs, sent);
      const { status } = await untilAnswered(() => placed.refresh());
      this.#fail(id, text, describeFailure(first, status), `failed ${first.id}`);
    } catch (error) {
      const why = `${toFailure(error).message}. The order was accepted; the portfolio shows its state.`;
      this.#fail(id, text, why);
    } finally {
      stop();
      this.#account.touch();
    }
  }

  #rest(id: number, placed: PlacedOrder, text: string): void {
    const isOver = placed.orderStatus !== 'open';
    const ending = isOver ? 'Nothing to fill: the order is over, nothing was spent.' : 'Rests in the book.';
    const cancel = isOver ? undefined : () => placed.cancel();
    this.#change(id, { ending: { kind: isOver ? 'over' : 'resting', text: ending }, cancel });
    this.#toasts.show({ key: `order ${id}`, tone: isOver ? 'warn' : 'ok', title: text, text: ending });
    if (isOver) return;
    const stop = this.#account.listen((event) => {
      if (event.type !== 'order' || event.data.orderHash !== placed.orderHash || event.data.status === 'open') return;
      stop();
      this.#change(id, { ending: { kind: 'over', text: ENDINGS[event.data.status] }, cancel: undefined });
    });
  }

  /** Reports an order that was placed but whose answer is lost for good; its trades are not tracked. */
  #tellFound(id: number, { status, filledSize, size }: OpenOrder, text: string): void {
    const ending = `Placed, although the answer was lost. ${shares(filledSize)} of ${shares(size)} shares traded: see your portfolio.`;
    this.#change(id, { stage: 'accepted', ending: { kind: status === 'open' ? 'resting' : 'over', text: ending } });
    this.#toasts.show({ key: `order ${id}`, tone: 'warn', title: text, text: ending });
  }

  #settle(id: number, text: string, settleMs: number, sent: Pick<TrackedOrder, 'txHash' | 'chainId'>): void {
    this.#change(id, { stage: 'settled', ...sent, settleMs });
    const settled = `Settled on chain in ${(settleMs / 1_000).toFixed(1)} s.`;
    this.#toasts.show({ key: `order ${id}`, tone: 'ok', title: text, text: settled, ...sent });
  }

  #onEvent(id: number, trades: ReadonlySet<number>, event: WatchUserEvent): void {
    if (event.type !== 'trade_status' || !trades.has(event.data.id)) return;
    if (event.data.stage === 'submitted' || event.data.stage === 'mined') {
      this.#change(id, { stage: 'settling', txHash: event.data.txHash });
    }
  }

  #refuse(id: number, text: string, error: unknown): void {
    const { message, remedy, requestId } = toFailure(error);
    const whole = isRefusal(error) ? `${message}.` : sentences(message, remedy, 'Nothing was spent.');
    this.#change(id, { ending: { kind: 'failed', text: whole } });
    this.#toasts.show({ key: `order ${id}`, tone: 'bad', title: `Not placed: ${text}`, text: whole, requestId });
  }

  #fail(id: number, text: string, why: string, noticeId?: string): void {
    this.#change(id, { ending: { kind: 'failed', text: why } });
    this.#toasts.show({ key: `order ${id}`, id: noticeId, tone: 'bad', title: `Failed: ${text}`, text: why });
  }

  #change(id: number, change: Partial<TrackedOrder>): void {
    this.orders.update((orders) => orders.map((order) => (order.id === id ? { ...order, ...change } : order)));
  }
}

/** Refusals after an order's end, when the service no longer remembers its first answer. */
function isForgetful(error: unknown): boolean {
  return error instanceof PresageApiError && ['expiration_too_soon', 'market_closed'].includes(error.code);
}

async function findPlaced(client: TradingClient, address: string, { order }: OrderSubmissionBody) {
  const query = { market: order.marketId, status: 'all' } as const;
  const { orders } = await untilAnswered(() => client.listOrders(address, query));
  return orders.find(
    ({ nonce, expiration }) => BigInt(nonce) === order.nonce && BigInt(expiration) === order.expiration,
  );
}

/** `Bought 100 YES for $64.00`, including fees. */
function doneText({ order, filledSize, trades }: PlacedOrder, names: OutcomeNames): string {
  const cost = trades.reduce((sum, { price, size, fee = 0 }) => {
    return sum + costOf(Number(price) as Price, Number(size) as Size) + BigInt(order.side === 0 ? fee : -fee);
  }, 0n);
  return `${order.side === 0 ? 'Bought' : 'Sold'} ${shares(filledSize)} ${names[outcomeOf(order.outcome)]} for ${money(cost)}`;
}

function sentences(...parts: readonly (string | undefined)[]): string {
  return parts
    .filter((part) => part !== undefined && part !== '')
    .map((part) => (/[.!?]$/.test(part ?? '') ? part : `${part}.`))
    .join(' ');
}

/** Explains the reason, the party at fault, and what happened to the money and the order. */
function describeFailure({ reason, faultParty }: OrderTrade, status: OpenOrder['status']): string {
  const whose = faultParty === undefined ? '' : ` (fault of the ${faultParty})`;
  const after = status === 'open' ? 'the unsettled part rests on the book again' : 'the order is over';
  return `${reason ?? 'The chain refused it'}${whose}. No money moved for it; ${after}.`;
}
