// Follows markets whose settlement is paused or resumed on chain: during a pause their trades wait and new orders are refused.
import type { LogFilter, WatchedBlock, WatchedLog } from '@presage/chain';
import { presageSettlementAbi } from '@presage/contracts';
import type { PauseChange } from '@presage/protocol';
import { parseEventLogs } from 'viem';
import type { ChainContext } from '../chains/chain-context.ts';
import type { ChainLog } from '../chains/chain-log.ts';
import type { MarketPauses } from '../chains/market-pauses.ts';
import { type FactWriter, selectLogs, selectorOf } from './viem-logs.ts';

const PAUSED = selectorOf(presageSettlementAbi, 'MarketPaused');

export interface PauseFollowerOptions {
  /** Contains each note once it is durable. */
  readonly pauses: MarketPauses;
  readonly journal: Pick<ChainLog, 'notePause'>;
  /** Called when a market settles again. */
  readonly onResumed: () => void;
}

export class PauseFollower {
  readonly filters: readonly LogFilter[];
  readonly #context: ChainContext;
  readonly #options: PauseFollowerOptions;

  constructor(context: ChainContext, options: PauseFollowerOptions) {
    this.#context = context;
    this.#options = options;
    this.filters = [{ addresses: [context.chain.contracts.settlement], topics: [PAUSED] }];
  }

  read({ blockNumber, logs }: WatchedBlock): FactWriter | undefined {
    const { settlement } = this.#context.addresses;
    const own = logs.filter(({ address }) => address === settlement);
    const changes = this.#unknownOf(readChanges(own, blockNumber));
    return changes.length === 0 ? undefined : () => this.#write(changes);
  }

  async rewind(toBlock: number): Promise<void> {
    const { pauses, journal, onResumed } = this.#options;
    if (!pauses.isAbove(toBlock)) return;
    await journal.notePause({ kind: 'rewound', toBlock });
    onResumed();
  }

  /** Drops changes that are known already, since a block may be delivered again after a restart. */
  #unknownOf(changes: readonly PauseChange[]): PauseChange[] {
    return changes.filter(({ marketId, blockNumber }, index) => {
      const before = changes.slice(0, index).filter((each) => each.marketId === marketId);
      return before.length >= this.#options.pauses.countIn(marketId, blockNumber);
    });
  }

  async #write(changes: readonly PauseChange[]): Promise<void> {
    const { journal, onResumed } = this.#options;
    for (const change of changes) {
      const { marketId, isPaused } = change;
      this.#context.log.warn({ marketId }, isPaused ? 'market paused on chain' : 'market resumed on chain');
      await journal.notePause(change);
      if (!isPaused) onResumed();
    }
  }
}

function readChanges(all: readonly WatchedLog[], blockNumber: number): PauseChange[] {
  const logs = selectLogs(all, [PAUSED]);
  if (logs.length === 0) return [];
  const events = parseEventLogs({ abi: presageSettlementAbi, eventName: 'MarketPaused', logs });
  return events.map(({ args: { marketId, isPaused } }) => ({ kind: 'changed', marketId, blockNumber, isPaused }));
}
