// The public journal and receipts: an outsider can recompute the hash chain, and one signature speaks for a frame.
import { createHash, verify } from 'node:crypto';
import { getEventListeners } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeFrame, FileJournal, type Journal } from '@presage/journal';
import { fromHex, hashHeads, type Receipt, receiptText } from '@presage/protocol';
import { createApiKeyPair, openPublicKey, openSigningKey } from '@presage/protocol/ed25519';
import {
  createOrderBuilders,
  ManualClock,
  MemoryJournal,
  MemoryStorage,
  marketFacts,
  TEST_MARKET,
  waitFor,
} from '@presage/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Host } from '../../src/host/host.ts';
import { HostCommands } from '../../src/host/host-commands.ts';
import { PartitionLog } from '../../src/host/partition-log.ts';
import { PublicJournal } from '../../src/proof/public-journal.ts';
import type { PublishedPartition } from '../../src/proof/published-partition.ts';
import { Receipts } from '../../src/proof/receipts.ts';

const PAIR = createApiKeyPair(Buffer.alloc(32, 7));
const EVERYTHING = { fromSeq: 1, limit: 10_000, isDecoded: true };

async function openExchange(options: { delayMs?: number; journal?: Journal } = {}) {
  const clock = new ManualClock();
  const nowMs = () => clock.nowMs;
  const journal = options.journal ?? (await MemoryJournal.open({ storage: new MemoryStorage('m0') }));
  const log = await PartitionLog.open({ journal, nowMs, onFatal: (error) => expect.unreachable(String(error)) });
  const host = await Host.open({ log, nowMs });
  let signatures = 0;
  const key = openSigningKey(PAIR.privateKeyHex);
  const sign = (message: Uint8Array) => {
    signatures++;
    return key.sign(message);
  };
  const receipts = new Receipts({ ...key, sign });
  const commands = new HostCommands([host], receipts);
  const publish = () => {
    const delayMs = options.delayMs ?? 0;
    const opened = new PublicJournal({ markets: [log], others: () => [], receipts, nowMs, delayMs });
    onTestFinished(() => opened.close());
    return opened;
  };
  const publicJournal = publish();
  const published = publicJournal.find('m0')!;
  await commands.listMarket(marketFacts());
  return {
    clock,
    log,
    host,
    commands,
    published,
    publicJournal,
    /** What is published after a restart. */
    publishAgain: () => publish().find('m0')!,
    traders: createOrderBuilders(clock),
    signatures: () => signatures,
  };
}

interface PageAnswer {
  readonly frames: readonly FrameAnswer[];
  readonly nextSeq: number;
  readonly publishedSeq: number;
  readonly head: Omit<Receipt, 'seq'> | null;
}

interface FrameAnswer {
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly hash: string;
  readonly previousHash: string;
  readonly bytes: string;
  readonly records?: readonly { readonly seq: number; readonly type: string }[];
}

/** As its JSON says. */
async function readPage(
  published: PublishedPartition,
  query: Parameters<PublishedPartition['page']>[0],
): Promise<PageAnswer> {
  return JSON.parse([...(await published.page(query)).json()].join(''));
}

function isSigned(frame: Omit<Receipt, 'seq'>): boolean {
  const key = openPublicKey(PAIR.publicKeyHex);
  return verify(null, Buffer.from(receiptText(frame)), key, fromHex(frame.signature));
}

