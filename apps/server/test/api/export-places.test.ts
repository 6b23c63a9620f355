// Nobody holds a place by reading slowly while others wait.
import { LIMITS } from '@presage/protocol';
import { expect, it } from 'vitest';
import { ExportPlaces } from '../../src/api/exports/export-places.ts';

function open() {
  let nowMs = 0;
  const cutOff: number[] = [];
  const places = new ExportPlaces(() => nowMs);
  const take = (name: number) => places.take(() => cutOff.push(name));
  const held = Array.from({ length: LIMITS.exportsAtOnce }, (_, index) => take(index));
  return { places, cutOff, take, held, pass: (ms: number) => (nowMs += ms) };
}

it('an export is refused while all places are taken by new ones', () => {
  const { take, pass, places, held, cutOff } = open();
  pass(29_999);
  expect(() => take(100)).toThrow(expect.objectContaining({ code: 'overloaded' }));
  places.leave(held[3]!);
  take(100);
  expect(() => take(101)).toThrow(expect.objectContaining({ code: 'overloaded' }));
  expect(cutOff).toEqual([]);
});

it('the slowest reader makes room for the next one, then the next slowest', () => {
  const { take, pass, held, cutOff } = open();
  for (const [index, place] of held.entries()) place.characters = index === 5 ? 10 : 1_000 + index;
  pass(30_000);
  take(100);
  take(101);
  expect(cutOff).toEqual([5, 0]);
});
