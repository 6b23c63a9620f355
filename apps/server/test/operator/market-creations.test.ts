// Markets that are recorded before they are sent: a kill between the two loses none, and sends none twice.
import type { MarketView } from '@presage/engine';
import type { MarketId, OperatorActed } from '@presage/protocol';
import { SILENT_LOG } from '@presage/testkit';
import { describe, expect, it } from 'vitest';
import { MarketCreations } from '../../src/operator/market-creations.ts';
import type { MarketCreator } from '../../src/operator/market-creator.ts';
import { MarketSchedule } from '../../src/operator/market-schedule.ts';
import { OperatorState } from '../../src/operator/operator-state.ts';

const MARKET = `0x${'aa'.repeat(32)}` as const;
const NEXT = `0x${'bb'.repeat(32)}` as const;
const texts = { question: 'Sent?', description: '', source: '', category: 'general', imageUrl: '' };
const RECORDED: OperatorActed = {
  type: 'operator-acted',
  timeMs: 1,
  actor: 'op_1',
  reason: '',
  action: {
    kind: 'create-market',
    marketId: MARKET,
    chainId: 1,
    expiration: 900,
    texts,
    feeRateBps: 50,
    key: 'line-1',
  },
};

/** A service that starts after a kill; the chain gives the next market with these terms this id. */
function startAfterKill(nextId: MarketId, isListed = false) {
  const state = new OperatorState();
  state.follow(RECORDED);
  const sent: object[] = [];
  const creator = {
    prepare: async () => nextId,
    create: async (marketId: MarketId, terms: object) => void sent.push({ marketId, ...terms }),
  };
  const reads = { market: () => (isListed ? ({} as MarketView) : undefined) };
  const creations = new MarketCreations({
    state,
    act: async () => undefined,
    chainOf: () => ({ chainId: 1 }),
    // Nothing else of a creator is asked for.
    creatorOf: () => creator as unknown as MarketCreator,
    reads,
    nowSeconds: () => 100,
    feesFor: () => ({}),
  });
  const times = { nowSeconds: () => 100, wallMs: () => 0 };
  const events = { unfinished: () => [], finish: async () => undefined };
  const schedule = new MarketSchedule({
    state,
    creations,
    events,
    reads,
    isActor: () => true,
    ...times,
    log: SILENT_LOG,
  });
  return { sent, schedule };
}

async function startAndStop(schedule: MarketSchedule): Promise<void> {
  schedule.start();
  schedule.look();
  schedule.look();
  await schedule.close();
}

describe('a market that was recorded under a key before a kill', () => {
  it('is sent once at the next start, with the recorded terms', async () => {
    const { sent, schedule } = startAfterKill(MARKET);
    await startAndStop(schedule);
    expect(sent).toMatchObject([{ marketId: MARKET, question: 'Sent?', expiration: 900, feeRateBps: 50 }]);
  });

  it.each([
    ['its id is taken, so that it was sent', startAfterKill(NEXT)],
    ['it is listed', startAfterKill(MARKET, true)],
  ])('is not sent again if %s', async (_why, { sent, schedule }) => {
    await startAndStop(schedule);
    expect(sent).toEqual([]);
  });
});