describe('the public journal', () => {
  it('gives the hashed bytes, with each frame naming its predecessor, and readable records', async () => {
    const { commands, published, publicJournal, traders } = await openExchange();
    await commands.placeOrder(traders.aliceBuysYes({ price: '0.5', size: '10' }));
    await commands.placeOrder(traders.bobSellsYes({ price: '0.5', size: '4' }));
    const page = await readPage(published, EVERYTHING);
    let previous = `0x${'0'.repeat(64)}`;
    for (const frame of page.frames) {
      const bytes = Buffer.from(frame.bytes, 'base64');
      const decoded = decodeFrame(bytes);
      if ('fault' in decoded) return expect.unreachable(decoded.fault);
      expect(`0x${createHash('sha256').update(bytes).digest('hex')}`).toBe(frame.hash);
      expect(`0x${Buffer.from(decoded.previousHash).toString('hex')}`).toBe(previous);
      expect(frame.previousHash).toBe(previous);
      previous = frame.hash;
    }
    const records = page.frames.flatMap((frame) => frame.records ?? []);
    expect(records.map(({ seq, type }) => `${seq} ${type}`)).toEqual([
      '1 market-listed',
      '2 order-accepted',
      '3 order-accepted',
      '4 trade-matched',
    ]);
    expect(records[1]).toMatchObject({ signature: expect.stringMatching(/^0x/), order: { price: 500_000 } });
    expect(page).toMatchObject({ nextSeq: 5, publishedSeq: 4, head: { frameHash: previous, lastSeq: 4 } });
    expect(isSigned(page.head!)).toBe(true);
    expect(publicJournal.heads().hash).toBe(hashHeads([page.head!]));
  });

  it('registers a waiting reader only once, however often it has waited', async () => {
    const { commands, published, traders } = await openExchange();
    const reading = new AbortController();
    const frames = published.follow(EVERYTHING, reading.signal);
    await frames.next();
    for (let round = 0; round < 20; round++) {
      const next = frames.next();
      await commands.placeOrder(traders.aliceBuysYes({ price: '0.5', size: '1' }));
      await next;
    }
    const last = frames.next();
    await waitFor('it waits again', async () => getEventListeners(reading.signal, 'abort').length > 0);
    expect(getEventListeners(reading.signal, 'abort')).toHaveLength(1);
    reading.abort();
    expect((await last).done).toBe(true);
  });

  it('comes in pages of whole frames, and a page inside a frame begins with its first record', async () => {
    const { commands, published, traders } = await openExchange();
    const orders = [1, 2, 3].map((cents) => traders.aliceBuysYes({ price: `0.0${cents}`, size: '10' }));
    await Promise.all(orders.map((order) => commands.placeOrder(order)));
    await commands.placeOrder(traders.bobSellsYes({ price: '0.9', size: '4' }));
    const placesOf = async (fromSeq: number, limit: number) => {
      const { frames, nextSeq } = await readPage(published, { fromSeq, limit, isDecoded: false });
      return [frames.map(({ firstSeq, lastSeq }) => [firstSeq, lastSeq]), nextSeq];
    };
    expect(await placesOf(1, 1)).toEqual([[[1, 1]], 2]);
    expect(await placesOf(2, 1)).toEqual([[[2, 4]], 5]);
    expect(await placesOf(3, 10)).toEqual([
      [
        [2, 4],
        [5, 5],
      ],
      6,
    ]);
    expect(await placesOf(6, 10)).toEqual([[], 6]);
  });

  it('reads archived segments like the rest', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'presage-proof-'));
    onTestFinished(() => rmSync(dir, { recursive: true }));
    const journal = await FileJournal.open({
      dir,
      partition: 'm0',
      segmentBytes: 4_096,
      growBytes: 4_096,
      archive: true,
    });
    const { commands, published, traders, log, host } = await openExchange({ journal });
    for (let i = 0; i < 60; i++) await commands.placeOrder(traders.aliceBuysYes({ price: '0.2', size: '1' }));
    const stateHash = host.reads.stateHash().slice(2);
    await log.writeCheckpoint({ seq: log.lastSeq, stateHash, body: new Uint8Array() });
    await new Promise((resolve) => setTimeout(resolve, 300));
    const seen: number[] = [];
    for (let fromSeq = 1; ; ) {
      const page = await readPage(published, { fromSeq, limit: 7, isDecoded: true });
      if (page.frames.length === 0) break;
      seen.push(...page.frames.flatMap(({ records = [] }) => records.map(({ seq }) => seq)));
      fromSeq = page.nextSeq;
    }
    expect(seen).toEqual(Array.from({ length: 61 }, (_, index) => index + 1));
    await published.close();
    await log.close();
  });

  it('begins with the oldest record that is left, also for a reader whose next page was deleted meanwhile', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'presage-proof-'));
    onTestFinished(() => rmSync(dir, { recursive: true }));
    const retention = { keptMs: 0, neededFromSeq: () => Number.POSITIVE_INFINITY };
    const sizes = { segmentBytes: 4_096, growBytes: 4_096 };
    const journal = await FileJournal.open({ dir, partition: 'm0', archive: true, retention, ...sizes });
    const { commands, published, traders, log, host } = await openExchange({ journal });
    for (let i = 0; i < 60; i++) await commands.placeOrder(traders.aliceBuysYes({ price: '0.2', size: '1' }));
    const { nextSeq } = await readPage(published, { ...EVERYTHING, limit: 1 });
    const stateHash = host.reads.stateHash().slice(2);
    for (const back of [1, 0]) {
      await log.writeCheckpoint({ seq: log.lastSeq - back, stateHash, body: new Uint8Array() });
    }
    await waitFor('the archive is deleted', async () => log.firstSeq > nextSeq);
    // The page that was begun ends where its file does.
    const rest = await readPage(published, { ...EVERYTHING, fromSeq: nextSeq });
    expect(rest.frames[0]?.firstSeq).toBe(nextSeq);
    expect(rest.nextSeq).toBeLessThan(log.firstSeq);
    const next = await readPage(published, { ...EVERYTHING, fromSeq: rest.nextSeq });
    expect([next.frames[0]?.firstSeq, next.nextSeq]).toEqual([log.firstSeq, log.lastSeq + 1]);
    expect(await published.receiptAt(nextSeq)).toBeUndefined();
    expect(await published.receiptAt(log.lastSeq)).toMatchObject({ seq: log.lastSeq });
    await published.close();
    await log.close();
  });

  it('is published with the operator’s delay, and its head is signed at once', async () => {
    const { clock, commands, published, traders } = await openExchange({ delayMs: 60_000 });
    const { receipt } = await commands.placeOrder(traders.aliceBuysYes({ price: '0.5', size: '10' }));
    const early = await readPage(published, EVERYTHING);
    expect(early).toMatchObject({ frames: [], nextSeq: 1, publishedSeq: 0, head: { lastSeq: 2 } });
    expect(early.head?.frameHash).toBe(receipt?.frameHash);
    clock.advanceMs(60_000);
    const later = await readPage(published, EVERYTHING);
    expect(later.frames.at(-1)).toMatchObject({ lastSeq: 2, hash: receipt?.frameHash });
  });

  it('stays published over a restart while newer frames wait for their time', async () => {
    const { clock, commands, publishAgain, traders } = await openExchange({ delayMs: 60_000 });
    const place = (price: string) => commands.placeOrder(traders.aliceBuysYes({ price, size: '10' }));
    await place('0.5');
    clock.advanceMs(60_000);
    await place('0.4');
    clock.advanceMs(30_000);
    await place('0.3');
    const published = publishAgain();
    const publishedSeq = async () => (await readPage(published, EVERYTHING)).publishedSeq;
    const page = await readPage(published, EVERYTHING);
    expect(page).toMatchObject({ nextSeq: 3, publishedSeq: 2, head: { lastSeq: 4 } });
    expect(page.frames.map(({ lastSeq }) => lastSeq)).toEqual([1, 2]);
    clock.advanceMs(30_000);
    expect(await publishedSeq()).toBe(3);
    clock.advanceMs(30_000);
    expect(await publishedSeq()).toBe(4);
  });

  it('is followed as it grows', async () => {
    const { commands, published, traders } = await openExchange();
    const gone = new AbortController();
    const seen: number[] = [];
    const following = (async () => {
      for await (const frames of published.follow(EVERYTHING, gone.signal)) {
        seen.push(...frames.map(({ lastSeq }) => lastSeq));
        if (seen.at(-1) === 3) gone.abort();
      }
    })();
    await commands.placeOrder(traders.aliceBuysYes({ price: '0.5', size: '10' }));
    await commands.placeOrder(traders.aliceBuysYes({ price: '0.4', size: '10' }));
    await following;
    expect(seen).toEqual([1, 2, 3]);
  });
});

