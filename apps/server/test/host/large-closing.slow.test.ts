// A market ends with very many resting orders: all are cancelled, once, in frames of ordinary size, and a killed service does the rest.
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileJournal } from '@presage/journal';
import {
  type Address,
  DEFAULT_TERMS,
  decodeRecord,
  type Order,
  toHex,
  toPrice,
  toSize,
  ZERO_ADDRESS,
} from '@presage/protocol';
import { isLongRun, ManualClock, marketFacts, TEST_MARKET, waitFor } from '@presage/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { Host } from '../../src/host/host.ts';
import { PartitionLog } from '../../src/host/partition-log.ts';
import type { HostCommand } from '../../src/host/ports.ts';

const ORDERS = isLongRun ? 800_000 : 20_000;
const AT_ONCE = 5_000;
/** A frame this long is written and read in a moment; the journal's own limit is sixteen times of it. */
const FRAME_BYTES = 16 * 1024 * 1024;
const clock = new ManualClock();
const nowMs = () => clock.nowMs;
const signature = toHex(new Uint8Array(65).fill(1));

/** Nobody checks signatures behind admission: any bytes will do. */
function place(index: number, expiration: number): HostCommand {
  const order: Order = {
    marketId: TEST_MARKET,
    trader: `0x${(index % 512).toString(16).padStart(40, '1')}` as Address,
    side: index % 2 === 0 ? 0 : 1,
    outcome: 0,
    price: toPrice(index % 2 === 0 ? 300_000 + (index % 1_000) : 700_000 - (index % 1_000)),
    size: toSize(1_000_000),
    nonce: BigInt(index),
    expiration: BigInt(expiration + 3_600),
    makerFeeRecipient: ZERO_ADDRESS,
  };
  const orderHash = `0x${createHash('sha256').update(String(index)).digest('hex')}` as const;
  return { type: 'place-order', orderHash, order, signature, terms: DEFAULT_TERMS };
}

async function openHost(dir: string): Promise<{ host: Host; journal: FileJournal }> {
  const journal = await FileJournal.open({ dir, partition: 'm0' });
  const onFatal = (error: unknown) => {
    throw error;
  };
  const host = await Host.open({ log: await PartitionLog.open({ journal, nowMs, onFatal }), nowMs });
  return { host, journal };
}

const openOrders = (host: Host) => host.reads.size().openOrders;

it(`closes with ${ORDERS} resting orders`, async () => {
  const dir = mkdtempSync(join(tmpdir(), 'presage-closing-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const expiration = Math.floor(clock.nowMs / 1_000) + 1_000;
  const first = await openHost(dir);
  await first.host.submit({ type: 'list-market', market: marketFacts({ expiration }) });
  for (let index = 0; index < ORDERS; index += AT_ONCE) {
    await first.host.submitAll(Array.from({ length: AT_ONCE }, (_, at) => place(index + at, expiration)));
  }
  expect(openOrders(first.host)).toBe(ORDERS);

  clock.advanceMs(1_001_000);
  const startMs = performance.now();
  first.host.start();
  await waitFor('some are cancelled', () => openOrders(first.host) < ORDERS, { pollMs: 1 });
  // Ends between two parts: what a killed service leaves behind, but for the lock of its folder.
  await first.host.stop();
  await first.journal.close();
  const leftBehind = openOrders(first.host);

  const second = await openHost(dir);
  const openedMs = performance.now();
  expect(openOrders(second.host)).toBe(leftBehind);
  second.host.start();
  await waitFor('all are cancelled', () => openOrders(second.host) === 0, { timeoutMs: 300_000 });
  const doneMs = performance.now();
  await second.host.stop();

  let [cancelled, largest, frames] = [0, 0, 0];
  for await (const frame of second.journal.readWhole(1)) {
    frames += 1;
    largest = Math.max(
      largest,
      frame.records.reduce((sum, { length }) => sum + length, 0),
    );
    cancelled += frame.records.filter((record) => decodeRecord(record).type === 'order-cancelled').length;
  }
  await second.host.close();
  await second.journal.close();
  console.log(
    `${ORDERS} orders: ${ORDERS - leftBehind} cancelled before the stop, opened again after ${(openedMs - startMs).toFixed(0)} ms, the rest cancelled in ${(doneMs - openedMs).toFixed(0)} ms; ${frames} frames, the largest with records of ${largest} bytes; ${(process.memoryUsage.rss() / 2 ** 20).toFixed(0)} MiB`,
  );
  expect(cancelled).toBe(ORDERS);
  expect(largest).toBeLessThan(FRAME_BYTES);
});
