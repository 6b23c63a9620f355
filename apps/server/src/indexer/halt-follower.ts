// Follows traders who stop all their orders on chain, or resume: their orders leave the book, and new ones are refused meanwhile.
import type { LogFilter, WatchedBlock, WatchedLog } from '@presage/chain';
import { presageSettlementAbi } from '@presage/contracts';
import type { Address, Hex } from '@presage/protocol';
import { parseEventLogs } from 'viem';
import type { HaltChange, HaltNote, TradingHalts } from '../chains/trading-halts.ts';
import { lower, selectLogs, selectorOf } from './viem-logs.ts';

export interface HaltCommands {
  cancelHalted(trader: Address, chainId: number): Promise<void>;
}

export interface HaltFollowerOptions {
  readonly chainId: number;
  readonly settlement: Hex;
  readonly commands: HaltCommands;
  readonly halts: Pick<TradingHalts, 'isAbove'>;
  /** Durable, and known to admission, when it resolves. */
  readonly note: (halt: HaltNote) => Promise<void>;
}

const HALTED = selectorOf(presageSettlementAbi, 'TradingHalted');
const RESUMED = selectorOf(presageSettlementAbi, 'TradingResumed');

export class HaltFollower {
  readonly filters: readonly LogFilter[];
  readonly #options: HaltFollowerOptions;

  constructor(options: HaltFollowerOptions) {
    this.#options = options;
    this.filters = [{ addresses: [options.settlement], topics: [[HALTED, RESUMED]] }];
  }

  /** First the note, then the cancels: an order that is placed in between is refused or among those cancelled. */
  async follow({ blockNumber, logs }: WatchedBlock): Promise<boolean> {
    const settlement = lower(this.#options.settlement);
    const changes = readChanges(
      logs.filter(({ address }) => address === settlement),
      blockNumber,
    );
    for (const change of changes) {
      await this.#options.note(change);
      if (change.effectiveAfter === null) continue;
      await this.#options.commands.cancelHalted(change.trader, this.#options.chainId);
    }
    return changes.length > 0;
  }

  async rewind(toBlock: number): Promise<void> {
    if (this.#options.halts.isAbove(toBlock)) await this.#options.note({ kind: 'rewound', toBlock });
  }
}

function readChanges(all: readonly WatchedLog[], blockNumber: number): HaltChange[] {
  const logs = selectLogs(all, [HALTED, RESUMED]);
  if (logs.length === 0) return [];
  const events = parseEventLogs({ abi: presageSettlementAbi, eventName: ['TradingHalted', 'TradingResumed'], logs });
  return events.map(({ eventName, args }) => {
    const effectiveAfter = eventName === 'TradingHalted' ? Number(args.effectiveAfter) : null;
    return { kind: 'changed', trader: lower(args.trader), blockNumber, effectiveAfter };
  });
}
