// Checks regularly that a chain's accounts can pay for gas, that the settler still has its role, and that the settlement
// contract is not paused.
import type { Contracts, Rpc } from '@presage/chain';
import type { Hex } from '@presage/protocol';
import { sleep } from '@presage/runtime';

export interface AccountWatchOptions {
  readonly rpc: Rpc;
  readonly contracts: Contracts;
  /** Accounts by role: `settler`, `relayer`, and `creator` if there is one. */
  readonly accounts: Readonly<Record<string, Hex>>;
  readonly everyMs: number;
  readonly onAlarm: (alarm: string, isRaised: boolean) => void;
}

/** Gas of a batch of a few fills. */
const GAS_AT_LEAST = 1_000_000n;
export const ALARMS = [
  'settler_unfunded',
  'relayer_unfunded',
  'creator_unfunded',
  'settler_role_lost',
  'settlement_paused',
] as const;
type Alarm = (typeof ALARMS)[number];

export class AccountWatch {
  readonly #options: AccountWatchOptions;
  readonly #balances = new Map<string, bigint>();
  #raised: readonly Alarm[] = [];
  readonly #closing = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor(options: AccountWatchOptions) {
    this.#options = options;
  }

  /** State at the chain's last answer. */
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
    const { rpc, contracts, accounts } = this.#options;
    const names = Object.keys(accounts);
    const balances = names.map((name) => ({ method: 'eth_getBalance', params: [accounts[name], 'latest'] }));
    const [[price, ...found], operator, isPaused] = await Promise.all([
      rpc.batch([{ method: 'eth_gasPrice', params: [] }, ...balances]),
      contracts.settlement.read('operator', []),
      contracts.settlement.read('paused', []),
    ]);
    for (const [index, name] of names.entries()) {
      const answer = found[index];
      if (answer?.ok) this.#balances.set(name, BigInt(String(answer.result)));
    }
    const least = price?.ok ? BigInt(String(price.result)) * GAS_AT_LEAST : 0n;
    const isPoor = (name: string) => (this.#balances.get(name) ?? least) < least;
    this.#set({
      settler_unfunded: isPoor('settler'),
      relayer_unfunded: isPoor('relayer'),
      creator_unfunded: names.includes('creator') && isPoor('creator'),
      settler_role_lost: operator.toLowerCase() !== accounts.settler?.toLowerCase(),
      settlement_paused: isPaused,
    });
  }

  #set(found: Readonly<Record<Alarm, boolean>>): void {
    const before = this.#raised;
    this.#raised = ALARMS.filter((alarm) => found[alarm]);
    for (const alarm of ALARMS) {
      if (before.includes(alarm) !== found[alarm]) this.#options.onAlarm(alarm, found[alarm]);
    }
  }
}
