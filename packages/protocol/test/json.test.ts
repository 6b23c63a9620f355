// No digit is lost between the wire and the engine.
import { seedFromEnv } from '@presage/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJson, stringifyJson } from '../src/index.ts';

const seed = seedFromEnv(20_261_115);

describe('lossless JSON', () => {
  it('keeps a nonce of (unix << 32) | random and a permit of 2^256-1 exact', () => {
    const nonce = (1_800_000_000n << 32n) | 12_345n;
    const max = (1n << 256n) - 1n;
    expect(parseJson(`{"nonce":${nonce},"value": ${max},"n":[1,${nonce}]}`)).toEqual({
      nonce,
      value: max,
      n: [1, nonce],
    });
  });

  it('gives small integers, floats and long digits inside strings as JSON.parse does', () => {
    const text = '{"a":9007199254740991,"b":0.5,"c":"x:12345678901234567890","d":1e3,"e":null}';
    expect(parseJson(text)).toEqual({ a: 9007199254740991, b: 0.5, c: 'x:12345678901234567890', d: 1000, e: null });
    expect(parseJson('12345678901234567890')).toBe(12345678901234567890n);
  });

  it('throws SyntaxError on malformed text, long integers or not', () => {
    for (const bad of [
      '',
      '{',
      '{"a":1,}',
      '{"a":12345678901234567890',
      '[12345678901234567890,]',
      '{"a":01}',
      'nope',
    ]) {
      expect(() => parseJson(bad), bad).toThrow(SyntaxError);
    }
  });

  it('writes bigints as plain digits and everything else as JSON.stringify does', () => {
    expect(stringifyJson({ a: (1n << 64n) - 1n, b: undefined, c: [undefined, 2n], d: 'x"y', e: new Date(0) })).toBe(
      '{"a":18446744073709551615,"c":[null,2],"d":"x\\"y","e":"1970-01-01T00:00:00.000Z"}',
    );
    fc.assert(
      fc.property(fc.jsonValue(), (value) => stringifyJson(value) === JSON.stringify(value)),
      { seed },
    );
  });

  it('round-trips any nesting of exact integers', () => {
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        fc.bigInt({ min: 1n << 60n, max: 1n << 255n }),
        fc.string(),
        fc.array(tie('tree'), { maxLength: 4 }),
        fc.dictionary(
          fc.string().filter((k) => k !== '__proto__'),
          tie('tree'),
          { maxKeys: 4 },
        ),
      ),
    }));
    fc.assert(
      fc.property(tree, (value) => {
        expect(parseJson(stringifyJson([value]))).toEqual([value]);
      }),
      { seed },
    );
  });

  it('refuses a circular structure instead of overflowing the stack', () => {
    const loop: Record<string, unknown> = { n: 1n };
    loop.self = loop;
    expect(() => stringifyJson(loop)).toThrow('circular');
  });
});
