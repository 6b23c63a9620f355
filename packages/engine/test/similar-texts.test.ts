import { SeededRandom } from '@presage/testkit';
import { describe, expect, it } from 'vitest';
import { SimilarTexts } from '../src/slabs/similar-texts.ts';

const random = new SeededRandom(11);
/** Texts of one kind, with some of another between them. */
const TEXTS = Array.from({ length: 300 }, (_, index) => {
  if (index % 40 === 7)
    return JSON.stringify({ question: `Wird es regnen – 雨? 😀 ${random.hex(4)}`, a: random.hex(3) });
  const ids = { id: random.hex(32), contract: random.hex(20), token: BigInt(random.hex(32)).toString() };
  return JSON.stringify({
    ...ids,
    question: `Will it be at or above ${random.int(1, 90_000)} at noon?`,
    settled: 'beef'.repeat(10),
  });
});

function fill(): SimilarTexts {
  const texts = new SimilarTexts();
  for (const text of TEXTS) texts.add(text);
  return texts;
}

describe('SimilarTexts', () => {
  it('returns every text as it was added', () => {
    const texts = fill();
    expect(TEXTS.map((_, index) => texts.read(index))).toEqual(TEXTS);
  });

  it('takes fewer than half of the characters', () => {
    const { bytes } = fill().image(TEXTS.length);
    expect(bytes.length).toBeLessThan(TEXTS.join('').length / 2);
  });

  it('keeps empty texts, single characters and texts without anything alike', () => {
    const odd = ['', 'a', 'abcdefab', '0123456789abcdef0', '\u0000\uffff', 'x'.repeat(5_000), ''];
    const texts = new SimilarTexts();
    for (const text of odd) texts.add(text);
    expect(odd.map((_, index) => texts.read(index))).toEqual(odd);
  });

  it('restores from an image, even one of the first texts alone, and goes on', () => {
    const image = fill().image(100);
    const restored = SimilarTexts.ofImage({ ...image, bytes: image.bytes.slice() });
    for (const text of TEXTS.slice(100)) restored.add(text);
    expect(TEXTS.map((_, index) => restored.read(index))).toEqual(TEXTS);
  });
});
