// Voids markets for operators: recorded first, then sent, after a restart if a kill comes in between.
import type { MarketView } from '@presage/engine';
import { type Hex, isDecided, type MarketId, PresageError, resolverOf } from '@presage/protocol';
import { SerialQueue } from '@presage/runtime';
import type { MarketReads } from '../host/ports.ts';
import type { Log } from '../log/log.ts';
import type { Act, Asked } from './asked.ts';
import type { ChainOperations } from './chain-operations.ts';
import type { OperatorState, RecordedVoid } from './operator-state.ts';
import type { ActSource, UnfinishedAct } from './unfinished-acts.ts';

export interface MarketVoidsOptions {
  readonly state: Pick<OperatorState, 'voided'>;
  /** Records actions; resolves once they are durable. */
  readonly act: Act;
  readonly reads: Pick<MarketReads, 'market'>;
  /** Operations of a chain; throws if it is not served here. */
  readonly operationsOf: (chainId: number) => Pick<ChainOperations, 'checkVoid' | 'sendVoid' | 'isVoidSent'>;
  readonly log: Pick<Log, 'warn'>;
}

export class MarketVoids implements ActSource {
  readonly #options: MarketVoidsOptions;
  /** Runs one at a time, so that a void in progress is not mistaken for an interrupted one. */
  readonly #queue = new SerialQueue();
  /** Markets whose last void was sent, or was refused by the contract. */
  readonly #done = new Set<MarketId>();

  constructor(options: MarketVoidsOptions) {
    this.#options = options;
  }

  /** Voids a market; returns the id of the transaction's operation. */
  void(asked: Asked, { facts }: MarketView): Promise<string> {
    const { state, act, operationsOf } = this.#options;
    const { marketId } = facts;
    const operations = operationsOf(facts.chainId);
    const contract = resolverOf(facts);
    return this.#queue.run(async () => {
      await operations.checkVoid(contract);
      await act(asked, { kind: 'void-market', marketId });
      this.#done.delete(marketId);
      return operations.sendVoid(contract, state.voided.get(marketId)?.atMs ?? 0);
    });
  }

  unfinished(): UnfinishedAct[] {
    const { state, reads } = this.#options;
    const left: UnfinishedAct[] = [];
    for (const [marketId, recorded] of state.voided) {
      const market = this.#done.has(marketId) ? undefined : reads.market(marketId);
      if (market === undefined) continue;
      const { facts, resolution } = market;
      if (resolution !== undefined && isDecided(resolution)) this.#done.add(marketId);
      else left.push({ chainId: facts.chainId, subject: { marketId }, finish: () => this.#finish(market, recorded) });
    }
    return left;
  }

  #finish({ facts }: MarketView, { atMs, actor }: RecordedVoid): Promise<void> {
    const { act, operationsOf, log, state } = this.#options;
    const { marketId, chainId } = facts;
    const contract = resolverOf(facts);
    return this.#queue.run(async () => {
      // Skips if an operator has voided the market again meanwhile.
      if (state.voided.get(marketId)?.atMs !== atMs) return;
      const operations = operationsOf(chainId);
      if (!operations.isVoidSent(contract, atMs)) {
        const refusal = await findRefusal(operations, contract);
        if (refusal === undefined) {
          await operations.sendVoid(contract, atMs);
          log.warn({ marketId }, 'void of a market sent: an interrupted action of an operator was finished');
        } else {
          // The drop is recorded, because a later start would try again and send the void long after anybody expects it.
          await act({ actor, reason: `dropped after an interruption: ${refusal}` }, { kind: 'drop-void', marketId });
          log.warn({ marketId, refusal }, 'void of a market dropped: recorded before an interruption, and refused now');
        }
      }
      this.#done.add(marketId);
    });
  }
}

/** The contract's refusal, if any; rejects while the chain is unreachable. */
async function findRefusal(operations: Pick<ChainOperations, 'checkVoid'>, contract: Hex): Promise<string | undefined> {
  try {
    await operations.checkVoid(contract);
    return undefined;
  } catch (error) {
    if (error instanceof PresageError && error.code !== 'chain_unavailable') return error.message;
    throw error;
  }
}
