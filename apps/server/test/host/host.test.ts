// The single writer: nothing is answered or read before it is durable, and a restart knows all that was answered.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileJournal, type FrameRef, type Journal, MemoryJournal, MemoryStorage } from '@presage/journal';
import { createOrderBuilders, ManualClock, marketFacts, TEST_MARKET } from '@presage/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Host } from '../../src/host/host.ts';
import { PartitionLog } from '../../src/host/partition-log.ts';

const clock = new ManualClock();
const traders = createOrderBuilders(clock);
const nowMs = () => clock.nowMs;
const onFatal = (error: unknown) => {
  throw error;
};

async function openHost(journal: Journal, checkpointEvery?: number): Promise<{ host: Host; log: PartitionLog }> {
  const log = await PartitionLog.open({ journal, nowMs, onFatal });
  const host = await Host.open({ log, nowMs, ...(checkpointEvery !== undefined && { checkpointEvery }) });
  return { host, log };
}

/** A memory journal whose frames become durable only when the test says so. */
async function openHeldJournal(): Promise<{ journal: Journal; release: () => void }> {
  const journal = await MemoryJournal.open({ storage: new MemoryStorage('m0') });
  let release = () => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const append = async (records: readonly Uint8Array[], timeMs: number): Promise<FrameRef> => {
    await gate;
    return journal.append(records, timeMs);
  };
  const held = new Proxy(journal, {
    get: (target, name) => {
      const value = name === 'append' ? append : Reflect.get(target, name, target);
      return typeof value === 'function' && name !== 'append' ? value.bind(target) : value;
    },
  });
  return { journal: held, release };
}

const UNKNOWN_MARKET = `0x${'77'.repeat(32)}` as const;
const turn = () => new Promise((resolve) => setTimeout(resolve, 20));

describe('host', () => {
  it('answers nothing, shows nothing and refuses nothing before the frame it stands on is durable', async () => {
    const { journal, release } = await openHeldJournal();
    const { host } = await openHost(journal);
    const answered: string[] = [];
    const listing = host.submit({ type: 'list-market', market: marketFacts() }).then(() => answered.push('listed'));
    const refused = host.submit({ type: 'list-market', market: marketFacts() }).then(([output]) => {
      answered.push(output?.type === 'command-refused' ? output.code : 'accepted');
    });
    await turn();
    expect(answered).toEqual([]);
    expect(host.reads.market(TEST_MARKET)).toBeUndefined();
    release();
    await Promise.all([listing, refused]);
    expect(answered.sort()).toEqual(['listed', 'market_already_listed']);
    expect(host.reads.market(TEST_MARKET)?.status).toBe('open');
  });

  it('gives followers every event once, in order, before the answer', async () => {
    const journal = await MemoryJournal.open({ storage: new MemoryStorage('m0') });
    const { host, log } = await openHost(journal);
    const seen: string[] = [];
    log.subscribe(({ firstSeq, records }) =>
      seen.push(...records.map((record, i) => `${firstSeq + i} ${record.type}`)),
    );
    await host.submit({ type: 'list-market', market: marketFacts() });
    await Promise.all([
      host.submit(traders.aliceBuysYes({ price: '0.5', size: '10' })),
      host.submit(traders.bobSellsYes({ price: '0.5', size: '4' })),
    ]);
    expect(seen).toEqual(['1 market-listed', '2 order-accepted', '3 order-accepted', '4 trade-matched']);
    expect(log.identity).toMatch(/^[0-9a-f]{64}$/);
  });

  it('shows followers each command of a group by itself, with the reads as they are after it, in one frame', async () => {
    const journal = await MemoryJournal.open({ storage: new MemoryStorage('m0') });
    const { host, log } = await openHost(journal);
    await host.submit({ type: 'list-market', market: marketFacts() });
    const seen: string[] = [];
    log.subscribe(({ records }) => {
      const steps = new Set(records.map((record) => ('step' in record ? record.step : undefined)));
      const [bid] = host.reads.levels(TEST_MARKET, 0, 0);
      seen.push(`${[...steps].join()}: ${records.map(({ type }) => type).join()}; bid ${bid?.size}`);
    });
    const resting = traders.aliceBuysYes({ price: '0.5', size: '10' });
    const outputs = await host.submitAll([
      resting,
      { type: 'cancel-order', marketId: UNKNOWN_MARKET, orderHash: resting.orderHash, reason: 'user' },
      traders.bobSellsYes({ price: '0.5', size: '4' }),
      { type: 'cancel-order', marketId: TEST_MARKET, orderHash: resting.orderHash, reason: 'user' },
    ]);
    expect(outputs.map(({ type }) => type)).toEqual([
      ...['order-accepted', 'command-refused', 'order-accepted', 'trade-matched', 'order-cancelled'],
    ]);
    expect(seen).toEqual([
      '2: order-accepted; bid 10000000',
      '3: order-accepted,trade-matched; bid 6000000',
      '4: order-cancelled; bid undefined',
    ]);
    const frames: number[][] = [];
    for await (const { firstSeq, lastSeq } of log.read(2)) frames.push([firstSeq, lastSeq]);
    expect(frames).toEqual([[2, 5]]);
  });

  it('never lets time run backwards', async () => {
    const journal = await MemoryJournal.open({ storage: new MemoryStorage('m0') });
    let now = 2_000;
    const log = await PartitionLog.open({ journal, nowMs: () => now, onFatal });
    const host = await Host.open({ log, nowMs: () => now });
    await host.submit({ type: 'list-market', market: marketFacts() });
    now = 1_000;
    const other = marketFacts({ marketId: `0x${'77'.repeat(32)}` as const });
    const [event] = await host.submit({ type: 'list-market', market: other });
    expect(event).toMatchObject({ type: 'market-listed', timeMs: 2_000 });
  });
});

describe('recovery', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'presage-host-'));
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  const openFile = () => FileJournal.open({ dir, partition: 'm0', segmentBytes: 1 << 20 });

  async function trade(host: Host, times: number): Promise<void> {
    for (let i = 0; i < times; i++) {
      await host.submit(traders.aliceBuysYes({ price: '0.5', size: '10' }));
      await host.submit(traders.bobSellsYes({ price: '0.5', size: '7' }));
    }
  }

  it.each([
    ['without a checkpoint', 1_000_000, false],
    ['from a checkpoint and the tail behind it', 25, false],
    ['from the checkpoint of an orderly end', 1_000_000, true],
  ])('comes back to the same state %s', async (_how, checkpointEvery, isOrderly) => {
    const first = await openHost(await openFile(), checkpointEvery);
    await first.host.submit({ type: 'list-market', market: marketFacts() });
    await trade(first.host, 20);
    const before = first.host.reads.stateHash();
    if (isOrderly) await first.host.close();
    await first.log.flushed();
    await first.log.close();

    const second = await openHost(await openFile(), checkpointEvery);
    expect(second.host.reads.stateHash()).toBe(before);
    const [answer] = await second.host.submit(traders.carolSellsYes({ price: '0.5', size: '1' }));
    expect(answer?.type).toBe('order-accepted');
    await second.log.close();
  });
});
