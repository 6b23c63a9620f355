// The account on the page: wallet, balances and orders, kept current by the wallet's stream.
import { Listeners } from '@presage/runtime';
import {
  createSandboxClient,
  type OpenOrder,
  type PublicClient,
  type ServiceConfig,
  type UserBalance,
  type WalletBalances,
  type WatchUserEvent,
} from '@presage/sdk';
import type { Connection } from '../state/connection.ts';
import { type Failure, mayPass, toFailure } from '../state/failure.ts';
import { Store } from '../state/store.ts';
import { readOrRecall } from './last-known.ts';
import {
  forgetRefusedKey,
  KIND_KEY,
  keepApiKey,
  type OpenWallet,
  openDemoWallet,
  openInjectedWallet,
  rememberedKind,
  rememberKind,
  type WalletKind,
} from './wallets.ts';

export interface AccountState {
  /** The open wallet; undefined while it is being looked up, null if there is none. */
  readonly wallet: OpenWallet | null | undefined;
  readonly balances: WalletBalances | undefined;
  /** Time of the balances, Unix seconds; set while the chain is unreachable and they are its last known values. */
  readonly balancesSince: number | undefined;
  /** Open orders, newest first. */
  readonly orders: readonly OpenOrder[] | undefined;
  readonly setup: 'unknown' | 'working' | 'ready' | 'missing';
  readonly failure: Failure | undefined;
  /** Incremented when positions, claims or history may have changed, so that they are read again. */
  readonly version: number;
}

export interface AccountOptions {
  readonly reader: PublicClient;
  readonly connection: Connection;
  readonly url: string;
}

interface OpenOptions {
  readonly mayAsk?: boolean;
  readonly walletId?: string | undefined;
}

const NOBODY: AccountState = {
  wallet: null,
  balances: undefined,
  balancesSince: undefined,
  orders: undefined,
  setup: 'unknown',
  failure: undefined,
  version: 0,
};
/** The initial balance of a demo wallet. */
const DEMO_MONEY = '1000';
const CALM_MS = 250;
/** Delay before a failed read is retried, even if nothing has happened. */
const AGAIN_MS = 10_000;
/** Time for which events are kept: longer than any answer with a list of orders takes and than the stream lags. */
const KEEP_EVENTS_MS = 15_000;

export class Account {
  /** Starts with `null` if the last session had no wallet, so that visitors without one see their page immediately. */
  readonly state = new Store<AccountState>({ ...NOBODY, ...(rememberedKind() && { wallet: undefined }) });
  readonly #options: AccountOptions;
  readonly #listeners = new Listeners<[event: WatchUserEvent]>();
  #controller = new AbortController();
  #chains: ServiceConfig['chains'] = [];
  readonly #balances = new Map<number, WalletBalances>();
  /** Number of balances received from the stream, by chain. */
  readonly #balanceEvents = new Map<number, number>();
  readonly #balancesSince = new Map<number, number | undefined>();
  /** Recent events by order, since a list that was read before an event may arrive after it. */
  readonly #recentOrders = new Map<string, { readonly order: OpenOrder; readonly untilMs: number }>();
  #shownChainId: number | undefined;
  #isWatchingTabs = false;
  #calm: ReturnType<typeof setTimeout> | undefined;
  /** Failure of the last read, which a later read may clear. */
  #readFailure: Failure | undefined;

  constructor(options: AccountOptions) {
    this.#options = options;
  }

  /** Restores the wallet of the last session without prompting the user. */
  async resume(config: ServiceConfig): Promise<void> {
    this.#watchOtherTabs(config);
    const kind = rememberedKind();
    if (kind === undefined) this.state.set(NOBODY);
    else await this.open(kind, config, { mayAsk: false });
  }

