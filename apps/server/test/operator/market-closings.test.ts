// Acts of operators on whole events, and closings: recorded at once, and finished after a kill.
import type { MarketView } from '@presage/engine';
import { type Bytes32, type MarketId, type OperatorActed, PresageError } from '@presage/protocol';
import { SILENT_LOG } from '@presage/testkit';
import { describe, expect, it } from 'vitest';
import { ControlState } from '../../src/host/control-state.ts';
import { OperatorService } from '../../src/operator/operator-service.ts';
import { OperatorState } from '../../src/operator/operator-state.ts';
import { UnfinishedActs } from '../../src/operator/unfinished-acts.ts';
import { acted } from './acted.ts';

const EVENT = `0x${'ee'.repeat(32)}` as Bytes32;
const [FIRST, SECOND, THIRD] = ['01', '02', '03'].map((byte) => `0x${byte.repeat(32)}` as MarketId) as [
  MarketId,
  MarketId,
  MarketId,
];
const ASKED = { actor: 'op_1', reason: 'storm' };

/** Three markets of an event. A partition that is unavailable refuses commands. */
function openService({ recorded = [] as readonly OperatorActed[], actsOn = 1 } = {}) {
  const state = new OperatorState();
  for (const record of recorded) state.follow(record);
  const world = { isAvailable: true, closed: [] as MarketId[] };
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
    reads: { market: view, marketsNamed: () => [FIRST, SECOND, THIRD].map(view) },
    commands: {
      closeEarly: async (marketId) => {
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
  const unfinished = new UnfinishedActs({ sources: [service.closings], isActor, log: SILENT_LOG });
  const look = async () => {
    unfinished.look();
    unfinished.look();
    await unfinished.idle();
  };
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

  it('is kept by checkpoints of the control partition', () => {
    const control = new ControlState();
    for (const record of recorded) control.apply(record);
    const state = new OperatorState();
    for (const record of control.records()) state.follow(record);
    expect([...state.closed]).toEqual([FIRST, SECOND]);
  });
});
