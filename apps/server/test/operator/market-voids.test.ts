// Voids of markets: recorded before they are sent, and sent once, whatever comes in between.
import type { MarketView } from '@presage/engine';
import { type OperatorActed, PresageError } from '@presage/protocol';
import { marketFacts, SILENT_LOG, TEST_MARKET } from '@presage/testkit';
import { expect, it } from 'vitest';
import { ControlState } from '../../src/host/control-state.ts';
import { MarketVoids } from '../../src/operator/market-voids.ts';
import { OperatorState } from '../../src/operator/operator-state.ts';
import { acted, finisherOf } from './acted.ts';

const RECORDED = acted({ kind: 'void-market', marketId: TEST_MARKET });

function openVoids(recorded: readonly OperatorActed[]) {
  const state = new OperatorState();
  for (const record of recorded) state.follow(record);
  const recordedNow: OperatorActed[] = [];
  const chain = { refusal: undefined as PresageError | undefined, sent: [] as number[] };
  const market = { facts: marketFacts(), status: 'closed' } as MarketView;
  const voids = new MarketVoids({
    state,
    act: async (_asked, ...actions) => {
      for (const action of actions) {
        const record = { ...acted(action), timeMs: 5 };
        recordedNow.push(record);
        state.follow(record);
      }
    },
    reads: { market: () => market },
    operationsOf: () => ({
      checkVoid: async () => {
        if (chain.refusal !== undefined) throw chain.refusal;
      },
      sendVoid: async (_contract, recordedMs) => {
        chain.sent.push(recordedMs);
        return `void-${recordedMs}`;
      },
      isVoidSent: (_contract, recordedMs) => chain.sent.includes(recordedMs),
    }),
    log: SILENT_LOG,
  });
  const look = finisherOf(voids);
  return { voids, market, chain, look, recordedNow };
}

it('are sent at the next start after a kill, once', async () => {
  const { chain, look } = openVoids([RECORDED]);
  await look();
  await look();
  expect(chain.sent).toEqual([1]);
});

it('are not sent again if they were sent before the kill', async () => {
  const { chain, look } = openVoids([RECORDED]);
  chain.sent.push(1);
  await look();
  expect(chain.sent).toEqual([1]);
});

it('are sent when the chain can be reached again', async () => {
  const { chain, look } = openVoids([RECORDED]);
  chain.refusal = new PresageError('chain_unavailable', { reason: 'no answer' });
  await look();
  chain.refusal = undefined;
  await look();
  expect(chain.sent).toEqual([1]);
});

it('are given up if the contract refuses them by now', async () => {
  const { voids, market, chain, look } = openVoids([RECORDED]);
  chain.refusal = new PresageError('simulation_failed', { reason: 'a result is proposed' });
  await look();
  chain.refusal = undefined;
  await look();
  expect(chain.sent).toEqual([]);
  expect(await voids.void({ actor: 'op_1', reason: '' }, market)).toBe('void-5');
});

it('are not considered again at later starts once the contract has refused them', async () => {
  const first = openVoids([RECORDED]);
  first.chain.refusal = new PresageError('simulation_failed', { reason: 'a result is proposed' });
  await first.look();
  expect(first.recordedNow).toMatchObject([{ actor: 'op_1', action: { kind: 'drop-void', marketId: TEST_MARKET } }]);
  const second = openVoids([RECORDED, ...first.recordedNow]);
  await second.look();
  expect([second.chain.sent, second.recordedNow]).toEqual([[], []]);
  const control = new ControlState();
  for (const record of [RECORDED, ...first.recordedNow]) control.apply(record);
  expect(control.records()).toEqual([]);
});

it('are not dropped or sent for an interrupted one that an operator has repeated meanwhile', async () => {
  for (const refusal of [undefined, new PresageError('simulation_failed', { reason: 'it is void already' })]) {
    const { voids, market, chain, recordedNow } = openVoids([RECORDED]);
    const [interrupted] = voids.unfinished();
    const repeated = voids.void({ actor: 'op_1', reason: '' }, market);
    const finished = interrupted!.finish();
    await repeated;
    chain.refusal = refusal;
    await finished;
    expect([chain.sent, recordedNow.map(({ action }) => action.kind)]).toEqual([[5], ['void-market']]);
  }
});

it('are kept by checkpoints of the control partition', () => {
  const control = new ControlState();
  control.apply(RECORDED);
  expect(control.records()).toEqual([RECORDED]);
});