  async open(kind: WalletKind, config: ServiceConfig, { mayAsk = true, walletId }: OpenOptions = {}): Promise<void> {
    this.#chains = config.chains;
    try {
      const { url } = this.#options;
      const demo = kind === 'demo' ? await openDemoWallet(url) : undefined;
      const wallet = demo ?? (await openInjectedWallet({ url, config, mayAsk, walletId }));
      if (wallet === undefined) return this.close();
      rememberKind(kind, wallet.browserWallet?.id);
      this.#use(wallet);
      this.#watchExtension(wallet, config);
      const { signal } = this.#controller;
      if (demo?.isNew && config.sandbox) await this.#fundEverywhere(DEMO_MONEY);
      const isForgotten = await forgetRefusedKey(wallet);
      if (signal.aborted) return;
      if (isForgotten) return await this.open(kind, config, { mayAsk: false });
      await (kind === 'demo' ? this.setUp() : this.#lookAtSetup(config));
    } catch (error) {
      this.state.update((state) => ({ ...state, wallet: state.wallet ?? null, failure: toFailure(error) }));
    }
  }

  close(): void {
    this.#controller.abort();
    this.#forgetBalances();
    rememberKind(undefined);
    this.state.set(NOBODY);
  }

  /** Passes on every event of the wallet's stream, until the returned function is called. */
  listen(listener: (event: WatchUserEvent) => void): () => void {
    return this.#listeners.add(listener);
  }

  async fund(amount: string): Promise<void> {
    const { wallet } = this.state.get();
    const chainId = this.#shownChainId;
    const on = chainId === undefined ? {} : { chainId };
    if (wallet) await createSandboxClient({ url: this.#options.url }).fund(wallet.address, amount, on);
    await this.#reload();
  }

  /** Selects the chain whose money is shown: the open market's, or the first chain elsewhere. */
  showChain(chainId: number | undefined): void {
    if (chainId === this.#shownChainId) return;
    this.#shownChainId = chainId;
    this.#showBalances();
  }

  /** Completes what is missing of API key, permit and approval, without gas. */
  async setUp(): Promise<void> {
    const { wallet } = this.state.get();
    const { signal } = this.#controller;
    if (!wallet) return;
    this.#update(signal, { setup: 'working', failure: undefined });
    try {
      const { apiKey } = await wallet.client.setup({ keyName: 'web page' });
      if (apiKey) keepApiKey(wallet.address, apiKey);
      // An unreachable chain must not prevent trading on the others.
      for (const { chainId } of this.#chains.slice(1)) await wallet.client.setup({ chainId }).catch(() => undefined);
      this.#update(signal, { setup: 'ready' });
    } catch (error) {
      this.#update(signal, { setup: 'missing', failure: toFailure(error) });
    }
  }

  touch(): void {
    this.#reloadIn(CALM_MS);
  }

  #reloadIn(ms: number): void {
    clearTimeout(this.#calm);
    this.#calm = setTimeout(() => void this.#reload(), ms);
  }

  /** Every tab of this browser trades with the same wallet. */
  #watchOtherTabs(config: ServiceConfig): void {
    if (this.#isWatchingTabs) return;
    this.#isWatchingTabs = true;
    addEventListener('storage', ({ key }) => {
      if (key !== KIND_KEY) return;
      const kind = rememberedKind();
      if (kind === undefined) this.close();
      else if (this.state.get().wallet?.kind !== kind) void this.open(kind, config, { mayAsk: false });
    });
  }

  /** Follows the extension: opens the account that it switches to, and closes the wallet if it has none. */
  #watchExtension({ browserWallet, address }: OpenWallet, config: ServiceConfig): void {
    const provider = browserWallet?.provider;
    if (provider?.on === undefined) return;
    const { signal } = this.#controller;
    const onAccounts = (accounts: unknown) => {
      // EIP-1193 sends a list of addresses.
      const [next] = accounts as readonly string[];
      if (next === undefined) this.close();
      else if (next.toLowerCase() !== address.toLowerCase()) void this.open('injected', config, { mayAsk: false });
    };
    const onChain = () => this.touch();
    provider.on('accountsChanged', onAccounts);
    provider.on('chainChanged', onChain);
    signal.addEventListener('abort', () => {
      provider.removeListener?.('accountsChanged', onAccounts);
      provider.removeListener?.('chainChanged', onChain);
    });
  }

  #use(wallet: OpenWallet): void {
    this.#controller.abort();
    this.#controller = new AbortController();
    this.#forgetBalances();
    this.#recentOrders.clear();
    this.state.set({ ...NOBODY, wallet });
    void this.#follow(wallet.address, this.#controller.signal);
    void this.#reload();
  }

  async #lookAtSetup({ chains, authRequired }: ServiceConfig): Promise<void> {
    const { wallet } = this.state.get();
    const { signal } = this.#controller;
    const chain = chains[0];
    if (!wallet || chain === undefined) return;
    const { settlement } = await wallet.client.getApprovals(wallet.address, { chain_id: chain.chainId });
    const hasKey = wallet.hasApiKey || !authRequired;
    const isReady = hasKey && settlement.sharesApproved && BigInt(settlement.allowance) > 0n;
    this.#update(signal, { setup: isReady ? 'ready' : 'missing' });
  }

  /** Changes the state only while the signal's wallet is open: another one may have been opened meanwhile. */
  #update({ aborted }: AbortSignal, change: Partial<AccountState>): void {
    if (!aborted) this.state.update((state) => ({ ...state, ...change }));
  }

  async #follow(address: string, signal: AbortSignal): Promise<void> {
    const signs = this.#options.connection.callbacksFor('wallet');
    try {
      for await (const event of this.#options.reader.watchUser(address, { signal, ...signs })) this.#accept(event);
    } catch (error) {
      this.state.update((state) => ({ ...state, failure: toFailure(error) }));
    } finally {
      signs.release();
    }
  }

  #accept(event: WatchUserEvent): void {
    this.#listeners.call(event);
    if (event.type === 'order') this.#onOrder(event.data);
    else if (event.type === 'balance') this.#onBalance(event.data);
    else this.touch();
    // Events were missed, so the next list is newer than all recent events.
    if (event.type === 'gap') this.#recentOrders.clear();
  }

