// Cursors and blooms: the two things a watcher leans on between its steps.
import type { Hex, SavedLogCursor } from '@presage/protocol';
import { encodeEventTopics, parseAbi } from 'viem';
import { describe, expect, it } from 'vitest';
import { checkLogCursor, cutCursor, extendCursor, startCursor } from '../src/log-cursor.ts';
import { BloomQuery } from '../src/log-reader.ts';

const hash = (digit: string): Hex => `0x${digit.repeat(64)}`;

describe('a cursor', () => {
  it('remembers the newest blocks, and no more than asked', () => {
    let cursor = startCursor(5);
    for (const number of [5, 6, 7, 8]) cursor = extendCursor(cursor, { number, hash: hash(String(number)) }, 3);
    expect(cursor.blocks.map(({ number }) => number)).toEqual([6, 7, 8]);
    expect(cursor.next).toBe(9);
    expect(cutCursor(cursor, 6)).toEqual({ v: 2, blocks: [{ number: 6, hash: hash('6') }], next: 7 });
    expect(checkLogCursor(JSON.parse(JSON.stringify(cursor)), 5)).toEqual(cursor);
  });

  it('keeps its blocks while older ones are delivered again, and goes back no further than that when it is cut', () => {
    const blocks = [6, 7, 8].map((number) => ({ number, hash: hash(String(number)) }));
    const again = extendCursor({ v: 2, blocks, next: 2 }, { number: 2, hash: hash('2') }, 3);
    expect(again).toEqual({ v: 2, blocks, next: 3 });
    expect(cutCursor(again, 7)).toEqual({ v: 2, blocks: blocks.slice(0, 2), next: 3 });
  });

  it('of an earlier version goes on after its newest block', () => {
    const blocks = [{ number: 6, hash: hash('6') }];
    expect(checkLogCursor({ v: 1, blocks }, 5)).toEqual({ v: 2, blocks, next: 7 });
    expect(checkLogCursor({ v: 1, blocks: [] }, 5)).toEqual({ v: 2, blocks: [], next: 5 });
  });

  const broken: [string, SavedLogCursor, RegExp][] = [
    [
      'has a hole',
      {
        v: 1,
        blocks: [
          { number: 1, hash: hash('1') },
          { number: 3, hash: hash('3') },
        ],
      },
      /hole/,
    ],
    ['is ahead of its blocks', { v: 2, blocks: [{ number: 1, hash: hash('1') }], next: 3 }, /bad next block 3/],
  ];
  it.each(broken)('is refused when it %s', (_, cursor, message) => {
    expect(() => checkLogCursor(cursor, 0)).toThrow(message);
  });
});

describe('a bloom', () => {
  const token = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48';
  const [transfer] = encodeEventTopics({
    abi: parseAbi(['event Transfer(address indexed, address indexed, uint256)']),
  });
  const empty: Hex = `0x${'0'.repeat(512)}`;
  const full: Hex = `0x${'f'.repeat(512)}`;

  it('that is empty rules out every log, and one that is full rules out none', () => {
    const query = new BloomQuery({ addresses: [token], topics: [transfer as Hex] });
    expect(query.mayMatch(empty)).toBe(false);
    expect(query.mayMatch(full)).toBe(true);
  });

  it('rules out nothing for a filter without conditions, or for a node that keeps none', () => {
    expect(new BloomQuery({}).mayMatch(empty)).toBe(true);
    expect(new BloomQuery({ topics: [null] }).mayMatch(empty)).toBe(true);
    expect(new BloomQuery({ addresses: [token] }).mayMatch('0x')).toBe(true);
  });
});
