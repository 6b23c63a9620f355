// The engine written with objects and maps: the model that the flat-memory engine must equal in every event, line and hash.

import type { EngineSize, Level } from '@presage/engine';
import {
  type EngineCommand,
  type EngineEvent,
  type EngineOutput,
  EVENTS_PER_STEP,
  isJournalled,
  type MarketId,
  type Outcome,
  type Side,
  sha256OfLines,
} from '@presage/protocol/engine-types';
import { readCheckpoint, writeCheckpoint } from './checkpoint.ts';
import { decide } from './decide.ts';
import { EngineState } from './engine-state.ts';
import { evolve } from './evolve.ts';
import { NaiveBook } from './naive-book.ts';

export interface ModelEngineOptions {
  readonly eventsPerStep?: number;
}

export class ModelEngine {
  readonly #state: EngineState;

  constructor({ eventsPerStep = EVENTS_PER_STEP }: ModelEngineOptions = {}) {
    const createBook = (outcome: Outcome) => new NaiveBook(outcome);
    this.#state = new EngineState({ createBook, eventsPerStep });
  }

  static restore(lines: Iterable<string>, options: ModelEngineOptions = {}): ModelEngine {
    const engine = new ModelEngine(options);
    readCheckpoint(engine.#state, lines);
    return engine;
  }

  decide(command: EngineCommand): EngineOutput[] {
    return decide(this.#state, command);
  }

  evolve(event: EngineEvent, seq: number): void {
    evolve(this.#state, event, seq);
  }

  apply(command: EngineCommand, firstSeq = this.#state.seq + 1): EngineOutput[] {
    const outputs = this.decide(command);
    let seq = firstSeq;
    for (const output of outputs) if (isJournalled(output)) this.evolve(output, seq++);
    return outputs;
  }

  checkpointLines(): Generator<string> {
    return writeCheckpoint(this.#state);
  }

  stateHash(): `0x${string}` {
    return sha256OfLines(this.checkpointLines());
  }

  levels(marketId: MarketId, outcome: Outcome, side: Side): Level[] {
    return this.#state.markets.get(marketId)?.books[outcome]?.levels(side) ?? [];
  }

  size(): EngineSize {
    let [rememberedTrades, accounts] = [0, 0];
    for (const market of this.#state.liveMarkets) {
      rememberedTrades += market.trades.size;
      accounts += market.accounts.size;
    }
    return {
      markets: this.#state.markets.size,
      openOrders: this.#state.restingCount,
      rememberedOrders: this.#state.memory.orders.size,
      rememberedTrades,
      accounts,
    };
  }
}
