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
  const chain = { refusal: undefined as PresageError | undefined, sent: [] as number[] };
  const market = { facts: marketFacts(), status: 'closed' } as MarketView;
  const voids = new MarketVoids({
    state,
    act: async (_asked, ...actions) => {
      for (const action of actions) state.follow({ ...acted(action), timeMs: 5 });
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
  return { voids, market, chain, look };
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

it('are kept by checkpoints of the control partition', () => {
  const control = new ControlState();
  control.apply(RECORDED);
  expect(control.records()).toEqual([RECORDED]);
});
