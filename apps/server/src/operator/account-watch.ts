// Watches a chain's accounts: that they can pay for gas, that nobody else uses them, that the settler still has its role, and that the
// settlement contract is not paused.
import type { Contracts, Rpc } from '@presage/chain';
import type { Hex } from '@presage/protocol';
import { sleep } from '@presage/runtime';
import type { RecentAlarms } from '../chains/recent-alarms.ts';

export interface AccountWatchOptions {
  readonly rpc: Rpc;
  readonly contracts: Contracts;
  /** Accounts by role: `settler`, `relayer`, and `creator` if there is one. */
  readonly accounts: Readonly<Record<string, Hex>>;
  /** Nonce of an account's next transaction; null before it is known. */
  readonly nextNonce: (account: string) => number | null;
  /** Alarms about recent events. */
  readonly recent: RecentAlarms;
  readonly everyMs: number;
  readonly onAlarm: (alarm: string, isRaised: boolean) => void;
}

/** Minimum gas to be able to pay for: a batch of a few fills. */
const GAS_AT_LEAST = 1_000_000n;
/** Alarms with their help texts in the metrics. */
export const ALARMS = {
  settler_unfunded: 'Whether the settler cannot pay for a batch',
  relayer_unfunded: 'Whether the relayer cannot pay for a call',
  creator_unfunded: 'Whether the creator cannot pay for a market',
  settler_role_lost: 'Whether the settlement contract has another operator than the settler',
  settlement_paused: 'Whether the settlement contract is paused',
  deep_reorg: 'Whether blocks left the chain within an hour that were deep enough to be confirmed',
  trade_revived: 'Whether a reorganization has settled a failed trade, or a trade twice, within an hour',
  key_shared: "Whether somebody else has sent a transaction with one of the service's keys within an hour",
};

export class AccountWatch {
  readonly #options: AccountWatchOptions;
  readonly #balances = new Map<string, bigint>();
  /** Transaction count of each account on chain. */
  readonly #used = new Map<string, number>();
  #raised: readonly string[] = [];
  #hasLooked = false;
  readonly #closing = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor(options: AccountWatchOptions) {
    this.#options = options;
  }

  /** Whether the chain has answered at least once. */
  get hasLooked(): boolean {
    return this.#hasLooked;
  }

  /** Alarms raised at the chain's last answer. */
  alarms(): readonly string[] {
    return this.#raised;
  }

  /** Balance in ether; NaN before the first answer. */
  balanceOf(account: string): number {
    return Number(this.#balances.get(account) ?? Number.NaN) / 1e18;
  }

  start(): void {
    this.#running = this.#run();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      // An unreachable chain is reported elsewhere; the last answer remains.
      await this.look().catch(() => undefined);
      await sleep(this.#options.everyMs, signal).catch(() => undefined);
    }
  }

  async look(): Promise<void> {
    const { rpc, contracts, accounts, recent } = this.#options;
    const names = Object.keys(accounts);
    const balances = names.map((name) => ({ method: 'eth_getBalance', params: [accounts[name], 'latest'] }));
    const counts = names.map((name) => ({ method: 'eth_getTransactionCount', params: [accounts[name], 'latest'] }));
    const [[price, ...found], used, operator, isPaused] = await Promise.all([
      rpc.batch([{ method: 'eth_gasPrice', params: [] }, ...balances]),
      rpc.batch(counts),
      contracts.settlement.read('operator', []),
      contracts.settlement.read('paused', []),
    ]);
    for (const [index, name] of names.entries()) {
      const answer = found[index];
      if (answer?.ok) this.#balances.set(name, BigInt(String(answer.result)));
    }
    for (const [index, name] of names.entries()) {
      const answer = used[index];
      if (answer?.ok && this.#isMovedByOthers(name, Number(answer.result))) recent.raise('key_shared');
    }
    const least = price?.ok ? BigInt(String(price.result)) * GAS_AT_LEAST : 0n;
    const isPoor = (name: string) => (this.#balances.get(name) ?? least) < least;
    this.#set({
      settler_unfunded: isPoor('settler'),
      relayer_unfunded: isPoor('relayer'),
      creator_unfunded: names.includes('creator') && isPoor('creator'),
      settler_role_lost: operator.toLowerCase() !== accounts.settler?.toLowerCase(),
      settlement_paused: isPaused,
      deep_reorg: recent.isRaised('deep_reorg'),
      trade_revived: recent.isRaised('trade_revived'),
      key_shared: recent.isRaised('key_shared'),
    });
  }

  /** Whether somebody else sent from the account. The service takes nonces before mining; before its first transaction, the count must not move. */
  #isMovedByOthers(name: string, used: number): boolean {
    const expected = this.#options.nextNonce(name) ?? this.#used.get(name) ?? used;
    this.#used.set(name, used);
    return used > expected;
  }

  #set(found: Readonly<Record<keyof typeof ALARMS, boolean>>): void {
    const before = this.#raised;
    this.#hasLooked = true;
    this.#raised = Object.entries(found).flatMap(([alarm, isRaised]) => (isRaised ? [alarm] : []));
    for (const [alarm, isRaised] of Object.entries(found)) {
      if (before.includes(alarm) !== isRaised) this.#options.onAlarm(alarm, isRaised);
    }
  }
}
