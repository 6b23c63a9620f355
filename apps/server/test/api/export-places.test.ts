// Nobody holds a place by reading slowly while others wait.
import { LIMITS } from '@presage/protocol';
import { expect, it } from 'vitest';
import { ExportPlaces } from '../../src/api/exports/export-places.ts';

function open() {
  let nowMs = 0;
  const cutOff: number[] = [];
  const places = new ExportPlaces(() => nowMs);
  /** Each is of an address of its own, unless one is named. */
  const take = (name: number, address = `192.0.2.${name}`) => places.take(address, () => cutOff.push(name));
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

it('an address with several places makes room for another address at once, but not for itself', () => {
  const { take, places, held, cutOff } = open();
  for (const place of held) places.leave(place);
  const own = held.map((_, index) => take(index, '198.51.100.7'));
  own[2]!.characters = 1;
  for (const index of [0, 1, 3, 4, 5, 6, 7]) own[index]!.characters = 100;
  expect(() => take(100, '198.51.100.7')).toThrow(expect.objectContaining({ code: 'overloaded' }));
  take(101);
  expect(cutOff).toEqual([2]);
});
