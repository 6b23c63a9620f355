// Closes markets early for operators: recorded first, then carried out, after a restart if a kill comes in between.
import type { MarketId } from '@presage/protocol';
import { SerialQueue } from '@presage/runtime';
import type { HostCommands } from '../host/host-commands.ts';
import type { MarketReads } from '../host/ports.ts';
import type { Log } from '../log/log.ts';
import type { Act, Asked } from './asked.ts';
import type { OperatorState } from './operator-state.ts';
import type { ActSource, UnfinishedAct } from './unfinished-acts.ts';

export interface MarketClosingsOptions {
  readonly state: Pick<OperatorState, 'closed'>;
  /** Records actions; resolves once they are durable. */
  readonly act: Act;
  readonly reads: Pick<MarketReads, 'market'>;
  readonly commands: Pick<HostCommands, 'closeEarly'>;
  readonly log: Pick<Log, 'warn'>;
}

export class MarketClosings implements ActSource {
  readonly #options: MarketClosingsOptions;
  /** Runs one at a time, so that a closing in progress is not mistaken for an interrupted one. */
  readonly #queue = new SerialQueue();
  /** Markets known to be closed. */
  readonly #done = new Set<MarketId>();

  constructor(options: MarketClosingsOptions) {
    this.#options = options;
  }

  /** Closes markets. Records all together; from then on each will be closed, an unlisted one once it is listed. */
  close(asked: Asked, marketIds: readonly MarketId[]): Promise<void> {
    const { act, reads, commands } = this.#options;
    return this.#queue.run(async () => {
      await act(asked, ...marketIds.map((marketId) => ({ kind: 'close-market', marketId }) as const));
      for (const marketId of marketIds) if (reads.market(marketId) !== undefined) await commands.closeEarly(marketId);
    });
  }

  unfinished(): UnfinishedAct[] {
    const { state, reads } = this.#options;
    const left: UnfinishedAct[] = [];
    for (const marketId of state.closed) {
      if (this.#done.has(marketId)) continue;
      const market = reads.market(marketId);
      if (market === undefined) continue;
      if (market.status === 'closed') this.#done.add(marketId);
      else left.push({ chainId: market.facts.chainId, subject: { marketId }, finish: () => this.#finish(marketId) });
    }
    return left;
  }

  #finish(marketId: MarketId): Promise<void> {
    const { reads, commands, log } = this.#options;
    return this.#queue.run(async () => {
      if (reads.market(marketId)?.status !== 'open') return;
      await commands.closeEarly(marketId);
      log.warn({ marketId }, 'market closed: an interrupted action of an operator was finished');
    });
  }
}