  async #fundEverywhere(amount: string): Promise<void> {
    const { wallet } = this.state.get();
    if (!wallet) return;
    const sandbox = createSandboxClient({ url: this.#options.url });
    const [first, ...others] = this.#chains.map(({ chainId }) => sandbox.fund(wallet.address, amount, { chainId }));
    await first;
    // An unreachable chain must not prevent trading on the others.
    await Promise.allSettled(others);
    await this.#reload();
  }

  #onBalance(balances: UserBalance): void {
    const { chainId } = balances;
    this.#balances.set(chainId, balances);
    this.#balancesSince.delete(chainId);
    this.#balanceEvents.set(chainId, (this.#balanceEvents.get(chainId) ?? 0) + 1);
    this.#showBalances();
  }

  #forgetBalances(): void {
    this.#balances.clear();
    this.#balancesSince.clear();
  }

  #showBalances(): void {
    const chainId = this.#shownChainId ?? this.#chains[0]?.chainId ?? 0;
    const [balances, balancesSince] = [this.#balances.get(chainId), this.#balancesSince.get(chainId)];
    this.state.update((state) =>
      state.balances === balances && state.balancesSince === balancesSince
        ? state
        : { ...state, balances, balancesSince },
    );
  }

  async #readBalances({ client, address }: OpenWallet, signal: AbortSignal): Promise<void> {
    const read = async (chainId: number) => {
      const events = this.#balanceEvents.get(chainId);
      const { value, since } = await readOrRecall(`balances ${address} ${chainId}`, () =>
        client.balances({ chainId, signal }),
      );
      // Drops the answer if the stream has brought a newer balance meanwhile.
      if (signal.aborted || this.#balanceEvents.get(chainId) !== events) return;
      this.#balances.set(chainId, value);
      this.#balancesSince.set(chainId, since);
    };
    const reads = this.#chains.map(({ chainId }) => read(chainId));
    await Promise.allSettled(reads);
    if (!signal.aborted) this.#showBalances();
    // Only the first chain's failure counts: other unreachable chains must not prevent trading on it.
    await reads[0];
  }

  async #readOrders({ client, address }: OpenWallet, signal: AbortSignal): Promise<void> {
    const { orders } = await client.listOrders(address, {}, { signal });
    if (signal.aborted) return;
    this.state.update((state) => ({ ...state, orders: this.#withRecent(orders), version: state.version + 1 }));
  }

  #onOrder(order: OpenOrder): void {
    this.#recentOrders.delete(order.orderHash);
    this.#recentOrders.set(order.orderHash, { order, untilMs: performance.now() + KEEP_EVENTS_MS });
    this.state.update((state) => ({ ...state, orders: withOrder(state.orders ?? [], order) }));
  }

  /** Applies recent events to a list. The stream sends events in order, so the last event of an order is its newest state. */
  #withRecent(listed: readonly OpenOrder[]): readonly OpenOrder[] {
    const nowMs = performance.now();
    for (const [hash, { untilMs }] of this.#recentOrders) if (untilMs < nowMs) this.#recentOrders.delete(hash);
    return [...this.#recentOrders.values()].reduce((orders, { order }) => withOrder(orders, order), listed);
  }

  async #reload(): Promise<void> {
    const { wallet } = this.state.get();
    const { signal } = this.#controller;
    if (!wallet) return;
    // Separate reads: while the chain is unreachable, balances fail but orders do not.
    const reads = [this.#readBalances(wallet, signal), this.#readOrders(wallet, signal)];
    const failed = (await Promise.allSettled(reads)).find((read) => read.status === 'rejected');
    if (signal.aborted) return;
    const before = this.#readFailure;
    const now = failed && toFailure(failed.reason);
    this.#readFailure = now;
    this.state.update((state) => ({
      ...state,
      failure: now ?? (state.failure === before ? undefined : state.failure),
    }));
    const isOld = [...this.#balancesSince.values()].some((since) => since !== undefined);
    if (isOld || mayPass(failed?.reason)) this.#reloadIn(AGAIN_MS);
  }
}

function withOrder(orders: readonly OpenOrder[], order: OpenOrder): readonly OpenOrder[] {
  const others = orders.filter(({ orderHash }) => orderHash !== order.orderHash);
  return order.status === 'open' ? [order, ...others] : others;
}
