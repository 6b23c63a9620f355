// Follows traders who halt or resume trading on chain: a halt cancels their orders and refuses new ones until they resume.
import type { LogFilter, WatchedBlock, WatchedLog } from '@presage/chain';
import { presageSettlementAbi } from '@presage/contracts';
import type { OrderView } from '@presage/engine';
import { type Address, type HaltChange, type JournalRecord, toLowerHex } from '@presage/protocol';
import { RepeatedWork } from '@presage/runtime';
import { parseEventLogs } from 'viem';
import type { ChainContext } from '../chains/chain-context.ts';
import type { ChainLog } from '../chains/chain-log.ts';
import type { TradingHalts } from '../chains/trading-halts.ts';
import { type FactWriter, selectLogs, selectorOf } from './viem-logs.ts';

const HALTED = selectorOf(presageSettlementAbi, 'TradingHalted');
const RESUMED = selectorOf(presageSettlementAbi, 'TradingResumed');
const RETRY_POLLS = 10;

export class HaltFollower {
  readonly filters: readonly LogFilter[];
  readonly #context: ChainContext;
  /** Contains each note once it is durable. */
  readonly #halts: TradingHalts;
  readonly #journal: Pick<ChainLog, 'noteHalt'>;
  /** Halted traders of whom an order entered the book. */
  readonly #late: RepeatedWork<Address>;

  constructor(context: ChainContext, halts: TradingHalts, journal: Pick<ChainLog, 'noteHalt'>) {
    this.#context = context;
    this.#halts = halts;
    this.#journal = journal;
    this.#late = new RepeatedWork({
      work: (traders) => Promise.all(traders.map((trader) => this.#cancelHalted(trader))),
      onTrouble: (error) => {
        context.log.warn({ error: String(error) }, 'orders of halted traders could not be cancelled; retrying');
      },
      pauseMs: context.pollMs * RETRY_POLLS,
    });
    this.filters = [{ addresses: [context.chain.contracts.settlement], topics: [[HALTED, RESUMED]] }];
  }

  read({ blockNumber, logs }: WatchedBlock): FactWriter | undefined {
    const { settlement } = this.#context.addresses;
    const changes = readChanges(
      logs.filter(({ address }) => address === settlement),
      blockNumber,
    );
    return changes.length === 0 ? undefined : () => this.#write(changes);
  }

  /**
   * Cancels orders of halted traders that enter the book, since the settlement contract would refuse their fills. Another node may pass an
   * order on before it learns of the halt, and a fill that fails by the fault of the other party restores one.
   */
  follow(record: JournalRecord): void {
    const { reads } = this.#context;
    let trader: Address | undefined;
    if (record.type === 'order-accepted') trader = record.order.trader;
    if (record.type === 'order-restored') trader = reads.order(record.orderHash)?.signed.order.trader;
    if (trader !== undefined && this.#halts.effectiveAfter(trader) !== undefined) this.#late.add(trader);
  }

  /** Checks all open orders: an earlier run may have been killed before it cancelled such an order. */
  checkAll(open: readonly OrderView[]): void {
    const traders = new Set(open.map(({ signed }) => signed.order.trader));
    for (const trader of traders) if (this.#halts.effectiveAfter(trader) !== undefined) this.#late.add(trader);
  }

  close(): Promise<void> {
    return this.#late.close();
  }

  async #cancelHalted(trader: Address): Promise<void> {
    const { commands, chain } = this.#context;
    // Its trader may have resumed while the journal refused the cancel.
    if (this.#halts.effectiveAfter(trader) !== undefined) await commands.cancelHalted(trader, chain.chainId);
  }

  async rewind(toBlock: number): Promise<void> {
    if (this.#halts.isAbove(toBlock)) await this.#journal.noteHalt({ kind: 'rewound', toBlock });
  }

  /**
   * Writes the note before the cancels, so that an order placed in between is refused or cancelled. A halt that was known before cancels
   * orders only while it holds, since its trader may have resumed and placed new ones.
   */
  async #write(changes: readonly HaltChange[]): Promise<void> {
    const unknown = changes.filter((change, index) => {
      const before = changes.slice(0, index).filter(({ trader }) => trader === change.trader);
      return before.length >= this.#halts.countIn(change.trader, change.blockNumber);
    });
    for (const change of changes) {
      if (unknown.includes(change)) await this.#journal.noteHalt(change);
      if (change.effectiveAfter !== null) await this.#cancelHalted(change.trader);
    }
  }
}

function readChanges(all: readonly WatchedLog[], blockNumber: number): HaltChange[] {
  const logs = selectLogs(all, [HALTED, RESUMED]);
  if (logs.length === 0) return [];
  const events = parseEventLogs({ abi: presageSettlementAbi, eventName: ['TradingHalted', 'TradingResumed'], logs });
  return events.map(({ eventName, args }) => {
    const effectiveAfter = eventName === 'TradingHalted' ? Number(args.effectiveAfter) : null;
    return { kind: 'changed', trader: toLowerHex(args.trader), blockNumber, effectiveAfter };
  });
}
