// The names that the outcomes of an event may have, and how much text its contract holds.
import { describe, expect, it } from 'vitest';
import { findNamesFault, fitsContract, MAX_OUTCOMES } from '../src/index.ts';

const many = (count: number, name = (index: number) => `Team ${index}`) =>
  Array.from({ length: count }, (_, i) => name(i));

describe('the names of outcomes', () => {
  it.each([
    ['are at least two', ['Alone'], 'outcomes'],
    ['are at most 128', many(MAX_OUTCOMES + 1), 'outcomes'],
    ['are not empty', ['Ann', ''], 'outcomes.1'],
    ['are more than spaces', ['Ann', 'Ben', '  '], 'outcomes.2'],
    ['differ beyond case and spaces', ['Ann', 'Ben', 'ann '], 'outcomes.2'],
    ['have at most 64 bytes', ['Ann', 'é'.repeat(33)], 'outcomes.1'],
  ])('%s', (_rule, names, field) => {
    expect(findNamesFault(names)).toMatchObject({ field });
  });

  it('are fine otherwise', () => {
    expect(findNamesFault(['Ann', 'é'.repeat(32)])).toBeUndefined();
    expect(findNamesFault(many(MAX_OUTCOMES))).toBeUndefined();
  });
});

describe('the texts of an event', () => {
  it('fit its contract up to the length that the factory takes, as contracts/test/solidity/EventResolution.t.sol has it', () => {
    const names = many(128, (index) => String(index).padStart(64, 'x'));
    expect(fitsContract(['q'.repeat(992), 'd'.repeat(6_656)], names)).toBe(true);
    expect(fitsContract(['q'.repeat(992), 'd'.repeat(6_657)], names)).toBe(false);
  });
});
