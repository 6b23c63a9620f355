// Anchors: written into the journal before they are sent, not without gas, not without news, and known to every node that reads it.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TransactionRequest } from '@presage/chain';
import { hashHeads, type JournalAnchored, LIMITS, type SignedFrame } from '@presage/protocol';
import { expect, it, onTestFinished, vi } from 'vitest';
import { type Anchor, AnchorLedger } from '../../src/proof/anchor-ledger.ts';
import { Anchors, ChainAnchors } from '../../src/proof/anchors.ts';

const CONTRACT = `0x${'aa'.repeat(20)}` as const;

function frame(seq: number): SignedFrame {
  const frameHash = `0x${String(seq).padStart(64, '0')}` as const;
  return { partition: 'm0', firstSeq: seq, lastSeq: seq, frameHash, timeMs: seq, signature: `0x${'00'.repeat(64)}` };
}

function toAnchor(seq: number): Anchor {
  return { hash: hashHeads([frame(seq)]), timeMs: seq, heads: [frame(seq)] };
}

/** The partition of a chain: what is appended is read by every node. */
class Partition {
  readonly records: JournalAnchored[] = [];
  readonly #ledgers: AnchorLedger[] = [];

  open() {
    const ledger = new AnchorLedger();
    for (const record of this.records) ledger.add(record);
    this.#ledgers.push(ledger);
    const append = async (record: JournalAnchored) => {
      this.records.push(record);
      for (const each of this.#ledgers) each.add(record);
    };
    return { ledger, append };
  }
}

async function openAnchors() {
  const dir = mkdtempSync(join(tmpdir(), 'presage-anchors-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const sent: TransactionRequest[] = [];
  const world = { seq: 1, balance: 10n ** 18n, sent, everyMs: 0, nowMs: 5 };
  const heads = () => ({ heads: [frame(world.seq)], hash: hashHeads([frame(world.seq)]) });
  const partition = new Partition();
  const open = (options: Partial<Parameters<typeof Anchors.open>[0]> = {}) =>
    Anchors.open({
      contract: CONTRACT,
      operator: CONTRACT,
      chainId: 1,
      everyMs: world.everyMs,
      journal: partition.open(),
      earlierFiles: [],
      heads,
      sender: { enqueue: async (request) => sent.push(request) as never, status: () => undefined },
      balance: async () => world.balance,
      nowMs: () => world.nowMs,
      onTrouble: (error) => expect.unreachable(String(error)),
      ...options,
    });
  return { world, heads, open, dir, partition };
}

it('anchors new heads once, with an id that names them, and lists them after a restart', async () => {
  const { world, heads, open } = await openAnchors();
  const anchors = await open();
  await anchors.anchor();
  await anchors.anchor();
  const { hash } = heads();
  expect(world.sent).toEqual([
    { operationId: `anchor-${hash}`, to: CONTRACT, data: expect.stringContaining(hash.slice(2)) },
  ]);
  world.seq = 2;
  await anchors.anchor();
  expect(world.sent).toHaveLength(2);
  const again = await open();
  expect(again.ledger.list()).toEqual(anchors.ledger.list());
  expect(again.ledger.list().map((anchor) => hashHeads(anchor.heads))).toEqual(
    again.ledger.list().map((anchor) => anchor.hash),
  );
  await again.anchor();
  expect(world.sent).toHaveLength(2);
});

it('anchors nothing without gas', async () => {
  const { world, open } = await openAnchors();
  world.balance = 0n;
  const anchors = await open();
  expect(await anchors.anchor()).toBeUndefined();
  expect([world.sent, anchors.ledger.list()]).toEqual([[], []]);
});

it('anchors on every chain by itself', async () => {
  const { world, open } = await openAnchors();
  const chains = new ChainAnchors([7, 8], (chainId: number) => open({ chainId, journal: new Partition().open() }));
  await chains.add(8);
  await chains.add(7);
  expect([chains.find()?.place.chainId, chains.find(8)?.place.chainId, chains.find(9)]).toEqual([7, 8, undefined]);
  await chains.find(8)?.anchor();
  expect([chains.find(8)?.ledger.count, chains.find(7)?.ledger.count]).toEqual([1, 0]);
  await chains.find(7)?.anchor();
  expect(world.sent).toHaveLength(2);
  await chains.close();
});

it('carries the files of an earlier version over into the journal, once, in the order of their times', async () => {
  const { open, dir, partition } = await openAnchors();
  const earlierFiles = [join(dir, 'anchors.jsonl'), join(dir, 'anchors-1.jsonl'), join(dir, 'not there')];
  const toLines = (seqs: readonly number[]) => seqs.map((seq) => `${JSON.stringify(toAnchor(seq))}\n`).join('');
  writeFileSync(earlierFiles[0] as string, toLines([1, 3]));
  writeFileSync(earlierFiles[1] as string, toLines([2, 4]));
  const elsewhere = await open();
  await open({ earlierFiles });
  await open({ earlierFiles });
  expect(partition.records).toHaveLength(4);
  // A settler that has no such file lists the same.
  expect(elsewhere.ledger.list()).toEqual([1, 2, 3, 4].map(toAnchor));
});

it('lists the newest and counts all, also those that a checkpoint no longer holds', () => {
  const ledger = new AnchorLedger();
  const anchors = Array.from({ length: LIMITS.journalAnchors + 2 }, (_, seq) => toAnchor(seq));
  for (const anchor of anchors) ledger.add(anchor);
  expect(ledger.list()).toEqual(anchors.slice(2));
  const restored = new AnchorLedger();
  for (const anchor of ledger.list()) restored.add(anchor);
  restored.raiseCount(ledger.count);
  expect([restored.count, restored.list()[0]]).toEqual([LIMITS.journalAnchors + 2, anchors[2]]);
  // What was forgotten is not carried over again.
  for (const anchor of anchors) expect(restored.has(anchor)).toBe(true);
});

it('counts the interval from the last anchor, through restarts: a service that restarts often anchors too', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { world, open } = await openAnchors();
  world.everyMs = 3_600_000;
  world.nowMs = 10 * world.everyMs;
  const first = await open();
  first.start();
  await vi.advanceTimersByTimeAsync(0);
  await first.close();
  expect(world.sent).toHaveLength(1);
  world.seq = 2;
  world.nowMs += world.everyMs - 60_000;
  const second = await open();
  second.start();
  await vi.advanceTimersByTimeAsync(59_999);
  expect(world.sent).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1);
  await second.close();
  expect(world.sent).toHaveLength(2);
});
