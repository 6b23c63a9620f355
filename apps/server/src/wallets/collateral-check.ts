// Checks whether a wallet can pay for an order on top of its reserve. A courtesy to the trader; the chain decides.
import {
  type Address,
  type Fault,
  type JournalRecord,
  type Order,
  PresageError,
  type SignedOrder,
} from '@presage/protocol';
import type { FundsAssessment, FundsAssessor, FundsCheck } from '../admission/ports.ts';
import type { ChainContext } from '../chains/chain-context.ts';
import type { RelayState } from '../relayer/relay-state.ts';
import type { Means } from './cover.ts';
import type { CoverKeeper } from './cover-keeper.ts';
import type { KnownWallets } from './known-wallets.ts';
import { findFundsFault, type OrderFunds, toOrderFunds } from './order-funds.ts';
import type { ReadingQueue } from './reading-queue.ts';
import type { Wallet } from './wallet.ts';
import type { WalletWatch } from './wallet-watch.ts';

export interface CollateralCheckOptions {
  readonly wallets: KnownWallets;
  readonly readings: ReadingQueue;
  readonly keeper: CoverKeeper;
  readonly watch: WalletWatch;
  readonly relays: Pick<RelayState, 'pendingAllowance'>;
}

const EVICT_EVERY_MS = 60_000;

export class CollateralCheck implements FundsCheck, FundsAssessor {
  readonly #context: ChainContext;
  readonly #options: CollateralCheckOptions;
  /** Whether orders are refused; otherwise the check only reports what an order would need. */
  readonly isEnforced: boolean;
  /** Reduce-only orders that passed the check and are not placed yet. Used only if the check is not enforced; otherwise their wallets hold them. */
  readonly #coming = new Set<SignedOrder>();
  #evicting: NodeJS.Timeout | undefined;

  constructor(context: ChainContext, options: CollateralCheckOptions) {
    this.#context = context;
    this.#options = options;
    this.isEnforced = context.chain.collateralCheck === 'enforce';
  }

  /** Has all wallets with open orders judged: some may have lost cover while the service was down. */
  start(): void {
    const { wallets, watch } = this.#options;
    const { reads, log } = this.#context;
    if (!this.isEnforced) return;
    const traders = new Set(reads.openOrders().map(({ signed }) => signed.order.trader));
    for (const trader of traders) wallets.visit(trader);
    watch.judgeAll();
    watch.start().catch((error: unknown) => log.error({ error: String(error) }, 'wallets are not watched'));
    this.#evicting = setInterval(() => wallets.evictIdle(), EVICT_EVERY_MS).unref();
  }

  /** Called when the chain has a new head. */
  wake(): void {
    this.#options.watch.wake();
  }

  async close(): Promise<void> {
    clearInterval(this.#evicting);
    await Promise.all([this.#options.watch.close(), this.#options.keeper.close()]);
  }

  /** Called with each durable record of the markets. */
  follow(record: JournalRecord): void {
    this.#options.wallets.follow(record);
  }

  /**
   * Judges from memory if possible; before a refusal the chain is read again, since money may just have arrived. If the check is not
   * enforced, it is called only for reduce-only orders.
   */
  check(signed: SignedOrder): Fault | undefined | Promise<Fault | undefined> {
    if (!this.isEnforced) return this.#checkUnenforced(signed);
    const { order } = signed;
    const wallet = this.#options.wallets.visit(order.trader);
    if (wallet.isKnownFor(order) && this.#judge(wallet, signed) === undefined) {
      wallet.hold(signed);
      return undefined;
    }
    return this.#checkAnew(wallet, signed);
  }

  release(signed: SignedOrder): void {
    this.#coming.delete(signed);
    this.#options.wallets.get(signed.order.trader)?.release(signed);
  }

  /** Assesses an order without placing it. Anybody may ask about any wallet, so a wallet is followed only if its owner signed. */
  async assess(signed: SignedOrder, isOwn: boolean): Promise<FundsAssessment> {
    const { isEnforced } = this;
    const { wallets } = this.#options;
    const { trader } = signed.order;
    const known = isEnforced ? wallets.get(trader) : undefined;
    const wallet = known ?? (isEnforced && isOwn ? wallets.visit(trader) : wallets.load(trader));
    const pending = this.#pendingAllowance(signed);
    return this.#question(wallet, signed, (failure) => {
      if (!wallet.isKnownFor(signed.order)) return { funds: undefined, fault: isEnforced ? failure : undefined };
      const funds = toOrderFunds(wallet.needOf(signed), toMeans(wallet, pending), this.#context.addresses);
      return { funds, fault: isEnforced ? this.#judge(wallet, signed, pending) : findIncrease(signed, funds) };
    });
  }

  /** Reads the wallet's holdings now; rejects with chain_unavailable. */
  async readWallet(address: Address, coming?: Order): Promise<Wallet> {
    const { wallets, readings } = this.#options;
    const wallet = wallets.get(address) ?? wallets.load(address);
    if (coming !== undefined) wallet.ask(coming);
    await readings.read(wallet);
    return wallet;
  }

  isNonceUsed(signed: SignedOrder): boolean {
    const { reads, clock } = this.#context;
    const [output] = reads.preview({ ...signed, type: 'place-order', timeMs: clock.nowMs() });
    if (output?.type === 'order-replayed') return true;
    return output?.type === 'command-refused' && output.code === 'nonce_already_used';
  }

  /** Checks a reduce-only order even if the check is not enforced, since its trader asked for it. */
  async #checkUnenforced(signed: SignedOrder): Promise<Fault | undefined> {
    const { wallets } = this.#options;
    const { trader } = signed.order;
    const asked = wallets.load(trader);
    const failure = await this.#read(asked, signed);
    if (!asked.isKnownFor(signed.order)) return failure;
    // Loaded again, since other orders may have been placed while the chain was read.
    const wallet = wallets.load(trader, asked.holdings);
    for (const coming of this.#coming) if (coming.order.trader === trader) wallet.hold(coming);
    const fault = findIncrease(signed, { sharesRequired: wallet.needOf(signed).shares });
    if (fault === undefined) this.#coming.add(signed);
    return fault;
  }

  async #checkAnew(wallet: Wallet, signed: SignedOrder): Promise<Fault | undefined> {
    const pending = this.#pendingAllowance(signed);
    const { fault } = await this.#question(wallet, signed, (failure) => {
      const fault = wallet.isKnownFor(signed.order) ? this.#judge(wallet, signed, pending) : failure;
      if (fault === undefined) wallet.hold(signed);
      return { fault };
    });
    return fault;
  }

