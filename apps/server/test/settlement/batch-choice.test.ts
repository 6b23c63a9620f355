// What goes into the next batch and when, by what is on its way.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BatchChooser } from '../../src/settlement/batch-choice.ts';
import type { PlannedFill } from '../../src/settlement/ports.ts';

const NOW_SECONDS = 1_000_000;
const SIGNED = { order: { expiration: NOW_SECONDS + 60 }, signature: `0x${'1'.repeat(130)}` };

/** Only what the choice reads. */
function fill(buyer: string, seller = 'bob'): PlannedFill {
  const trade = { buyer, seller, marketId: 'one', stage: 'matched' };
  return { trade, buy: { signed: SIGNED }, sell: { signed: SIGNED } } as unknown as PlannedFill;
}

const [proven, another, unproven] = [fill('alice'), fill('alice'), fill('carol', 'dave')];

function openChooser(simulation: 'always' | 'unproven' = 'unproven'): BatchChooser {
  const chooser = new BatchChooser(simulation, () => NOW_SECONDS);
  chooser.proven.add(proven.trade);
  return chooser;
}

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

describe('a proven batch', () => {
  const behind = { isFull: false, unmined: 2 };

  it('waits for more fills a quarter of a second after the last, while two are on their way', () => {
    const chooser = openChooser();
    chooser.onSent(false);
    expect(chooser.gatheringMs(behind)).toBe(250);
    vi.advanceTimersByTime(100);
    expect(chooser.gatheringMs(behind)).toBe(150);
    vi.advanceTimersByTime(500);
    expect(chooser.gatheringMs(behind)).toBe(0);
  });

  it('goes at once when it is full, when fewer are on their way, and when none was sent before', () => {
    const chooser = openChooser();
    expect(chooser.gatheringMs(behind)).toBe(0);
    chooser.onSent(false);
    expect(chooser.gatheringMs({ isFull: true, unmined: 2 })).toBe(0);
    expect(chooser.gatheringMs({ isFull: false, unmined: 1 })).toBe(0);
  });
});

describe('the choice', () => {
  it('sends most fills unsimulated where they are proven, and the others with the next batch', () => {
    const chooser = openChooser();
    const fills = [proven, unproven, another];
    expect(chooser.choose(fills)).toEqual({ planned: [proven, another], isProven: true });
    chooser.onSent(false);
    expect(chooser.choose(fills)).toEqual({ planned: fills, isProven: false });
    chooser.onSent(true);
    expect(chooser.choose(fills)).toEqual({ planned: [proven, another], isProven: true });
  });

  it('leaves what comes behind a fill of the same wallet that it leaves', () => {
    const fills = [proven, another, fill('carol'), proven];
    expect(openChooser().choose(fills)).toEqual({ planned: fills, isProven: false });
    const more = [proven, another, proven, fill('carol'), proven];
    expect(openChooser().choose(more)).toEqual({ planned: [proven, another, proven], isProven: true });
  });

  it('simulates all where half of them are not proven, and none where all are', () => {
    const chooser = openChooser();
    expect(chooser.choose([proven, unproven])).toEqual({ planned: [proven, unproven], isProven: false });
    chooser.onSent(false);
    expect(chooser.choose([proven, another])).toEqual({ planned: [proven, another], isProven: true });
  });

  it('simulates all where the operator says so', () => {
    expect(openChooser('always').choose([proven])).toEqual({ planned: [proven], isProven: false });
  });
});
