// Every step of a random market: a book rebuilt from deltas has the engine's hash after each of them.
import { isLongRun, seedFromEnv, TEST_MARKET } from '@presage/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { RandomFlow } from './random-flow.ts';
import { RebuiltBook } from './rebuilt-book.ts';
import { StreamClient, type StreamReply } from './stream-client.ts';
import { openStreamFixture, type StreamFixture } from './stream-fixture.ts';

const OPERATIONS = isLongRun ? 50_000 : 3_000;
/** As many as a batch of orders; the refused ones among them make no step. */
const BURST = 50;
const seed = seedFromEnv(Date.now());

let fixture: StreamFixture;
beforeAll(async () => {
  fixture = await openStreamFixture();
});
afterAll(() => fixture.close());

/** What the engine's books were after each step, as its own readers saw them. */
function recordHashes(): Map<number, readonly [string, string]> {
  const hashes = new Map<number, readonly [string, string]>();
  const { reads } = fixture.host;
  fixture.log.subscribe(() => {
    const step = reads.market(TEST_MARKET)!.step;
    hashes.set(step, [reads.bookHash(TEST_MARKET, 0), reads.bookHash(TEST_MARKET, 1)]);
  });
  return hashes;
}

class Rebuilder {
  readonly books = [new RebuiltBook(0), new RebuiltBook(1)] as const;
  readonly steps: number[] = [];
  readonly #hashes: ReadonlyMap<number, readonly [string, string]>;
  compared = 0;

  constructor(hashes: ReadonlyMap<number, readonly [string, string]>) {
    this.#hashes = hashes;
  }

  follow(message: StreamReply): void {
    if (message.type === 'pong' || message.type === 'subscribe') return;
    if (message.seq !== undefined && message.seq !== this.steps.at(-1)) this.#endStep(message.seq);
    for (const book of this.books) book.follow(message);
  }

  /** All messages of the last step have come: both books are what the engine's were. */
  #endStep(next: number): void {
    const step = this.steps.at(-1);
    this.steps.push(next);
    const expected = step === undefined ? undefined : this.#hashes.get(step);
    if (expected === undefined) return;
    this.compared++;
    const rebuilt = this.books.map(({ hash }) => hash);
    if (rebuilt[0] !== expected[0] || rebuilt[1] !== expected[1]) {
      throw new Error(`seed ${seed}: after step ${step} the books are ${rebuilt}, the engine's were ${expected}`);
    }
  }
}

it(`rebuilds both books from deltas after each of ${OPERATIONS} random operations`, async () => {
  const hashes = recordHashes();
  const rebuilder = new Rebuilder(hashes);
  const faults: unknown[] = [];
  const client = await StreamClient.open(fixture.url);
  client.onMessage = (message) => {
    try {
      rebuilder.follow(message);
    } catch (error) {
      faults.push(error);
    }
  };
  client.send({ type: 'subscribe', marketId: TEST_MARKET, data: { book: 'delta' } });
  const flow = new RandomFlow(fixture, seed);
  const stepNow = () => fixture.host.reads.market(TEST_MARKET)!.step;
  // Two steps more: nothing is compared after the first, which lists the market, and after the last, which no other ends.
  while (stepNow() < OPERATIONS + 2 && faults.length === 0) await flow.burst(BURST);
  const last = stepNow();
  const deadline = Date.now() + 30_000;
  while (rebuilder.steps.at(-1) !== last && Date.now() < deadline && faults.length === 0) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  client.end();
  expect(faults).toEqual([]);
  expect(rebuilder.books.map(({ gaps }) => gaps)).toEqual([[], []]);
  expect(rebuilder.steps, `seed ${seed}: every step once, in order`).toEqual(
    Array.from({ length: last }, (_, index) => index + 1),
  );
  expect(rebuilder.books.map(({ hash }) => hash)).toEqual(hashes.get(last));
  expect(rebuilder.compared).toBeGreaterThanOrEqual(OPERATIONS);
});
