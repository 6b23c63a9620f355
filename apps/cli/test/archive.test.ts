// A day of the archive while the journal grows: it is written once, and must then have all of its frames.
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeFrame } from '@presage/journal';
import { encodeRecord } from '@presage/protocol';
import { expect, it, onTestFinished } from 'vitest';
import { openStandIn, typeAt } from './stand-in.ts';

const DAY_MS = 86_400_000;
const MIDNIGHT_MS = 22_000 * DAY_MS;
const DAY = new Date(MIDNIGHT_MS - 1).toISOString().slice(0, 10);

/** Frames of a partition of markets at these times, one record each. */
function framesOf(partition: string, timesMs: readonly number[]): string[] {
  const record = encodeRecord({ type: 'token-used', timeMs: 1, keyId: 'any', nonce: '0'.repeat(32), issuedAt: 1 });
  let previousHash = new Uint8Array(32);
  return timesMs.map((timeMs, index) => {
    const bytes = encodeFrame({ partition, epoch: 1, firstSeq: index + 1, timeMs, previousHash }, [record]).slice();
    previousHash = createHash('sha256').update(bytes).digest();
    return Buffer.from(bytes).toString('base64');
  });
}

/** `m0` gets the last frame of a day while `m1` is read, which has one of the next day. */
async function serveAtMidnight(): Promise<string> {
  const first = framesOf('m0', [MIDNIGHT_MS - 2_000, MIDNIGHT_MS - 1]);
  const second = framesOf('m1', [MIDNIGHT_MS - 2_000, MIDNIGHT_MS + 1]);
  let isOver = false;
  const { url, close } = await openStandIn(({ url: path = '' }, response) => {
    const { pathname, searchParams } = new URL(path, 'http://service');
    const name = pathname.split('/').at(-1);
    if (name === 'm1') isOver = true;
    const all = name === 'm1' ? second : first.slice(0, isOver ? 2 : 1);
    const frames = all.slice(Number(searchParams.get('fromSeq')) - 1).map((bytes) => ({ bytes }));
    const page = { frames, nextSeq: all.length + 1, publishedSeq: all.length };
    response.end(JSON.stringify(name === 'head' ? { heads: [{ partition: 'm0' }, { partition: 'm1' }] } : page));
  });
  onTestFinished(close);
  return url;
}

it('a day that ends while the archive is made has the frames that came meanwhile', async () => {
  const out = await mkdtemp(join(tmpdir(), 'presage-archive-'));
  onTestFinished(() => rm(out, { recursive: true, force: true }));
  const { code, text } = await typeAt(await serveAtMidnight(), ['archive', '--out', out]);
  expect(code, text).toBe(0);
  const { partitions } = JSON.parse(await readFile(join(out, DAY, 'manifest.json'), 'utf8'));
  expect(partitions).toMatchObject([
    { partition: 'm0', firstSeq: 1, lastSeq: 2 },
    { partition: 'm1', firstSeq: 1, lastSeq: 1 },
  ]);
});
