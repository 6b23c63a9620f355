// One chain as operators act on it: creating and voiding markets, operations that are stuck, and alarms.
import {
  type ContractCall,
  type Contracts,
  callContract,
  type Rpc,
  type SenderPort,
  withRefusals,
} from '@presage/chain';
import type { TradeView } from '@presage/engine';
import { type Hex, PresageError } from '@presage/protocol';
import type { SettlementTrouble } from '../settlement/retries.ts';
import { type AccountWatch, ALARMS } from './account-watch.ts';
import type { ChainFailures, MarketCreator } from './ports.ts';

export interface ChainOperationsOptions {
  readonly rpc: Rpc;
  readonly contracts: Contracts;
  readonly creator: MarketCreator | undefined;
  /** Sends by the relayer: anybody may void a market that was undecided for too long. */
  readonly sender: SenderPort;
  readonly relayer: Hex;
  readonly watch: AccountWatch;
  readonly accounts: readonly string[];
  readonly settlement: { readonly queued: number; readonly trouble: SettlementTrouble; retry(): void };
  readonly unsettledTrades: () => readonly Pick<TradeView, 'timeMs'>[];
  readonly stuckSenders: () => readonly string[];
  /** Wakes every task that waits to retry on the chain. */
  readonly wake: () => void;
  readonly nowMs: () => number;
}

type Gauge = { readonly help: string; readonly read: () => number };

export class ChainOperations {
  readonly #options: ChainOperationsOptions;
  #voids = 0;

  constructor(options: ChainOperationsOptions) {
    this.#options = options;
  }

  get creator(): MarketCreator | undefined {
    return this.#options.creator;
  }

  alarms(): readonly string[] {
    return this.#options.watch.alarms();
  }

  async voidMarket(contract: Hex, note: () => Promise<void>): Promise<string> {
    const { contracts, sender } = this.#options;
    const market = contracts.market(contract);
    const voidableFrom = Number(await withRefusals(() => market.read('voidableFrom', [])));
    if (Math.floor(this.#options.nowMs() / 1_000) < voidableFrom)
      throw new PresageError('not_voidable', { voidableFrom });
    const call = market.call('void', []);
    await withRefusals(() => this.#simulate(call));
    await note();
    const operationId = `operator-void-${contract}-${this.#options.nowMs()}-${++this.#voids}`;
    await sender.enqueue({ operationId, ...call });
    return operationId;
  }

  failures(): ChainFailures {
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

  retry(): void {
    this.#options.settlement.retry();
    this.#options.wake();
  }

  gauges(): Record<string, Gauge> {
    const { watch, accounts } = this.#options;
    const balances = accounts.map((account): [string, Gauge] => [
      `presage_${account}_balance_ether`,
      {
        help: `What the ${account} has left for gas; NaN before the first answer`,
        read: () => watch.balanceOf(account),
      },
    ]);
    const alarms = ALARMS.map((alarm): [string, Gauge] => [
      `presage_alarm_${alarm}`,
      { help: HELP[alarm], read: () => Number(watch.alarms().includes(alarm)) },
    ]);
    return {
      ...Object.fromEntries([...balances, ...alarms]),
      presage_oldest_unsettled_trade_seconds: {
        help: 'How long the oldest trade waits for its confirmation; 0 while there is none',
        read: () => this.#oldestSeconds() ?? 0,
      },
    };
  }

  /** A count since the start. */
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

  async #simulate(call: ContractCall): Promise<void> {
    await callContract(this.#options.rpc, { from: this.#options.relayer, ...call }, 'pending');
  }
}

const HELP: Readonly<Record<(typeof ALARMS)[number], string>> = {
  settler_unfunded: 'Whether the settler cannot pay for a batch',
  relayer_unfunded: 'Whether the relayer cannot pay for a call',
  creator_unfunded: 'Whether the creator cannot pay for a market',
  settler_role_lost: 'Whether the settlement contract has another operator than the settler',
  settlement_paused: 'Whether the settlement contract is paused',
};
