// Voids markets for operators: recorded first, then sent, by a later start if a kill comes in between.
import type { MarketView } from '@presage/engine';
import { type Hex, isDecided, type MarketId, PresageError, resolverOf } from '@presage/protocol';
import { SerialQueue } from '@presage/runtime';
import type { MarketReads } from '../host/ports.ts';
import type { Log } from '../log/log.ts';
import type { Act, Asked } from './asked.ts';
import type { ChainOperations } from './chain-operations.ts';
import type { OperatorState } from './operator-state.ts';
import type { ActSource, UnfinishedAct } from './unfinished-acts.ts';

export interface MarketVoidsOptions {
  readonly state: Pick<OperatorState, 'voidedMs'>;
  /** Records actions; resolves once they are durable. */
  readonly act: Act;
  readonly reads: Pick<MarketReads, 'market'>;
  /** Rejects a chain that is not served here. */
  readonly operationsOf: (chainId: number) => Pick<ChainOperations, 'checkVoid' | 'sendVoid' | 'isVoidSent'>;
  readonly log: Pick<Log, 'warn'>;
}

export class MarketVoids implements ActSource {
  readonly #options: MarketVoidsOptions;
  /** Runs one at a time: a void that is under way is not taken for one that was interrupted. */
  readonly #queue = new SerialQueue();
  /** Markets whose last void was sent, or is refused by the contract. */
  readonly #done = new Set<MarketId>();

  constructor(options: MarketVoidsOptions) {
    this.#options = options;
  }

  /** Returns the id of the transaction's operation. */
  void(asked: Asked, { facts }: MarketView): Promise<string> {
    const { state, act, operationsOf } = this.#options;
    const { marketId } = facts;
    const operations = operationsOf(facts.chainId);
    const contract = resolverOf(facts);
    return this.#queue.run(async () => {
      await operations.checkVoid(contract);
      await act(asked, { kind: 'void-market', marketId });
      this.#done.delete(marketId);
      return operations.sendVoid(contract, state.voidedMs.get(marketId) ?? 0);
    });
  }

  unfinished(): UnfinishedAct[] {
    const { state, reads } = this.#options;
    const left: UnfinishedAct[] = [];
    for (const [marketId, atMs] of state.voidedMs) {
      const market = this.#done.has(marketId) ? undefined : reads.market(marketId);
      if (market === undefined) continue;
      const { facts, resolution } = market;
      if (resolution !== undefined && isDecided(resolution)) this.#done.add(marketId);
      else left.push({ chainId: facts.chainId, subject: { marketId }, finish: () => this.#finish(market, atMs) });
    }
    return left;
  }

  #finish({ facts }: MarketView, atMs: number): Promise<void> {
    const { operationsOf, log } = this.#options;
    const { marketId, chainId } = facts;
    const contract = resolverOf(facts);
    return this.#queue.run(async () => {
      const operations = operationsOf(chainId);
      if (!operations.isVoidSent(contract, atMs)) {
        if (await isAllowed(operations, contract)) {
          await operations.sendVoid(contract, atMs);
          log.warn({ marketId }, 'void of a market sent: an interrupted action of an operator was finished');
        } else
          log.warn(
            { marketId },
            'void of a market dropped: it was recorded before an interruption, and the contract refuses it now',
          );
      }
      this.#done.add(marketId);
    });
  }
}

/** Rejects while the chain is unreachable. */
async function isAllowed(operations: Pick<ChainOperations, 'checkVoid'>, contract: Hex): Promise<boolean> {
  try {
    await operations.checkVoid(contract);
    return true;
  } catch (error) {
    if (error instanceof PresageError && error.code !== 'chain_unavailable') return false;
    throw error;
  }
}
