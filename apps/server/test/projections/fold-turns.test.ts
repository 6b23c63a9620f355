// How often the fold of the view gives the event loop to others.
import { describe, expect, it } from 'vitest';
import { type FoldPace, FoldTurns } from '../../src/projections/fold-turns.ts';

describe('the turns of a fold', () => {
  it('come often while the service is busy and nobody waits for the rows', async () => {
    expect(await countTurns(500, { isCatchingUp: false, isAwaited: () => false })).toBe(10);
  });

  it('are no more for a large transaction than for a small one, until its parts are too long', async () => {
    expect(await countTurns(4_000, { isCatchingUp: false, isAwaited: () => false })).toBe(10);
    expect(await countTurns(20_000, { isCatchingUp: false, isAwaited: () => false })).toBe(40);
  });

  it('come seldom while a reader waits, and while the view catches up', async () => {
    expect(await countTurns(1_000, { isCatchingUp: false, isAwaited: () => true })).toBe(2);
    expect(await countTurns(1_000, { isCatchingUp: true, isAwaited: () => false })).toBe(2);
  });

  it('come seldom from the moment at which a reader begins to wait', async () => {
    let asked = 0;
    expect(await countTurns(500, { isCatchingUp: false, isAwaited: () => ++asked > 4 })).toBe(4);
  });
});

async function countTurns(records: number, pace: FoldPace): Promise<number> {
  const turns = new FoldTurns(pace, records);
  let count = 0;
  for (let record = 0; record < records; record++) {
    if (!turns.isDueAfter(1)) continue;
    await turns.next();
    count++;
  }
  return count;
}