  /**
   * Reads the wallet and concludes. A wallet that cannot pay is not followed: otherwise every new key with a refused order would take a
   * place among the watched wallets.
   */
  async #question<A extends { readonly fault: Fault | undefined }>(
    wallet: Wallet,
    signed: SignedOrder,
    conclude: (failure: Fault | undefined) => A,
  ): Promise<A> {
    wallet.beginQuestion();
    const failure = await this.#read(wallet, signed);
    const answer = conclude(failure);
    wallet.endQuestion();
    // While the chain is unreachable, known holdings are kept.
    const isBlind = failure !== undefined && wallet.holdings !== undefined;
    if (answer.fault !== undefined && !isBlind) this.#options.wallets.leave(wallet);
    return answer;
  }

  /** Reads the holdings; returns the fault if the chain is unreachable, and known holdings stay in use. */
  async #read(wallet: Wallet, { order }: SignedOrder): Promise<Fault | undefined> {
    wallet.ask(order);
    try {
      await this.#options.readings.read(wallet, order);
      return undefined;
    } catch (error) {
      if (!(error instanceof PresageError)) throw error;
      return { code: error.code, ...(error.details && { details: error.details }) };
    }
  }

  #judge(wallet: Wallet, signed: SignedOrder, pending = this.#pendingAllowance(signed)): Fault | undefined {
    const { marketId, nonce } = signed.order;
    if (wallet.hasUsedNonce(signed.order)) {
      return { code: 'nonce_already_used', details: { marketId, nonce: `${nonce}`, onChain: true } };
    }
    const need = wallet.needOf(signed);
    const increase = findIncrease(signed, { sharesRequired: need.shares });
    return increase ?? findFundsFault(need, toMeans(wallet, pending), this.#context.addresses);
  }

  /** Pending allowance, including the order's own permit: a permit was judged before its order, and counts from that order until it is mined. */
  #pendingAllowance({ order, permit }: SignedOrder): bigint {
    const pending = this.#options.relays.pendingAllowance(order.trader);
    return permit !== undefined && permit.value > pending ? permit.value : pending;
  }
}

/** Fault of a reduce-only order that would sell more than the held shares that no older sale takes. */
function findIncrease({ order, terms }: SignedOrder, funds: Pick<OrderFunds, 'sharesRequired'>): Fault | undefined {
  const { sharesRequired: available } = funds;
  if (!terms.reduceOnly || available >= BigInt(order.size)) return undefined;
  return { code: 'would_increase', details: { size: `${order.size}`, available: `${available}` } };
}

function toMeans({ holdings }: Wallet, pendingAllowance: bigint): Means {
  const { allowance } = holdings!; // read before it is judged
  return { ...holdings!, allowance: allowance > pendingAllowance ? allowance : pendingAllowance };
}
