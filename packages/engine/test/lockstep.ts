// The engine, the model of the testkit and a follower fed the same flow: they must agree on everything, and the books must add up.

import { isDeepStrictEqual } from 'node:util';
import { Engine, EventBytes, type OrderView, PackedCommands } from '@presage/engine';
import {
  BUY,
  type EngineCommand,
  type EngineEvent,
  type EngineOutput,
  encodeRecord,
  hashLevels,
  isJournalled,
  NO,
  type OrderHash,
  type Outcome,
  SELL,
  type TradeMatched,
  YES,
} from '@presage/protocol';
import { ModelEngine } from '@presage/testkit';
import { expect } from 'vitest';
import { RandomCommands } from './random-commands.ts';

export interface LockstepTally {
  readonly events: Record<string, number>;
  readonly refusals: Record<string, number>;
}

export class Lockstep {
  readonly commands: RandomCommands;
  readonly model: ModelEngine;
  fast: Engine;
  /** Is given bytes wherever it can, and gives bytes back. */
  byBytes: Engine;
  /** Knows the bytes of events only, as a recovery or a reader does. */
  follower: Engine;
  readonly #packed = new PackedCommands(3);
  readonly #events = new EventBytes();
  readonly #options: { readonly eventsPerStep?: number };
  readonly tally: LockstepTally = { events: {}, refusals: {} };
  readonly #filled = new Map<OrderHash, number>();
  readonly #trades = new Map<string, TradeMatched>();

  constructor(seed: number, options: { readonly eventsPerStep?: number } = {}) {
    this.commands = new RandomCommands(seed);
    this.#options = options;
    this.model = new ModelEngine(options);
    this.fast = new Engine(options);
    this.byBytes = new Engine(options);
    this.follower = new Engine(options);
  }

  step(): void {
    const command = this.commands.next();
    const outputs = this.fast.apply(command);
    expectSame(outputs, this.model.apply(command));
    this.#applyAsBytes(command, outputs);
    for (const output of outputs) this.#follow(output);
    this.commands.observe(outputs);
    this.#checkUncrossed(command, outputs);
  }

  #applyAsBytes(command: EngineCommand, expected: readonly EngineOutput[]): void {
    const isPackable = command.type === 'place-order' || command.type === 'cancel-order';
    if (isPackable) {
      this.#packed.write(1, command);
      const answer = this.byBytes.applyPacked(this.#packed, 1, this.#events);
      const events = expected.filter(isJournalled);
      if (answer !== undefined || events.length === 0) expectSame(answer === undefined ? [] : [answer], expected);
    } else expectSame(this.byBytes.apply(command, undefined, this.#events), expected);
    const taken = this.#events.takeAll();
    for (const [index, event] of expected.filter(isJournalled).entries()) {
      const bytes = taken[index];
      if (bytes === undefined) count(this.tally.events, 'not as bytes');
      else if (Buffer.compare(bytes, encodeRecord(event)) !== 0) expect(bytes).toEqual(encodeRecord(event));
    }
  }

  #follow(output: EngineOutput): void {
    if (output.type === 'command-refused') count(this.tally.refusals, output.code);
    else count(this.tally.events, output.type);
    if (!isJournalled(output)) return;
    const bytes = encodeRecord(output);
    if (!this.follower.evolveBytes(bytes)) this.follower.evolve(output);
    this.#keepLedger(output);
  }

  /** The fills of every order, counted apart from the engine. */
  #keepLedger(event: EngineEvent): void {
    if (event.type === 'trade-matched') {
      if (event.fee !== undefined) count(this.tally.events, event.makerRebate === undefined ? 'fee' : 'fee and rebate');
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
    expect([...this.fast.checkpointLines()]).toEqual([...this.model.checkpointLines()]);
    const hash = this.fast.stateHash();
    expect(this.model.stateHash()).toBe(hash);
    expect(this.follower.stateHash()).toBe(hash);
    expect(this.byBytes.stateHash()).toBe(hash);
    for (const { facts } of this.fast.markets()) {
      for (const outcome of [YES, NO] as const) this.#checkBook(facts.marketId, outcome);
    }
    for (const order of this.fast.openOrders()) this.#checkOpenOrder(order);
    expect(this.fast.size()).toEqual(this.model.size());
  }

  #checkBook(marketId: `0x${string}`, outcome: Outcome): void {
    const bids = this.fast.levels(marketId, outcome, BUY);
    const asks = this.fast.levels(marketId, outcome, SELL);
    expect(bids).toEqual(this.model.levels(marketId, outcome, BUY));
    expect(asks).toEqual(this.model.levels(marketId, outcome, SELL));
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
    this.fast = Engine.restore(this.fast.checkpointLines(), this.#options);
    expect(this.fast.stateHash()).toBe(hash);
  }

  /** The same of the engine that is given bytes, from memory. */
  restoreByBytes(): void {
    const hash = this.byBytes.stateHash();
    const taken = this.byBytes.takeCheckpoint();
    const texts = [...taken.texts()].filter((text) => text !== undefined);
    this.byBytes = Engine.restoreImage({ texts, memory: taken.memory() }, this.#options);
    expect(this.byBytes.stateHash()).toBe(hash);
  }

  /** As a host has it: one decides, the other is its copy and follows. */
  copyFollower(): void {
    this.follower = this.fast.copy(this.#options);
    expect(this.follower.stateHash()).toBe(this.fast.stateHash());
  }
}

export interface LockstepOptions {
  readonly seed: number;
  readonly commands: number;
  readonly checkEvery: number;
  readonly eventsPerStep?: number;
}

export function runLockstep({ seed, commands, checkEvery, ...options }: LockstepOptions): Lockstep {
  const lockstep = new Lockstep(seed, options);
  let done = 0;
  try {
    for (; done < commands; done++) {
      lockstep.step();
      if (done % checkEvery === 0) lockstep.checkEverything();
      if (done % (checkEvery * 3) === 0) lockstep.restoreFast();
      if (done % (checkEvery * 4) === 0) lockstep.restoreByBytes();
      if (done % (checkEvery * 2) === 0) lockstep.copyFollower();
    }
    lockstep.checkEverything();
  } catch (cause) {
    throw new Error(`seed ${seed}, command ${done}: ${cause instanceof Error ? cause.message : cause}`, { cause });
  }
  return lockstep;
}

/** Not only equal: the same bytes in the journal. */
function expectSame(outputs: readonly EngineOutput[], expected: readonly EngineOutput[]): void {
  const isSame = isDeepStrictEqual(outputs, expected) && isDeepStrictEqual(toBytes(outputs), toBytes(expected));
  if (!isSame) expect(outputs).toEqual(expected);
}

function toBytes(outputs: readonly EngineOutput[]): Uint8Array[] {
  return outputs.filter(isJournalled).map(encodeRecord);
}

function count(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}
