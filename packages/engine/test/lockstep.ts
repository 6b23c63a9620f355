// Two engines and a follower fed the same flow: they must agree on everything, and the books must add up.

import { isDeepStrictEqual } from 'node:util';
import { Engine, type OrderView } from '@presage/engine';
import {
  BUY,
  type EngineCommand,
  type EngineEvent,
  type EngineOutput,
  hashLevels,
  isJournalled,
  NO,
  type OrderHash,
  type Outcome,
  SELL,
  type TradeMatched,
  YES,
} from '@presage/protocol';
import { NaiveBook } from '@presage/testkit';
import { expect } from 'vitest';
import { RandomCommands } from './random-commands.ts';

const naiveBooks = (outcome: Outcome) => new NaiveBook(outcome);

export interface LockstepTally {
  readonly events: Record<string, number>;
  readonly refusals: Record<string, number>;
}

export class Lockstep {
  readonly commands: RandomCommands;
  readonly naive = new Engine({ createBook: naiveBooks });
  fast = new Engine();
  /** Knows events only, as a recovery or a reader does. */
  readonly follower = new Engine();
  readonly tally: LockstepTally = { events: {}, refusals: {} };
  readonly #filled = new Map<OrderHash, number>();
  readonly #trades = new Map<string, TradeMatched>();

  constructor(seed: number) {
    this.commands = new RandomCommands(seed);
  }

  step(): void {
    const command = this.commands.next();
    const outputs = this.fast.apply(command);
    const expected = this.naive.apply(command);
    if (!isDeepStrictEqual(outputs, expected)) expect(outputs).toEqual(expected);
    for (const output of outputs) this.#follow(output);
    this.commands.observe(outputs);
    this.#checkUncrossed(command, outputs);
  }

  #follow(output: EngineOutput): void {
    if (output.type === 'command-refused') count(this.tally.refusals, output.code);
    else count(this.tally.events, output.type);
    if (!isJournalled(output)) return;
    this.follower.evolve(output);
    this.#keepLedger(output);
  }

  /** The fills of every order, counted apart from the engine. */
  #keepLedger(event: EngineEvent): void {
    if (event.type === 'trade-matched') {
      this.#trades.set(event.tradeId, event);
      this.#book(event, event.size);
    } else if (event.type === 'trade-failed') {
      const trade = this.#trades.get(event.tradeId)!;
      this.#trades.delete(event.tradeId);
      this.#book(trade, -trade.size);
    }
  }

  #book(trade: TradeMatched, size: number): void {
    for (const hash of [trade.makerHash, trade.takerHash]) {
      this.#filled.set(hash, (this.#filled.get(hash) ?? 0) + size);
    }
  }

  #checkUncrossed(command: EngineCommand, outputs: readonly EngineOutput[]): void {
    for (const marketId of new Set(outputs.filter(isJournalled).map((event) => event.marketId))) {
      for (const outcome of [YES, NO] as const) {
        const bid = this.fast.bestPrice(marketId, outcome, BUY);
        const ask = this.fast.bestPrice(marketId, outcome, SELL);
        if (ask !== 0 && bid >= ask) expect.fail(`${command.type} left ${bid} bid over ${ask} asked`);
      }
    }
  }

  checkEverything(): void {
    const hash = this.fast.stateHash();
    expect(this.naive.stateHash()).toBe(hash);
    expect(this.follower.stateHash()).toBe(hash);
    for (const { facts } of this.fast.markets()) {
      for (const outcome of [YES, NO] as const) this.#checkBook(facts.marketId, outcome);
    }
    for (const order of this.fast.openOrders()) this.#checkOpenOrder(order);
    expect(this.fast.size()).toEqual(this.naive.size());
  }

  #checkBook(marketId: `0x${string}`, outcome: Outcome): void {
    const bids = this.fast.levels(marketId, outcome, BUY);
    const asks = this.fast.levels(marketId, outcome, SELL);
    expect(bids).toEqual(this.naive.levels(marketId, outcome, BUY));
    expect(asks).toEqual(this.naive.levels(marketId, outcome, SELL));
    const expected = hashLevels(outcome, bids, asks).toString(16).padStart(16, '0');
    expect(this.fast.bookHash(marketId, outcome)).toBe(expected);
    expect(this.follower.bookHash(marketId, outcome)).toBe(expected);
    this.#checkTotals(marketId, outcome, [...bids, ...asks]);
  }

  #checkTotals(marketId: `0x${string}`, outcome: Outcome, levels: readonly { readonly size: number | bigint }[]): void {
    const orders = this.fast.openOrders({ marketId }).filter((order) => order.signed.order.outcome === outcome);
    const resting = orders.reduce((sum, order) => sum + BigInt(order.remainingSize), 0n);
    expect(levels.reduce((sum, level) => sum + BigInt(level.size), 0n)).toBe(resting);
  }

  #checkOpenOrder(order: OrderView): void {
    const { orderHash, order: signed } = order.signed;
    expect(order.status).toBe('open');
    expect(order.filledSize).toBe(this.#filled.get(orderHash) ?? 0);
    expect(order.filledSize + order.remainingSize).toBe(signed.size);
    expect(order.remainingSize).toBeGreaterThan(0);
  }

  /** Replaces the fast engine with one restored from its checkpoint: nothing afterwards may differ. */
  restoreFast(): void {
    const hash = this.fast.stateHash();
    this.fast = Engine.restore(this.fast.checkpointLines());
    expect(this.fast.stateHash()).toBe(hash);
  }
}

export interface LockstepOptions {
  readonly seed: number;
  readonly commands: number;
  readonly checkEvery: number;
}

export function runLockstep({ seed, commands, checkEvery }: LockstepOptions): Lockstep {
  const lockstep = new Lockstep(seed);
  let done = 0;
  try {
    for (; done < commands; done++) {
      lockstep.step();
      if (done % checkEvery === 0) lockstep.checkEverything();
      if (done % (checkEvery * 3) === 0) lockstep.restoreFast();
    }
    lockstep.checkEverything();
  } catch (cause) {
    throw new Error(`seed ${seed}, command ${done}: ${cause instanceof Error ? cause.message : cause}`, { cause });
  }
  return lockstep;
}

function count(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}
