// The single writer: nothing is answered or read before it is durable, and a restart knows all that was answered.
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Engine } from '@presage/engine';
import { FileJournal, type FrameRef, type Journal, JournalFenced, MAX_FRAME_BYTES } from '@presage/journal';
import { decodeRecord, encodeRecord, isEngineEvent, LIMITS } from '@presage/protocol';
import type { ProcessProbe } from '@presage/runtime/node';
import {
  createOrderBuilders,
  ManualClock,
  MemoryJournal,
  MemoryStorage,
  marketFacts,
  TEST_MARKET,
  TRADERS,
  waitFor,
} from '@presage/testkit';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { Host } from '../../src/host/host.ts';
import { HostCommands } from '../../src/host/host-commands.ts';
import type { AfterFailure } from '../../src/host/journal-writer.ts';
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

/** Locks of the folder that a copy was made of mean nothing. */
const NOBODY: ProcessProbe = {
  self: async () => ({ pid: 1, startTicks: 1, bootId: 'another' }),
  isAlive: async () => false,
};

const UNKNOWN_MARKET = `0x${'77'.repeat(32)}` as const;
const turn = () => new Promise((resolve) => setTimeout(resolve, 20));

describe('host', () => {
  it('decides after a restart although the clock was set back while the last command was written', async () => {
    const storage = new MemoryStorage('m0');
    let aheadMs = 0;
    const movedMs = () => clock.nowMs + aheadMs;
    const open = async () => {
      const journal = await MemoryJournal.open({ storage, takeOver: true });
      const log = await PartitionLog.open({ journal, nowMs: movedMs, onFatal });
      return Host.open({ log, nowMs: movedMs });
    };
    const host = await open();
    await host.submit({ type: 'list-market', market: marketFacts() });
    aheadMs = 60_000;
    const placed = host.submit(traders.aliceSellsYes({ price: '0.6', size: '1' }));
    aheadMs = 0;
    await placed;
    const [output] = await (await open()).submit(traders.aliceSellsYes({ price: '0.7', size: '1' }));
    expect(output?.type).toBe('order-accepted');
  });

  it('places an atomic batch at one time, however fast the clock runs meanwhile', async () => {
    const journal = await MemoryJournal.open({ storage: new MemoryStorage('m0') });
    const log = await PartitionLog.open({ journal, nowMs, onFatal });
    let aheadMs = 0;
    // A minute goes by whenever somebody looks.
    const hurried = () => {
      aheadMs += 60_000;
      return clock.nowMs + aheadMs;
    };
    const host = await Host.open({ log, nowMs: hurried });
    await host.submit({ type: 'list-market', market: marketFacts({ expiration: clock.nowSeconds + 86_400 }) });
    const expiration = clock.nowSeconds + aheadMs / 1_000 + 90;
    const rest = (price: string) => traders.aliceSellsYes({ price, size: '1', postOnly: true, expiration });
    const placed = await host.runAtomic([rest('0.6'), rest('0.7'), rest('0.8')]);
    expect(placed.outcome).toBe('placed');
    expect(host.reads.openOrders({})).toHaveLength(3);
  });

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

  it('answers neither a replay nor a refusal that was decided on an append that failed', async () => {
    const storage = new MemoryStorage('m0');
    const lost: unknown[] = [];
    const journal = await MemoryJournal.open({ storage });
    const log = await PartitionLog.open({ journal, nowMs, onFatal: (error) => lost.push(error) });
    const host = await Host.open({ log, nowMs });
    await host.submit({ type: 'list-market', market: marketFacts() });
    storage.failNextWrite(new Error('no room'));
    const order = traders.aliceBuysYes({ price: '0.5', size: '1' });
    const outcomes = await Promise.allSettled([
      host.submit({ ...order }),
      host.submit({ ...order }),
      host.submit({ ...order, orderHash: UNKNOWN_MARKET }),
      host.runAtomic([{ ...order, orderHash: UNKNOWN_MARKET }]),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected', 'rejected']);
    expect(lost).toHaveLength(1);
    await expect(host.submit({ ...order }), 'nothing is decided any more').rejects.toThrow('no room');
    await expect(log.confirm(), 'nobody may act on it').rejects.toThrow('no room');
    expect(storage.frames).toHaveLength(1);
  });

  it('is closed when what was decided before is durable', async () => {
    const storage = new MemoryStorage('m0');
    const { host, log } = await openHost(await MemoryJournal.open({ storage }));
    const answered = host.submit({ type: 'list-market', market: marketFacts() });
    await log.close();
    expect(storage.frames).toHaveLength(1);
    expect((await answered).map(({ type }) => type)).toEqual(['market-listed']);
  });

  it('goes back to what is durable when its journal is reopened, and takes the same order then', async () => {
    const storage = new MemoryStorage('m0');
    const journal = await MemoryJournal.open({ storage });
    const log = await PartitionLog.open({ journal, nowMs, onFatal, afterFailure: 'refuse' });
    const host = await Host.open({ log, nowMs });
    await host.submit({ type: 'list-market', market: marketFacts() });
    storage.failNextWrite(new Error('no room'));
    const order = traders.aliceBuysYes({ price: '0.5', size: '1' });
    await expect(host.submit({ ...order })).rejects.toMatchObject({ code: 'journal_unavailable' });
    await expect(host.submit({ ...order })).rejects.toMatchObject({ code: 'journal_unavailable' });
    expect(host.reads.market(TEST_MARKET)?.status, 'reads go on').toBe('open');
    const outputs = await waitFor('it takes orders again', () => host.submit({ ...order }).catch(() => undefined));
    expect(outputs.map(({ type }) => type)).toEqual(['order-accepted']);
    expect(storage.frames).toHaveLength(2);
  });

  it('rejects every append once another node has its partition, even for writers that wait out a failure', async () => {
    const storage = new MemoryStorage('chain-1');
    const lost: unknown[] = [];
    const journal = await MemoryJournal.open({ storage });
    const log = await PartitionLog.open({ journal, nowMs, afterFailure: 'wait', onFatal: (error) => lost.push(error) });
    await MemoryJournal.open({ storage, takeOver: true });
    const note = () => log.append([{ type: 'partitions-set', timeMs: clock.nowMs, count: 2 }]);
    const refusal = { code: 'partition_unavailable' };
    await expect(note()).rejects.toMatchObject(refusal);
    await expect(note(), 'nobody would ever write it').rejects.toMatchObject(refusal);
    expect(lost).toEqual([expect.any(JournalFenced)]);
  });

  it('rejects records that wait for a failed journal when the node stops', async () => {
    const storage = new MemoryStorage('chain-1');
    const journal = await MemoryJournal.open({ storage });
    const log = await PartitionLog.open({ journal, nowMs, afterFailure: 'wait', onFatal });
    storage.failNextWrite(new Error('no room'));
    const waiting = log.append([{ type: 'partitions-set', timeMs: clock.nowMs, count: 2 }]);
    await turn();
    log.stopWaiting();
    await expect(waiting).rejects.toMatchObject({ code: 'journal_unavailable' });
    await log.close();
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
      'order-accepted',
      'command-refused',
      'order-accepted',
      'trade-matched',
      'order-cancelled',
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

  async function openKeeping(imageEvery: number, warnings: string[] = []) {
    const journal = await openFile();
    const log = await PartitionLog.open({ journal, nowMs, onFatal });
    const onWarning = (message: string) => warnings.push(message);
    return { log, host: await Host.open({ log, nowMs, imageEvery, onWarning }) };
  }

  /** Files are renamed and removed while they are copied, which takes longer than a kill: again until none was. */
  function copyOfAnInstant(copy: string): void {
    for (;;) {
      const names = readdirSync(dir).join();
      try {
        cpSync(dir, copy, { recursive: true });
        if (readdirSync(dir).join() === names) return;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      }
      rmSync(copy, { recursive: true, force: true });
    }
  }

  const images = () => readdirSync(dir).filter((name) => name.startsWith('memory-'));

  it('comes back to the same state from memory and the tail behind it, killed at any moment of its writing', async () => {
    const { log, host } = await openKeeping(25);
    await host.submit({ type: 'list-market', market: marketFacts() });
    const copies: { readonly copy: string; readonly seq: number }[] = [];
    const seen = new Set<string>();
    for (let round = 0; round < 30; round++) {
      await trade(host, 1);
      for (const name of readdirSync(dir)) if (/^memory-|tmp$/.test(name)) seen.add(name);
      const copy = `${dir}-${round}`;
      onTestFinished(() => rmSync(copy, { recursive: true, force: true }));
      copyOfAnInstant(copy);
      copies.push({ copy, seq: log.lastSeq });
    }
    expect([...seen].filter((name) => !name.endsWith('tmp')).length).toBeGreaterThan(0);
    await log.close();
    const replayed = new Engine();
    const hashes = new Map<number, string>();
    const whole = await openFile();
    for await (const { records, firstSeq } of whole.read(1)) {
      for (const [index, bytes] of records.entries()) {
        const record = decodeRecord(bytes);
        if (isEngineEvent(record)) replayed.evolve(record, firstSeq + index);
        hashes.set(firstSeq + index, replayed.stateHash());
      }
    }
    await whole.close();
    for (const { copy, seq } of copies) {
      const journal = await FileJournal.open({ dir: copy, partition: 'm0', segmentBytes: 1 << 20, probe: NOBODY });
      const opened = await openHost(journal);
      expect(opened.host.reads.lastSeq).toBeGreaterThanOrEqual(seq);
      expect(opened.host.reads.stateHash()).toBe(hashes.get(opened.host.reads.lastSeq));
      await opened.log.close();
    }
  });

  it('reads the memory of an orderly end, and the journal where memory is of another version', async () => {
    const first = await openKeeping(1_000_000);
    await first.host.submit({ type: 'list-market', market: marketFacts() });
    await trade(first.host, 20);
    const before = first.host.reads.stateHash();
    await first.host.close();
    expect(images()).toHaveLength(1);
    await first.log.close();

    const another = await openFile();
    const found = await another.readMemory();
    expect(found).toMatchObject({ seq: another.lastSeq, checkpointSeq: another.lastSeq });
    const [texts, ...memory] = found!.parts;
    const text = new TextDecoder().decode(texts).replace(/^.*\n/, '["of another program"]\n');
    await another.writeMemory({ seq: another.lastSeq, parts: [new TextEncoder().encode(text), ...memory] });
    await another.close();
    const warnings: string[] = [];
    const second = await openKeeping(1_000_000, warnings);
    expect(warnings).toEqual([expect.stringContaining('laid out for another version')]);
    expect(second.host.reads.stateHash()).toBe(before);
    await second.log.close();
  });
});

describe('more than fits into one frame', () => {
  const LAPSE = 1_900_000_100;
  const engine = { eventsPerStep: 10 };

  async function openParts(storage: MemoryStorage, afterFailure: AfterFailure = 'give-up') {
    // As after a kill: whoever held it is gone without a word.
    const journal = await MemoryJournal.open({ storage, takeOver: true });
    const log = await PartitionLog.open({ journal, nowMs, onFatal, afterFailure });
    const frames: number[] = [];
    journal.subscribe(({ records }) => frames.push(records.length));
    const host = await Host.open({ log, nowMs, engine });
    onTestFinished(() => host.close());
    return { host, log, frames };
  }

  async function fill(host: Host, orders: number, expiration = LAPSE): Promise<void> {
    await host.submit({ type: 'list-market', market: marketFacts({ expiration }) });
    for (let index = 0; index < orders; index++) await host.submit(traders.aliceBuysYes({ price: '0.5', size: '1' }));
  }

  it('is cancelled in parts and answered in one, with every order counted', async () => {
    const { host, frames } = await openParts(new MemoryStorage('m0'));
    await fill(host, 47);
    frames.length = 0;
    const { cancelled } = await new HostCommands([host]).cancelOrders(TRADERS.alice, 'user');
    expect(new Set(cancelled).size).toBe(47);
    expect(host.reads.openOrders()).toEqual([]);
    const another = await new HostCommands([host]).cancelOrders(TRADERS.alice, 'user');
    expect(another.cancelled).toEqual([]);
  });

  it('is cancelled whole when its trader halts on chain', async () => {
    const { host } = await openParts(new MemoryStorage('m0'));
    await fill(host, 47);
    await new HostCommands([host]).cancelHalted(TRADERS.alice, marketFacts().chainId);
    expect(host.reads.openOrders()).toEqual([]);
  });

  it('killed between two parts of a closing, the next start does the rest', async () => {
    const storage = new MemoryStorage('m0');
    const first = await openParts(storage);
    await fill(first.host, 47);
    clock.advanceMs((LAPSE + 1) * 1_000 - clock.nowMs);
    await first.host.submit({ type: 'tick' });
    expect(first.host.reads.market(TEST_MARKET)?.status).toBe('closed');
    expect(first.host.reads.openOrders()).toHaveLength(38);
    const second = await openParts(storage);
    expect(second.host.reads.stateHash()).toBe(first.host.reads.stateHash());
    second.host.start();
    await waitFor('all orders have left', () => second.host.reads.openOrders().length === 0);
    expect(Math.max(...second.frames)).toBe(10);
  });

  it('is refused at once where the part of a closing before it could not be written', async () => {
    const storage = new MemoryStorage('m0');
    const { host } = await openParts(storage, 'refuse');
    await fill(host, 47, Math.floor(clock.nowMs / 1_000) + 100);
    clock.advanceMs(101_000);
    storage.failNextWrite(new Error('no room'));
    await expect(host.submit({ type: 'tick' })).rejects.toMatchObject({ code: 'journal_unavailable' });
    const cancelling = new HostCommands([host]).cancelOrders(TRADERS.alice, 'heartbeat_lapsed');
    await expect(cancelling).rejects.toMatchObject({ code: 'journal_unavailable' });
  });

  it('a tick over many markets is written in several frames of whole steps', async () => {
    const { host, log, frames } = await openParts(new MemoryStorage('m0'));
    const steps: string[] = [];
    log.subscribe(({ records }) =>
      steps.push(records.map((record) => ('step' in record ? record.marketId : '')).join()),
    );
    const ids = Array.from({ length: 9 }, (_, index) => `0x${`0${index + 1}`.repeat(32)}` as const);
    const expiration = Math.floor(clock.nowMs / 1_000) + 100;
    for (const marketId of ids) {
      await host.submit({ type: 'list-market', market: marketFacts({ marketId, expiration }) });
      for (let index = 0; index < 3; index++) {
        await host.submit(traders.aliceBuysYes({ price: '0.5', size: '1', marketId }));
      }
    }
    steps.length = 0;
    frames.length = 0;
    clock.advanceMs(101_000);
    await host.submit({ type: 'tick' });
    expect(steps).toHaveLength(3);
    const named = steps.map((step) => new Set(step.split(',')));
    expect(named.map(({ size }) => size)).toEqual([3, 3, 3]);
    expect(host.reads.openOrders()).toEqual([]);
  });

  it('has no step that comes near the largest frame, whatever is in it', async () => {
    const { host, log } = await openParts(new MemoryStorage('m0'));
    const bytes: number[] = [];
    log.subscribe(({ records }) => bytes.push(...records.map((record) => encodeRecord(record).length)));
    await fill(host, 3);
    await host.submit(traders.bobSellsYes({ price: '0.5', size: '2' }));
    await new HostCommands([host]).cancelOrders(TRADERS.alice, 'user');
    expect(LIMITS.eventsPerStep * Math.max(...bytes.slice(1))).toBeLessThan(MAX_FRAME_BYTES / 10);
  });
});
