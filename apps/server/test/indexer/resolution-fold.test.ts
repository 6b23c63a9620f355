// A resolution taken back to a block is what it was at that block, whatever has happened since.
import type { Assertion, ChainPoint, MarketResolution } from '@presage/protocol';
import { isLongRun, SeededRandom, seedFromEnv } from '@presage/testkit';
import { describe, expect, it } from 'vitest';
import { dispute, NOTHING_SAID, propose, reject, resolve, rewind, settle } from '../../src/indexer/resolution-fold.ts';

const SEED = seedFromEnv(1);
const HISTORIES = isLongRun ? 20_000 : 500;
const wallet = (byte: string) => `0x${byte.repeat(20)}` as const;

class Story {
  readonly #random: SeededRandom;
  readonly states: { readonly block: number; readonly resolution: MarketResolution }[] = [];
  #block = 100;
  #resolution = NOTHING_SAID;

  constructor(seed: number) {
    this.#random = new SeededRandom(seed);
    this.#keep();
  }

  /** From the expiration to the payouts, with as many rounds and disputes as chance will have. */
  play(): void {
    const rounds = this.#random.int(0, 3);
    for (let round = 0; round <= rounds; round++) {
      this.#step((at) => propose(this.#resolution, this.#assertion(at)));
      const isDisputed = round < rounds || this.#random.chance(0.3);
      if (isDisputed) this.#step((at) => dispute(this.#resolution, wallet('0d'), at));
      if (round < rounds) this.#step((at) => settle(reject(this.#resolution, at), false, at));
    }
    this.#step((at) => settle(resolve(this.#resolution, this.#payouts(), at), true, at));
  }

  #payouts(): bigint[] {
    return this.#random.pick([
      [1n, 0n],
      [0n, 1n],
    ]);
  }

  #step(move: (at: ChainPoint) => MarketResolution): void {
    this.#block += this.#random.int(0, 2);
    const blockHash = this.#random.hex(32);
    this.#resolution = move({ transactionHash: this.#random.hex(32), blockNumber: this.#block, blockHash });
    this.#keep();
  }

  #keep(): void {
    this.states.push({ block: this.#block, resolution: this.#resolution });
  }

  #assertion(proposedAt: ChainPoint): Assertion {
    return {
      id: this.#random.hex(32),
      proposer: wallet('0a'),
      bondPayer: wallet('0b'),
      proposedOutcome: this.#random.pick([0, 1] as const),
      bondAmount: '1000000',
      assertionTime: 5,
      expirationTime: 7_205,
      disputed: false,
      settled: false,
      settlementResolution: false,
      proposedAt,
    };
  }
}

describe('a resolution', () => {
  it('is taken back to any block exactly', () => {
    for (let seed = SEED; seed < SEED + HISTORIES; seed++) {
      const story = new Story(seed);
      story.play();
      const last = story.states.at(-1)!.resolution;
      const blocks = new Set(story.states.map(({ block }) => block));
      for (const block of blocks) {
        const then = story.states.findLast((state) => state.block <= block)!.resolution;
        expect(rewind(last, block), `seed ${seed}, block ${block}`).toEqual(then);
        expect(rewind(then, block), `seed ${seed}, block ${block}, again`).toEqual(then);
      }
      expect(rewind(last, 0), `seed ${seed}`).toEqual(NOTHING_SAID);
    }
  });

  it('has the status that its parts say', () => {
    const at = { transactionHash: `0x${'01'.repeat(32)}`, blockNumber: 1, blockHash: `0x${'02'.repeat(32)}` } as const;
    expect(resolve(NOTHING_SAID, [1n, 1n], at)).toMatchObject({ status: 'void', payouts: [500_000, 500_000] });
    expect(resolve(NOTHING_SAID, [1n, 1n], at)).not.toHaveProperty('winningOutcome');
    expect(resolve(NOTHING_SAID, [0n, 3n], at)).toMatchObject({ status: 'resolved', winningOutcome: 1 });
    for (const unmoved of [dispute(NOTHING_SAID, wallet('0d'), at), settle(NOTHING_SAID, true, at)]) {
      expect(unmoved).toEqual(NOTHING_SAID);
    }
  });
});
