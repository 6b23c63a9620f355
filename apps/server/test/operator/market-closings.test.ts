// Acts of operators on whole events, and closings: recorded at once, and finished after a kill.
import type { MarketView } from '@presage/engine';
import { type Bytes32, type MarketId, type OperatorActed, PresageError, toOutcomeMarketId } from '@presage/protocol';
import { SILENT_LOG } from '@presage/testkit';
import { describe, expect, it } from 'vitest';
import { ControlState } from '../../src/host/control-state.ts';
import { OperatorService } from '../../src/operator/operator-service.ts';
import { OperatorState } from '../../src/operator/operator-state.ts';
import { acted, createdEvent, EVENT_TEXTS, finisherOf } from './acted.ts';

const EVENT = `0x${'ee'.repeat(32)}` as Bytes32;
const [FIRST, SECOND, THIRD] = ['01', '02', '03'].map((byte) => `0x${byte.repeat(32)}` as MarketId) as [
  MarketId,
  MarketId,
  MarketId,
];
const ASKED = { actor: 'op_1', reason: 'storm' };

/** The listed markets are those of an event. A partition that is unavailable refuses commands. */
function openService({
  recorded = [] as readonly OperatorActed[],
  listed = [FIRST, SECOND, THIRD] as readonly MarketId[],
  actsOn = 1,
} = {}) {
  const state = new OperatorState();
  for (const record of recorded) state.follow(record);
  const world = { isAvailable: true, listed, closed: [] as MarketId[] };
  const frames: OperatorActed[][] = [];
  const view = (marketId: MarketId) => {
    const facts = { marketId, chainId: 1, question: 'Q?', description: '', category: 'general', event: { name: 'A' } };
    return { facts, status: world.closed.includes(marketId) ? 'closed' : 'open', tradeCount: 0 } as MarketView;
  };
  const service = new OperatorService({
    state,
    note: async (...records) => {
      frames.push([...records]);
      for (const record of records) state.follow(record);
    },
    chains: { list: () => [], find: () => undefined },
    reads: {
      market: (marketId) => (world.listed.includes(marketId) ? view(marketId) : undefined),
      marketsNamed: () => world.listed.map(view),
    },
    commands: {
      closeEarly: async (marketId) => {
        expect(world.listed).toContain(marketId);
        if (!world.isAvailable) throw new PresageError('partition_unavailable');
        world.closed.push(marketId);
      },
      cancelOrders: () => expect.unreachable(),
    },
    nowSeconds: () => 100,
    wallMs: () => 1,
    feesFor: () => ({}),
    log: SILENT_LOG,
  });
  const isActor = (chainId?: number) => chainId === actsOn;
  const look = finisherOf(service.closings, isActor);
  return { service, state, world, frames, look };
}

const actionsOf = (frame: readonly OperatorActed[] | undefined) => frame?.map(({ action }) => action);

describe('an act on an event', () => {
  it('is one frame when it is paused', async () => {
    const { service, frames } = openService();
    await service.pauseEvent(ASKED, EVENT, true);
    expect(frames).toHaveLength(1);
    expect(actionsOf(frames[0])).toEqual(
      [FIRST, SECOND, THIRD].map((marketId) => ({ kind: 'pause-market', marketId, isPaused: true })),
    );
  });

  it('is one frame when it is reworded', async () => {
    const { service, frames } = openService();
    await service.editEvent(ASKED, EVENT, { question: 'R?' });
    expect(frames).toHaveLength(1);
    expect(actionsOf(frames[0])).toMatchObject(
      [FIRST, SECOND, THIRD].map((marketId) => ({ kind: 'edit-market', marketId, texts: { question: 'R?: A' } })),
    );
  });

  it('is one frame when it is closed, before any market is', async () => {
    const { service, world, frames } = openService();
    world.closed.push(SECOND);
    await service.closeEvent(ASKED, EVENT);
    expect(frames.map(actionsOf)).toEqual([[FIRST, THIRD].map((marketId) => ({ kind: 'close-market', marketId }))]);
    expect(world.closed).toEqual([SECOND, FIRST, THIRD]);
  });
});

describe('an act on an event of which outcomes are not listed yet', () => {
  const outcomes = ['A', 'B', 'C'];
  const ids = outcomes.map((_, index) => toOutcomeMarketId(EVENT, index, outcomes.length));
  const recorded = [createdEvent(EVENT, outcomes)];
  const listed = ids.slice(0, 2);

  it('pauses and rewords them too', async () => {
    const { service, state, frames } = openService({ recorded, listed });
    await service.pauseEvent(ASKED, EVENT, true);
    expect(ids.map((marketId) => state.isPaused(marketId))).toEqual([true, true, true]);
    await service.editEvent(ASKED, EVENT, { question: 'R?' });
    expect(actionsOf(frames[1])?.at(-1)).toEqual({
      kind: 'edit-market',
      marketId: ids[2],
      texts: { ...EVENT_TEXTS, question: 'R?: C' },
    });
  });

  it('closes them once they are listed', async () => {
    const { service, world, look } = openService({ recorded, listed });
    await service.closeEvent(ASKED, EVENT);
    await look();
    expect(world.closed).toEqual(listed);
    world.listed = ids;
    await look();
    expect(world.closed).toEqual(ids);
  });
});

describe('a closing that was recorded', () => {
  const recorded = [FIRST, SECOND].map((marketId) => acted({ kind: 'close-market', marketId }));

  it('is finished at the next start, once', async () => {
    const { world, frames, look } = openService({ recorded });
    world.closed.push(FIRST);
    await look();
    await look();
    expect(world.closed).toEqual([FIRST, SECOND]);
    expect(frames).toEqual([]);
  });

  it('is finished when the partition of its market is available again', async () => {
    const { service, world, look } = openService();
    world.isAvailable = false;
    await expect(service.closeEvent(ASKED, EVENT)).rejects.toMatchObject({ code: 'partition_unavailable' });
    await look();
    world.isAvailable = true;
    await look();
    expect(world.closed).toEqual([FIRST, SECOND, THIRD]);
  });

  it('is left to the settler of its chain', async () => {
    const { world, look } = openService({ recorded, actsOn: 2 });
    await look();
    expect(world.closed).toEqual([]);
  });

  it('keeps orders out before it is carried out', () => {
    const { state } = openService({ recorded });
    expect([FIRST, THIRD].map((marketId) => state.checkMarket(marketId)?.code)).toEqual(['market_closed', undefined]);
  });

  it('is kept by checkpoints of the control partition', () => {
    const control = new ControlState();
    for (const record of recorded) control.apply(record);
    const state = new OperatorState();
    for (const record of control.records()) state.follow(record);
    expect([...state.closed]).toEqual([FIRST, SECOND]);
  });
});
