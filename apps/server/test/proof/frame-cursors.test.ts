// One reader with many pages to read does not keep others waiting, nor a reader who left.
import type { Frame } from '@presage/journal';
import { expect, it } from 'vitest';
import { FrameCursors } from '../../src/proof/frame-cursors.ts';

const RANGE = { limit: 1, maxBytes: 1_000, untilMs: Number.POSITIVE_INFINITY };
const WAITING = 64;

/** Frames of one record each; every read takes a turn of the loop. */
function openCursors() {
  const asked: number[] = [];
  const cursors = new FrameCursors(async function* (fromSeq) {
    asked.push(fromSeq);
    await new Promise((resolve) => setImmediate(resolve));
    yield { firstSeq: fromSeq, lastSeq: fromSeq, timeMs: 0, records: [new Uint8Array(1)] } as unknown as Frame;
  });
  const page = (name: string, fromSeq: number, hasLeft = () => false) =>
    cursors.page({ ...RANGE, fromSeq, reader: { name, hasLeft } });
  return { asked, page };
}

it('readers take turns, and one with too many waiting pages is refused', async () => {
  const { asked, page } = openCursors();
  const crowd = Array.from({ length: WAITING + 10 }, (_, index) => page('crowd', index + 1).catch(({ code }) => code));
  const other = page('other', 1_000);
  expect((await other)[0]?.firstSeq).toBe(1_000);
  expect(asked.length).toBeLessThan(5);
  const answers = await Promise.all(crowd);
  expect(answers.filter((answer) => answer === 'overloaded')).toHaveLength(9);
});

it('nothing is read for a reader who left while it waited', async () => {
  const { asked, page } = openCursors();
  const first = page('crowd', 1);
  const gone = page('crowd', 2, () => true);
  expect([await first, await gone].map((frames) => frames.length)).toEqual([1, 0]);
  expect(asked).toEqual([1]);
});
