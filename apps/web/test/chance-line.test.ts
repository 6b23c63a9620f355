// What a chart has drawn and what it has to draw: only what really follows is added to it.
import { describe, expect, it } from 'vitest';
import { isContinued, RANGES, toLine, withSeen } from '../src/lib/chance-line.ts';

const week = RANGES.find(({ name }) => name === '1W')!;
const NOW = 1_800_000_000;
const last = { time: NOW, value: 600_000 };

describe('a drawn line', () => {
  it('is drawn anew where its history comes later than its end', () => {
    const before = toLine([last], week, NOW);
    const now = toLine([{ time: NOW - 86_400, value: 300_000 }, last], week, NOW);
    expect(now.map(({ time }) => time)).toEqual(before.map(({ time }) => time));
    expect(isContinued(before, now)).toBe(false);
  });

  it('goes on with a newer end, or one more point', () => {
    const before = [
      { time: 1, value: undefined },
      { time: 2, value: 5 },
    ];
    expect(isContinued(before, [before[0]!, { time: 2, value: 6 }])).toBe(true);
    expect(isContinued(before, [...before, { time: 3, value: 7 }])).toBe(true);
    expect(isContinued(before, [before[0]!, { time: 2, value: 6 }, { time: 3, value: 7 }])).toBe(false);
    expect(isContinued(before, [...before, { time: 3, value: 7 }, { time: 4, value: 8 }])).toBe(false);
    expect(isContinued([], before)).toBe(false);
  });
});

describe('what the page has seen of a chance', () => {
  it('is kept once a second, however often it changes', () => {
    const seen = [
      { time: 1, value: 5 },
      { time: 2, value: 6 },
    ];
    expect(withSeen(seen, { time: 2, value: 7 })).toEqual([seen[0], { time: 2, value: 7 }]);
    expect(withSeen(seen, { time: 3, value: 7 })).toEqual([...seen, { time: 3, value: 7 }]);
    expect(withSeen([], seen[0]!)).toEqual([seen[0]]);
  });

  it('is forgotten after hours, the oldest first', () => {
    const hours = Array.from({ length: 20_000 }, (_, time) => ({ time, value: 5 }));
    const now = { time: 20_000, value: 6 };
    expect(withSeen(hours, now)).toEqual([...hours.slice(-10_000), now]);
  });
});
