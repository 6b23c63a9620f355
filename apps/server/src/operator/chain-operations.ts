// Operators' actions on one chain: creates and voids markets, reports and retries stuck operations, watches alarms.
import { callContract, type SenderPort, withRefusals } from '@presage/chain';
import type { TradeBrief } from '@presage/engine';
import { type Hex, PresageError } from '@presage/protocol';
import type { SettlementTrouble } from '../settlement/retries.ts';
import { AccountWatch, type AccountWatchOptions, ALARMS } from './account-watch.ts';
import { MarketCreator, type MarketCreatorOptions } from './market-creator.ts';

export interface ChainOperationsOptions extends AccountWatchOptions {
  /** Undefined if no account that may create markets is configured. */
  readonly creator: Pick<MarketCreatorOptions, 'creator' | 'send'> | undefined;
  /** Relayer's sender, which is enough for voids: anybody may void a market that was undecided for too long. */
  readonly sender: SenderPort;
  readonly relayer: Hex;
  readonly settlement: { readonly queued: number; readonly trouble: SettlementTrouble; retry(): void };
  readonly unsettledTrades: () => readonly Pick<TradeBrief, 'timeMs'>[];
  readonly stuckSenders: () => readonly string[];
  /** Wakes every task that waits to retry on the chain. */
  readonly wake: () => void;
  readonly nowMs: () => number;
}

type Gauge = { readonly help: string; readonly read: () => number };

export class ChainOperations {
  readonly #options: ChainOperationsOptions;
  /** Creator of markets; undefined if no key for it is configured. */
  readonly creator: MarketCreator | undefined;
  /** Watch of the accounts; started and closed by its owner. */
  readonly watch: AccountWatch;

  constructor(options: ChainOperationsOptions) {
    const { contracts, creator } = options;
    this.#options = options;
    this.watch = new AccountWatch(options);
    this.creator = creator && new MarketCreator({ contracts, ...creator });
  }

  alarms(): readonly string[] {
    return this.watch.alarms();
  }

  /** Checks that a market can be voided; rejects with `not_voidable` or `simulation_failed` if the contract refuses. */
  async checkVoid(contract: Hex): Promise<void> {
    const { contracts, rpc, relayer: from } = this.#options;
    const market = contracts.market(contract);
    const voidableFrom = Number(await withRefusals(() => market.read('voidableFrom', [])));
    if (Math.floor(this.#options.nowMs() / 1_000) < voidableFrom)
      throw new PresageError('not_voidable', { voidableFrom });
    await withRefusals(() => callContract(rpc, { from, ...market.call('void', []) }, 'pending'));
  }

  /** Sends a void; resolves once the transaction is durable. Voids recorded at the same time are the same void, sent once. */
  async sendVoid(contract: Hex, recordedMs: number): Promise<string> {
    const { contracts, sender } = this.#options;
    const operationId = toVoidId(contract, recordedMs);
    await sender.enqueue({ operationId, ...contracts.market(contract).call('void', []) });
    return operationId;
  }

  isVoidSent(contract: Hex, recordedMs: number): boolean {
    return this.#options.sender.status(toVoidId(contract, recordedMs)) !== undefined;
  }

  /** Reports stuck operations. */
  failures() {
    const { settlement, stuckSenders } = this.#options;
    const { attempts, reason, nextTryMs, refusedBatches } = settlement.trouble;
    return {
      waitingTrades: settlement.queued,
      oldestSeconds: this.#oldestSeconds() ?? null,
      attempts,
      reason: reason ?? null,
      nextTryMs: nextTryMs ?? null,
      refusedBatches,
      stuckSenders: stuckSenders(),
      alarms: this.alarms(),
    };
  }

  /** Retries everything that is waiting now. */
  retry(): void {
    this.#options.settlement.retry();
    this.#options.wake();
  }

  gauges(): Record<string, Gauge> {
    const { watch } = this;
    const balances = Object.keys(this.#options.accounts).map((account): [string, Gauge] => [
      `presage_${account}_balance_ether`,
      {
        help: `What the ${account} has left for gas; NaN before the first answer`,
        read: () => watch.balanceOf(account),
      },
    ]);
    const alarms = Object.entries(ALARMS).map(([alarm, help]): [string, Gauge] => [
      `presage_alarm_${alarm}`,
      { help, read: () => Number(watch.alarms().includes(alarm)) },
    ]);
    return {
      ...Object.fromEntries([...balances, ...alarms]),
      presage_oldest_unsettled_trade_seconds: {
        help: 'How long the oldest trade waits for its confirmation; 0 while there is none',
        read: () => this.#oldestSeconds() ?? 0,
      },
    };
  }

  /** Counters since the start. */
  counters(): Record<string, Gauge> {
    const { settlement } = this.#options;
    const help = 'Batches that the contract would have refused, or that a fault of the operator kept back';
    return { presage_settlement_batches_refused_total: { help, read: () => settlement.trouble.refusedBatches } };
  }

  #oldestSeconds(): number | undefined {
    let oldestMs: number | undefined;
    for (const { timeMs } of this.#options.unsettledTrades()) oldestMs = Math.min(oldestMs ?? timeMs, timeMs);
    return oldestMs === undefined ? undefined : Math.max(0, this.#options.nowMs() - oldestMs) / 1_000;
  }
}

function toVoidId(contract: Hex, recordedMs: number): string {
  return `operator-void-${contract}-${recordedMs}`;
}
