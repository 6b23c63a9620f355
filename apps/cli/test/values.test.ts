// Input and output of commands: durations, markets by name, ladders, and sanitized text.
import picocolors from 'picocolors';
import { describe, expect, it } from 'vitest';
import { drawDuration, parseDuration, parseTime } from '../src/durations.ts';
import { UsageError } from '../src/exit-codes.ts';
import { pickMarket } from '../src/find-market.ts';
import { drawLadder } from '../src/ladder.ts';
import { Output, plain } from '../src/output.ts';

describe('a duration', () => {
  it.each([
    ['2h', 7_200, '2h'],
    ['90', 90, '1m 30s'],
    ['90s', 90, '1m 30s'],
    ['1d12h', 129_600, '1d 12h'],
    ['1h30m5s', 5_405, '1h 30m'],
  ])('%s is %i seconds', (text, seconds, drawn) => {
    expect(parseDuration(text)).toBe(seconds);
    expect(drawDuration(seconds)).toBe(drawn);
  });

  it.each(['', '0', '2 h', '-1s', '1w', '1.5h', '99999d'])('"%s" is refused', (text) => {
    expect(() => parseDuration(text)).toThrow(UsageError);
  });
});

describe('a time', () => {
  it.each([
    ['2024-02-29', '2024-02-29T00:00:00Z'],
    ['2026-01-31T12:30Z', '2026-01-31T12:30:00Z'],
    ['2026-01-31T24:00:00Z', '2026-02-01T00:00:00Z'],
    ['1800000000', '2027-01-15T08:00:00Z'],
  ])('%s is %s', (text, same) => {
    expect(parseTime('--to', text)).toBe(Date.parse(same) / 1_000);
  });

  it.each(['', '2026-02-31', '2023-02-29', '2026-04-31T12:00:00Z', '2026-13-01', '2026-01-31 12:30', '31.1.2026'])(
    '"%s" is refused',
    (text) => {
      expect(() => parseTime('--to', text)).toThrow(UsageError);
    },
  );
});

describe('a market', () => {
  const market = (id: string, question: string, isOpen = true) => ({ id: id.padEnd(66, '0'), question, isOpen });
  const rain = market('0xaaaa1', 'Will it rain?');
  const lisbon = market('0xaaaa2', 'Will it rain in Lisbon?');
  const past = market('0xbbbb1', 'Did it rain in Lisbon?', false);
  const all = [rain, lisbon, past];

  it.each([
    ['0xAAAA1', rain],
    [past.id, past],
    ['LISBON rain', lisbon],
    ['will it rain?', rain],
    ['did', past],
  ])('is found by %s', (text, expected) => {
    expect(pickMarket(all, text)).toBe(expected);
  });

  it('is not guessed when several match, or none', () => {
    expect(() => pickMarket(all, 'rain')).toThrow(/several markets fit "rain":\n {2}0xaaaa1.*\n {2}0xaaaa2/);
    expect(() => pickMarket(all, '0xaaaa')).toThrow(/several/);
    expect(() => pickMarket(all, 'snow')).toThrow(/no market fits/);
    expect(() => pickMarket(all, ' ')).toThrow(/no market fits/);
  });
});

it('a ladder has asks above, bids below, and exact sizes past 2^53', () => {
  const asks = [
    { price: 600_000, size: 9_007_199_254_740_993_000_000n },
    { price: 700_000, size: 1 },
  ];
  expect(
    `\n${drawLadder({ bids: [{ price: 550_000, size: 2_500_000 }], asks }, picocolors.createColors(false))}`,
  ).toMatchInlineSnapshot(`
      "
      0.7            0.000001  ▆
      0.6      9007199254740993  ▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆
      -----------------------  spread 0.05
      0.55                2.5  ▆"
    `);
  expect(drawLadder({ bids: [], asks }, picocolors.createColors(false), 1)).toContain('... 1 more');
});

describe('output', () => {
  const written = (json: boolean, isTTY: boolean, env = {}) => {
    let text = '';
    const sink = { write: (more: string) => (text += more), isTTY };
    const output = new Output({ json, stdout: sink, stderr: { write: () => undefined }, env });
    output.show({ size: 9_007_199_254_740_993n }, () => output.colors.red('drawn'));
    return text;
  };

  it('is one line of exact JSON on request, and coloured only on a terminal that allows it', () => {
    expect(written(true, true)).toBe('{"size":9007199254740993}\n');
    expect(written(false, false)).toBe('drawn\n');
    expect(written(false, true, { NO_COLOR: '1' })).toBe('drawn\n');
    expect(written(false, true)).toBe('\u001b[31mdrawn\u001b[39m\n');
  });

  it('never passes escapes from other users on to the terminal', () => {
    expect(plain('a\u001b[2Jb\u202ec\nd')).toBe('a\u{fffd}[2Jb\u{fffd}c\u{fffd}d');
  });
});
