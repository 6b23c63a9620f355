// Markets that are recorded before they are sent: a kill between the two loses none, and sends none twice.
import type { MarketView } from '@presage/engine';
import type { MarketId, OperatorActed } from '@presage/protocol';
import { SILENT_LOG } from '@presage/testkit';
import { describe, expect, it } from 'vitest';
import { MarketCreations } from '../../src/operator/market-creations.ts';
import type { MarketCreator } from '../../src/operator/market-creator.ts';
import { MarketSchedule } from '../../src/operator/market-schedule.ts';
import { OperatorState } from '../../src/operator/operator-state.ts';
import { UnfinishedActs } from '../../src/operator/unfinished-acts.ts';
import { acted } from './acted.ts';

const MARKET = `0x${'aa'.repeat(32)}` as const;
const NEXT = `0x${'bb'.repeat(32)}` as const;
const texts = { question: 'Sent?', description: '', source: '', category: 'general', imageUrl: '' };
const RECORDED = acted({
  kind: 'create-market',
  marketId: MARKET,
  chainId: 1,
  expiration: 900,
  texts,
  feeRateBps: 50,
  key: 'line-1',
});

interface Chain {
  /** The id that the next market with these terms gets. */
  nextId: MarketId;
  isListed: boolean;
  /** Whether its creator takes transactions. */
  isReachable: boolean;
  /** Its node answers when it resolves; at once if absent. */
  answer?: Promise<void>;
  /** How often its node was asked for an id. */
  asked?: number;
}

function openSchedule(records: readonly OperatorActed[], given: Partial<Chain> = {}) {
  const chain: Chain = { nextId: MARKET, isListed: false, isReachable: true, ...given };
  const state = new OperatorState();
  for (const record of records) state.follow(record);
  const sent: object[] = [];
  const creator = {
    prepare: async () => {
      chain.asked = (chain.asked ?? 0) + 1;
      await chain.answer;
      return chain.nextId;
    },
    create: async (marketId: MarketId, terms: object) => {
      if (!chain.isReachable) throw new Error('no answer');
      sent.push({ marketId, ...terms });
    },
  };
  const time = { wallMs: 0 };
  const creations = new MarketCreations({
    state,
    act: async (asked, action) =>
      state.follow({ type: 'operator-acted', timeMs: 2, ...asked, action } as OperatorActed),
    chainOf: () => ({ chainId: 1 }),
    // Nothing else of a creator is asked for.
    creatorOf: () => creator as unknown as MarketCreator,
    // A market that is not sent is not waited for.
    reads: { market: () => (chain.isListed || sent.length > 0 ? ({} as MarketView) : undefined) },
    nowSeconds: () => 100,
    feesFor: () => ({}),
  });
  const schedule = new MarketSchedule({
    state,
    creations,
    isActor: () => true,
    nowSeconds: () => 100,
    wallMs: () => time.wallMs,
    log: SILENT_LOG,
  });
  const unfinished = new UnfinishedActs({ sources: [creations], isActor: () => true, log: SILENT_LOG });
  /** Looks at what is due, once and again at once. */
  const look = async () => {
    for (const each of [unfinished, schedule, unfinished, schedule]) each.look();
    await Promise.all([unfinished.idle(), schedule.idle()]);
  };
  return { sent, state, chain, time, look, schedule };
}

describe('a market that was recorded under a key before a kill', () => {
  it('is sent once at the next start, with the recorded terms', async () => {
    const { sent, look } = openSchedule([RECORDED]);
    await look();
    expect(sent).toMatchObject([{ marketId: MARKET, question: 'Sent?', expiration: 900, feeRateBps: 50 }]);
  });

  it.each([
    ['its id is taken, so that it was sent', { nextId: NEXT }],
    ['it is listed', { isListed: true }],
  ])('is not sent again if %s', async (_why, chain) => {
    const { sent, look } = openSchedule([RECORDED], chain);
    await look();
    expect(sent).toEqual([]);
  });

  it('is sent by a settler that was running when another one recorded it', async () => {
    const { sent, state, time, look } = openSchedule([]);
    await look();
    state.follow(RECORDED);
    time.wallMs += 5_000;
    await look();
    expect(sent).toMatchObject([{ marketId: MARKET }]);
  });
});

describe('a scheduled market', () => {
  it('is sent when the chain can be reached again, though it was recorded before', async () => {
    const market = { chainId: 1, expiration: 900, texts, feeRateBps: 0, makerShareBps: 0, earlyResolution: false };
    const action = { kind: 'schedule-market', scheduleId: 'line-2', listAt: 50, market } as const;
    const { sent, chain, time, look } = openSchedule([{ ...RECORDED, action }], { isReachable: false });
    await look();
    chain.isReachable = true;
    time.wallMs += 5_000;
    await look();
    expect(sent).toMatchObject([{ marketId: MARKET, question: 'Sent?' }]);
  });

  it('is asked for once at a time while the chain hangs, and no other one after the close', async () => {
    const market = { chainId: 1, expiration: 900, texts, feeRateBps: 0, makerShareBps: 0, earlyResolution: false };
    const records = ['line-3', 'line-4'].map((scheduleId) =>
      acted({ kind: 'schedule-market', scheduleId, listAt: 50, market }),
    );
    let answer = () => {};
    const hanging = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const { chain, time, schedule } = openSchedule(records, { isReachable: false, answer: hanging });
    for (let round = 0; round < 10; round++) {
      schedule.look();
      time.wallMs += 5_000;
      await new Promise(setImmediate);
    }
    const closed = schedule.close();
    answer();
    await closed;
    expect(chain.asked).toBe(1);
  });
});