describe('receipts', () => {
  it('name the place of an order and of its cancellation, in a frame that the operator signed once', async () => {
    const { commands, published, traders, signatures } = await openExchange();
    const orders = [1, 2, 3].map((cents) => traders.aliceBuysYes({ price: `0.0${cents}`, size: '10' }));
    const placed = await Promise.all(orders.map((order) => commands.placeOrder(order)));
    expect(signatures()).toBe(1);
    expect(placed.map(({ receipt }) => receipt?.seq)).toEqual([2, 3, 4]);
    const { receipt } = await commands.cancelOrder(TEST_MARKET, orders[1]!.orderHash);
    expect(signatures()).toBe(2);
    expect(receipt).toMatchObject({ partition: 'm0', seq: 5, firstSeq: 5, lastSeq: 5 });
    for (const each of [placed[0]!.receipt!, receipt!]) expect(isSigned(each)).toBe(true);
    expect(isSigned({ ...receipt!, timeMs: receipt!.timeMs + 1 })).toBe(false);
    const { frames } = await readPage(published, EVERYTHING);
    expect(frames.find(({ firstSeq }) => firstSeq === 2)?.hash).toBe(placed[0]?.receipt?.frameHash);
    expect(frames[2]?.records?.[0]).toMatchObject({ seq: 5, type: 'order-cancelled' });
  });

  it('are signed once a frame, while it is being written', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'presage-proof-'));
    onTestFinished(() => rmSync(dir, { recursive: true }));
    const key = openSigningKey(PAIR.privateKeyHex);
    const signed: string[] = [];
    const sign = (message: Uint8Array) => {
      signed.push(Buffer.from(message).toString());
      return key.sign(message);
    };
    const receipts = new Receipts({ ...key, sign });
    const journal = await FileJournal.open({ dir, partition: 'm0', onSealed: receipts.prepare });
    const appending = journal.append([Buffer.from('a'), Buffer.from('b')], 1);
    expect(signed).toHaveLength(1);
    const { frame } = await appending;
    for (const seq of [1, 2]) expect(isSigned(receipts.receiptOf(frame, seq))).toBe(true);
    expect(signed).toHaveLength(1);
    await journal.close();
  });

  it('are identical for a repeated answer', async () => {
    const { commands, published, traders } = await openExchange();
    const order = traders.aliceBuysYes({ price: '0.5', size: '10' });
    const first = await commands.placeOrder({ ...order });
    const again = await commands.placeOrder({ ...order });
    expect(first).toMatchObject({ replayed: false, receipt: { seq: 2 } });
    expect(again).toEqual({ answer: first.answer, replayed: true });
    expect(await published.receiptAt(2)).toEqual(first.receipt);
  });
});
