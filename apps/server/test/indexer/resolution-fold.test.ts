// A resolution taken back to a block is what it was at that block, whatever has happened since.
import {
  type Assertion,
  type ChainPoint,
  type Hex,
  type MarketResolution,
  type ProposedOutcome,
  standingAssertions,
} from '@presage/protocol';
import { isLongRun, SeededRandom, seedFromEnv } from '@presage/testkit';
import { describe, expect, it } from 'vitest';
import {
  dispute,
  NOTHING_SAID,
  propose,
  reject,
  resolve,
  resolveOutcome,
  rewind,
  settle,
  toOutcomeProposal,
} from '../../src/indexer/resolution-fold.ts';

const SEED = seedFromEnv(1);
const HISTORIES = isLongRun ? 20_000 : 500;
const POINT = { transactionHash: `0x${'01'.repeat(32)}`, blockNumber: 1, blockHash: `0x${'02'.repeat(32)}` } as const;
const wallet = (byte: string) => `0x${byte.repeat(20)}` as const;

class Story {
  readonly #random: SeededRandom;
  readonly states: { readonly block: number; readonly resolution: MarketResolution }[] = [];
  #block = 100;
  #resolution = NOTHING_SAID;

  constructor(seed: number) {
    this.#random = new SeededRandom(seed);
    this.#numerators = this.#random.pick([
      [1n, 0n],
      [0n, 1n],
    ]);
    this.#keep();
  }

  /** From the expiration to the payouts: proposals beside each other, disputes and rejections as chance will have them. */
  play(): void {
    const moves = this.#random.int(1, 8);
    for (let move = 0; move <= moves; move++) this.#move();
    const [yes = 0n] = this.#numerators;
    const decided = this.#open().find(({ proposedOutcome }) => proposedOutcome === (yes > 0n ? 0 : 1));
    this.#step((at) => {
      const resolved = resolve(this.#resolution, this.#numerators, at);
      return decided === undefined ? resolved : settle(resolved, decided.id, true, at);
    });
    const late = this.#open()[0];
    if (late !== undefined) this.#step((at) => settle(this.#resolution, late.id, this.#random.chance(0.5), at));
  }

  #move(): void {
    const open = this.#open();
    const free = ([0, 1, 2] as const).filter((outcome) => open.every((each) => each.proposedOutcome !== outcome));
    const quiet = open.filter(({ disputed }) => !disputed);
    const argued = open.filter(({ disputed }) => disputed);
    if (argued.length > 0 && this.#random.chance(0.4)) {
      const { id } = this.#random.pick(argued);
      this.#step((at) => settle(reject(this.#resolution, id, at), id, false, at));
    } else if (quiet.length > 0 && this.#random.chance(0.6)) {
      const { id } = this.#random.pick(quiet);
      this.#step((at) => dispute(this.#resolution, id, wallet('0d'), at));
    } else if (free.length > 0) {
      this.#step((at) => propose(this.#resolution, this.#assertion(at, this.#random.pick(free))));
    }
  }

  #open(): Assertion[] {
    return standingAssertions(this.#resolution).filter(({ settled }) => !settled);
  }

  readonly #numerators: bigint[];

  #step(move: (at: ChainPoint) => MarketResolution): void {
    this.#block += this.#random.int(1, 2);
    const blockHash = this.#random.hex(32);
    this.#resolution = move({ transactionHash: this.#random.hex(32), blockNumber: this.#block, blockHash });
    this.#keep();
  }

  #keep(): void {
    this.states.push({ block: this.#block, resolution: this.#resolution });
  }

  sample(outcome: ProposedOutcome, proposedAt: ChainPoint): Assertion {
    return this.#assertion(proposedAt, outcome);
  }

  #assertion(proposedAt: ChainPoint, proposedOutcome: ProposedOutcome): Assertion {
    return {
      id: this.#random.hex(32),
      proposer: wallet('0a'),
      bondPayer: wallet('0b'),
      proposedOutcome,
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

  it('shows the oldest undisputed assertion first, then the oldest, and at last the one that decided', () => {
    const story = new Story(SEED);
    const at = (blockNumber: number): ChainPoint => ({ ...POINT, blockNumber });
    const made = (id: Hex, outcome: ProposedOutcome, block: number) => ({ ...story.sample(outcome, at(block)), id });
    const [no, half, yes] = [made('0x01', 1, 1), made('0x02', 2, 2), made('0x03', 0, 3)];
    const all = [yes, no, half].reduce(propose, NOTHING_SAID);
    expect(all).toMatchObject({ status: 'proposed', round: 3, assertion: { id: '0x01' } });
    expect(all.others?.map(({ id }) => id)).toEqual(['0x02', '0x03']);
    const argued = dispute(all, '0x01', wallet('0d'), at(4));
    expect(argued).toMatchObject({ status: 'proposed', assertion: { id: '0x02' } });
    const allArgued = ['0x02', '0x03'].reduce((state, id) => dispute(state, id as Hex, wallet('0d'), at(5)), argued);
    expect(allArgued).toMatchObject({ status: 'disputed', assertion: { id: '0x01' } });
    const decided = settle(resolve(allArgued, [1n, 0n], at(6)), '0x03', true, at(6));
    expect(decided).toMatchObject({ status: 'resolved', assertion: { id: '0x03' }, winningOutcome: 0 });
    expect(rewind(decided, 5)).toEqual(allArgued);
  });

  it('has the status that its parts say', () => {
    const at = POINT;
    expect(resolve(NOTHING_SAID, [1n, 1n], at)).toMatchObject({ status: 'void', payouts: [500_000, 500_000] });
    expect(resolve(NOTHING_SAID, [1n, 1n], at)).not.toHaveProperty('winningOutcome');
    expect(resolve(NOTHING_SAID, [0n, 3n], at)).toMatchObject({ status: 'resolved', winningOutcome: 1 });
    const id = `0x${'03'.repeat(32)}` as const;
    for (const unmoved of [dispute(NOTHING_SAID, id, wallet('0d'), at), settle(NOTHING_SAID, id, true, at)]) {
      expect(unmoved).toEqual(NOTHING_SAID);
    }
  });
});

describe('the market of an outcome', () => {
  const event = { id: POINT.blockHash, question: 'Who?', contractAddress: wallet('0e'), count: 3, name: '' };

  it('takes the proposal of its event for YES, for NO, or for a void', () => {
    const seen = [0, 1, 2, 3].map((result) => toOutcomeProposal(result, { ...event, index: 1 }));
    expect(seen).toEqual([1, 0, 1, 2]);
  });

  it('is won by the outcome that pays alone, and lost by the others', () => {
    const [lost, won] = [0, 2].map((index) => resolveOutcome(NOTHING_SAID, [0n, 0n, 1n], index, POINT));
    expect(lost).toMatchObject({ status: 'resolved', payouts: [0, 1_000_000], winningOutcome: 1 });
    expect(won).toMatchObject({ status: 'resolved', payouts: [1_000_000, 0], winningOutcome: 0 });
    expect(won).not.toHaveProperty('payoutDenominator');
  });

  it('is void where all outcomes pay the same, with exact parts, and open again when the block leaves the chain', () => {
    const voided = resolveOutcome(NOTHING_SAID, [1n, 1n, 1n], 1, { ...POINT, blockNumber: 9 });
    expect(voided).toMatchObject({ status: 'void', payouts: [1, 2], payoutDenominator: 3 });
    expect(voided).not.toHaveProperty('winningOutcome');
    expect(rewind(voided, 9)).toEqual(voided);
    expect(rewind(voided, 8)).toEqual(NOTHING_SAID);
  });
});
