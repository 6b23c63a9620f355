// Anchors: written down before they are sent, not without gas, not without news, and known after a restart.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TransactionRequest } from '@presage/chain';
import { hashHeads, type SignedFrame } from '@presage/protocol';
import { expect, it, onTestFinished, vi } from 'vitest';
import { Anchors } from '../../src/proof/anchors.ts';

const CONTRACT = `0x${'aa'.repeat(20)}` as const;

function frame(seq: number): SignedFrame {
  const frameHash = `0x${String(seq).padStart(64, '0')}` as const;
  return { partition: 'm0', firstSeq: seq, lastSeq: seq, frameHash, timeMs: seq, signature: `0x${'00'.repeat(64)}` };
}

async function openAnchors() {
  const dir = mkdtempSync(join(tmpdir(), 'presage-anchors-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const sent: TransactionRequest[] = [];
  const world = { seq: 1, balance: 10n ** 18n, sent, everyMs: 0, nowMs: 5 };
  const heads = () => ({ heads: [frame(world.seq)], hash: hashHeads([frame(world.seq)]) });
  const open = () =>
    Anchors.open({
      contract: CONTRACT,
      operator: CONTRACT,
      chainId: 1,
      everyMs: world.everyMs,
      file: join(dir, 'anchors.jsonl'),
      heads,
      sender: { enqueue: async (request) => sent.push(request) as never, status: () => undefined },
      balance: async () => world.balance,
      nowMs: () => world.nowMs,
      onTrouble: (error) => expect.unreachable(String(error)),
    });
  return { world, heads, open };
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
  expect(again.list()).toEqual(anchors.list());
  expect(again.list().map((anchor) => hashHeads(anchor.heads))).toEqual(again.list().map((anchor) => anchor.hash));
  await again.anchor();
  expect(world.sent).toHaveLength(2);
});

it('anchors nothing without gas', async () => {
  const { world, open } = await openAnchors();
  world.balance = 0n;
  const anchors = await open();
  expect(await anchors.anchor()).toBeUndefined();
  expect([world.sent, anchors.list()]).toEqual([[], []]);
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
