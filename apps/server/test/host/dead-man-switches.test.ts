// Expired switches: each cancels the orders of its wallet, whatever becomes of the others, and is disarmed only then.
import type { Address, HeartbeatSet } from '@presage/protocol';
import {
  createOrderBuilders,
  ManualClock,
  MemoryJournal,
  MemoryStorage,
  marketFacts,
  TRADERS,
  waitFor,
} from '@presage/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { DeadManSwitches } from '../../src/host/dead-man-switches.ts';
import { Host } from '../../src/host/host.ts';
import { HostCommands } from '../../src/host/host-commands.ts';
import { PartitionLog } from '../../src/host/partition-log.ts';

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

it('leaves a switch armed that its wallet sets again while its orders are cancelled', async () => {
  const notes: number[] = [];
  let onDisk = (): void => undefined;
  const written = new Promise<void>((resolve) => {
    onDisk = resolve;
  });
  const switches: DeadManSwitches = new DeadManSwitches({
    wallMs: () => 2,
    note: async (record) => {
      notes.push(record.lapseMs);
      await written;
      switches.follow(record);
    },
    onTrouble: (error) => expect.unreachable(String(error)),
  });
  switches.follow({ type: 'heartbeat-set', timeMs: 1, trader: ALICE, lapseMs: 1 });
  let setting: Promise<number> | undefined;
  let rounds = 0;
  // Its record is on its way to the disk when the orders have left.
  const cancelOrders = async () => {
    rounds++;
    setting ??= switches.set(ALICE, 60);
  };
  switches.start({ cancelOrders });
  onTestFinished(async () => {
    onDisk();
    await switches.close();
  });
  await waitFor('another round', () => rounds > 1, { timeoutMs: 5_000 });
  onDisk();
  expect(await setting).toBe(60_002);
  await switches.close();
  expect([notes, switches.armed]).toEqual([[60_002], 1]);
});

it('arms a switch again that its wallet set at another node right before it was disarmed', async () => {
  const notes: number[] = [];
  const switches: DeadManSwitches = new DeadManSwitches({
    wallMs: () => 2,
    note: async (record) => {
      notes.push(record.lapseMs);
      // Durable before the disarming, and not seen here yet.
      if (record.lapseMs === 0) switches.follow({ ...record, timeMs: 1, lapseMs: 60_001 });
      switches.follow(record);
    },
    onTrouble: (error) => expect.unreachable(String(error)),
  });
  switches.follow({ type: 'heartbeat-set', timeMs: 1, trader: ALICE, lapseMs: 1 });
  switches.start({ cancelOrders: async () => undefined });
  await switches.close();
  expect([notes, switches.armed]).toEqual([[0, 60_001], 1]);
});

it('cancels the orders of a switch that expired while the service was down before any other command', async () => {
  const journal = await MemoryJournal.open({ storage: new MemoryStorage('m0') });
  const clock = new ManualClock();
  const traders = createOrderBuilders(clock);
  const nowMs = () => clock.nowMs;
  const onFatal = (error: unknown) => expect.unreachable(String(error));
  const host = await Host.open({ log: await PartitionLog.open({ journal, nowMs, onFatal }), nowMs });
  await host.submit({ type: 'list-market', market: marketFacts() });
  await host.submit(traders.aliceSellsYes({ price: '0.5', size: '1' }));
  const switches = new DeadManSwitches({ wallMs: () => 2, note: async () => undefined, onTrouble: onFatal });
  switches.follow({ type: 'heartbeat-set', timeMs: 1, trader: TRADERS.alice, lapseMs: 1 });
  switches.start(new HostCommands([host]));
  onTestFinished(() => switches.close());
  await host.submit(traders.bobBuysYes({ price: '0.5', size: '1' }));
  expect(host.reads.unsettledTrades()).toEqual([]);
  expect(host.reads.openOrders({ trader: TRADERS.alice })).toEqual([]);
});
