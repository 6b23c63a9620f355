// Expired switches: each cancels the orders of its wallet, whatever becomes of the others, and is disarmed only then.
import type { Address, HeartbeatSet } from '@presage/protocol';
import { waitFor } from '@presage/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { DeadManSwitches } from '../../src/host/dead-man-switches.ts';

const ALICE = `0x${'a'.repeat(40)}` as Address;
const BOB = `0x${'b'.repeat(40)}` as Address;

it('cancels the orders of a wallet while those of another cannot be cancelled', async () => {
  const notes: HeartbeatSet[] = [];
  const failures: unknown[] = [];
  const switches: DeadManSwitches = new DeadManSwitches({
    wallMs: () => 2,
    note: async (record) => {
      notes.push(record);
      switches.follow(record);
    },
    onTrouble: (error) => failures.push(error),
  });
  for (const trader of [ALICE, BOB]) switches.follow({ type: 'heartbeat-set', timeMs: 1, trader, lapseMs: 1 });
  let isDown = true;
  const cancelled: Address[] = [];
  switches.start({
    cancelOrders: async (trader) => {
      if (trader === ALICE && isDown) throw new Error('a partition is unavailable');
      cancelled.push(trader);
    },
  });
  onTestFinished(() => switches.close());
  await waitFor('a round', () => failures.length > 0, { timeoutMs: 5_000 });
  expect([cancelled, switches.armed]).toEqual([[BOB], 1]);
  isDown = false;
  await waitFor('another round', () => switches.armed === 0, { timeoutMs: 5_000 });
  expect(cancelled).toEqual([BOB, ALICE]);
  expect(notes.map(({ trader, lapseMs }) => [trader, lapseMs])).toEqual([
    [BOB, 0],
    [ALICE, 0],
  ]);
});
