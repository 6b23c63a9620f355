// The user channel: sends orders, fills, trades and balances of subscribed wallets.
import type { OrderView } from '@presage/engine';
import {
  type Address,
  type ClaimChanged,
  type StreamMessageType,
  stringifyJson,
  type TradeMatched,
  toChecksumAddress,
} from '@presage/protocol';
import type { WalletBalances } from '../../wallets/wallet-service.ts';
import { toOpenOrder } from '../mappers/order.ts';
import { toClaimChange, toFillOf, toTradeStatus } from '../mappers/stream.ts';
import { toBalances } from '../mappers/wallet.ts';
import type { Outbox } from './outbox.ts';
import type { Envelope, MessageWriter, StreamData } from './shared-message.ts';
import type { CapturedStep } from './step-capture.ts';
import { Topics } from './topics.ts';

interface ChainBalances {
  readonly chainId: number;
  /** Balances on this chain; rejects while the chain is unreachable. */
  readonly asked: Promise<WalletBalances>;
}

/** Queries a wallet's balances on every chain. */
export type AskBalances = (wallet: Address) => readonly ChainBalances[];

interface UserChannelOptions {
  readonly writer: MessageWriter;
  readonly nowMs: () => number;
  readonly balances: AskBalances;
}

/** Delay of balances, so that several steps in a row cost one message and one query of the chain. */
const BALANCE_DELAY_MS = 250;

export class UserChannel {
  readonly #options: UserChannelOptions;
  readonly #topics = new Topics();
  readonly #asking = new Map<Address, NodeJS.Timeout>();
  /** Last balance sent, by wallet and chain. */
  readonly #balances = new Map<Address, Map<number, string>>();

  constructor(options: UserChannelOptions) {
    this.#options = options;
  }

  get isIdle(): boolean {
    return this.#topics.size === 0;
  }

  readonly isWatched = ({ signed }: OrderView): boolean => this.#topics.has(signed.order.trader);

  /** Sequence of the last message about the wallet. */
  seqOf(wallet: Address): number {
    return this.#topics.seqOf(wallet);
  }

  add(wallet: Address, reader: Outbox): void {
    this.#topics.add(wallet, reader);
    this.#balances.delete(wallet);
    this.#askBalance(wallet);
  }

  remove(wallet: Address, reader: Outbox): void {
    this.#topics.remove(wallet, reader);
    if (this.#topics.has(wallet)) return;
    this.#balances.delete(wallet);
    clearTimeout(this.#asking.get(wallet));
    this.#asking.delete(wallet);
  }

  close(): void {
    for (const timer of this.#asking.values()) clearTimeout(timer);
    this.#asking.clear();
  }

  deliver(step: CapturedStep): void {
    for (const event of step.events) {
      if (event.type === 'trade-matched') this.#sendFills(event, step);
      if (event.type !== 'trade-moved' && event.type !== 'trade-failed') continue;
      const trade = step.trades.get(event.tradeId);
      if (trade === undefined) continue;
      const status = toTradeStatus(trade, event.type === 'trade-failed' ? event : undefined);
      for (const wallet of new Set([trade.buyer, trade.seller])) this.#sendStep(wallet, 'trade_status', status, step);
    }
    for (const order of step.orders) this.#sendStep(order.signed.order.trader, 'order', toOpenOrder(order), step);
  }

  deliverClaim(record: ClaimChanged, position?: string): void {
    const { userAddress: wallet, marketId, timeMs } = record;
    if (!this.#topics.has(wallet)) return;
    const data = stringifyJson(toClaimChange(record));
    const envelope = { type: 'claim', channel: 'user', marketId, data, ts: timeMs, position } as const;
    this.#send(wallet, envelope);
    this.#askBalance(wallet);
  }

  #sendFills(event: TradeMatched, step: CapturedStep): void {
    const id = step.trades.get(event.tradeId)?.id;
    if (id === undefined) return;
    for (const role of ['maker', 'taker'] as const) {
      if (!this.#topics.has(event[role])) continue;
      const { owner, data } = toFillOf({ ...event, id }, role);
      this.#sendStep(owner, 'fill', data, step);
    }
  }

  #sendStep<T extends StreamMessageType>(
    wallet: Address,
    type: T,
    data: StreamData<T>,
    { marketId, seq, timeMs: ts, position }: CapturedStep,
  ): void {
    if (!this.#topics.has(wallet)) return;
    const envelope = { type, channel: 'user', marketId, data: stringifyJson(data), seq, ts, position } as const;
    this.#send(wallet, envelope);
    this.#askBalance(wallet);
  }

  #send(wallet: Address, envelope: Envelope): void {
    this.#topics.send(wallet, (channelSeq) => this.#options.writer.write({ ...envelope, channelSeq }));
  }

  #askBalance(wallet: Address): void {
    if (this.#asking.has(wallet)) return;
    const timer = setTimeout(() => {
      this.#asking.delete(wallet);
      // Sends no balance while the chain is unreachable; the next change queries again.
      for (const { chainId, asked } of this.#options.balances(wallet)) {
        asked.then(
          (balances) => this.#sendBalance(wallet, chainId, balances),
          () => undefined,
        );
      }
    }, BALANCE_DELAY_MS);
    this.#asking.set(wallet, timer);
  }

  #sendBalance(wallet: Address, chainId: number, balances: WalletBalances): void {
    if (!this.#topics.has(wallet)) return;
    const message: StreamData<'balance'> = { userAddress: toChecksumAddress(wallet), chainId, ...toBalances(balances) };
    const data = stringifyJson(message);
    const sent = this.#balances.get(wallet) ?? new Map<number, string>();
    if (sent.get(chainId) === data) return;
    this.#balances.set(wallet, sent.set(chainId, data));
    this.#send(wallet, { type: 'balance', channel: 'user', data, ts: this.#options.nowMs() });
  }
}
