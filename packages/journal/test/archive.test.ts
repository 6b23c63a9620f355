// Archived segments: smaller, and to every reader the same as before, also when the process dies while one moves.
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SeededRandom } from '@presage/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { FileJournal, FrameCursor, JournalCorrupt, RecordsDeleted, verifyJournal } from '../src/index.ts';

const SIZES = { segmentBytes: 4_096, growBytes: 1_024 };
const text = (seq: number) => `{"v":1,"type":"order-accepted","number":${seq},"padding":"${'x'.repeat(200)}"}`;

async function openFull(dir: string, archive: boolean): Promise<FileJournal> {
  const journal = await FileJournal.open({ dir, partition: 'm0', archive, ...SIZES });
  while (journal.lastSeq < 100) await journal.append([Buffer.from(text(journal.lastSeq + 1))], 1);
  return journal;
}

function makeDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'presage-archive-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

async function archived(): Promise<string> {
  const dir = makeDir();
  const journal = await openFull(dir, true);
  await journal.writeCheckpoint({ seq: 90, stateHash: 'a'.repeat(64), body: Buffer.from('state') });
  await expect.poll(() => segmentsIn(dir).length, { timeout: 20_000 }).toBe(2);
  await journal.close();
  return dir;
}

const segmentsIn = (dir: string) => readdirSync(dir).filter((name) => name.endsWith('.frames'));
const archiveIn = (dir: string) => readdirSync(join(dir, 'archive'));

async function readAll(frames: AsyncIterable<{ records: readonly Uint8Array[] }>): Promise<string[]> {
  const all: string[] = [];
  for await (const { records } of frames) all.push(...records.map((record) => Buffer.from(record).toString()));
  return all;
}

const expected = Array.from({ length: 100 }, (_, index) => text(index + 1));

describe('the archive of a journal', () => {
  it('holds the full segments before the checkpoint, in less space', async () => {
    const dir = await archived();
    expect(archiveIn(dir).length).toBeGreaterThan(3);
    for (const name of archiveIn(dir)) expect(statSync(join(dir, 'archive', name)).size).toBeLessThan(1_500);
    expect(segmentsIn(dir).every((name) => !archiveIn(dir).includes(`${name}.br`))).toBe(true);
  });

  it('is read, verified and replayed as if nothing had moved', async () => {
    const dir = await archived();
    expect(await readAll(new FrameCursor({ dir }).read())).toEqual(expected);
    expect(await readAll(new FrameCursor({ dir, fromSeq: 20 }).read())).toEqual(expected.slice(19));
    expect(await verifyJournal(dir)).toMatchObject({ frames: 100, records: 100, lastSeq: 100, tornBytes: 0 });
    for (const verify of ['all', 'tail'] as const) {
      const journal = await FileJournal.open({ dir, partition: 'm0', verify, ...SIZES });
      expect(await readAll(journal.read(1))).toEqual(expected);
      expect(await readAll(journal.read(33))).toEqual(expected.slice(32));
      await journal.close();
    }
  });

  it.each([200, 900_000])('still names its first frame, when that has %i bytes', async (length) => {
    const dir = makeDir();
    const journal = await FileJournal.open({ dir, partition: 'm0', archive: true, ...SIZES });
    const random = new SeededRandom(4);
    await journal.append([Buffer.from(random.hex(length / 2))], 1);
    const identity = await journal.identity();
    expect(identity).toBe(journal.headHash);
    while (journal.lastSeq < 100) await journal.append([Buffer.from(text(journal.lastSeq + 1))], 1);
    await journal.writeCheckpoint({ seq: 90, stateHash: 'a'.repeat(64), body: Buffer.from('state') });
    const isArchived = () => !segmentsIn(dir).includes('0000000000000001.frames');
    await expect.poll(isArchived, { timeout: 20_000 }).toBe(true);
    expect(await journal.identity()).toBe(identity);
    await journal.close();
    const opened = await FileJournal.open({ dir, partition: 'm0', verify: 'tail', ...SIZES });
    expect(await opened.identity()).toBe(identity);
    await opened.close();
  });

  it('keeps the hash of every frame: the head is the same as without an archive', async () => {
    const plain = await openFull(makeDir(), false);
    const archiving = await verifyJournal(await archived());
    expect(archiving.headHash).toBe(plain.headHash);
    await plain.close();
  });

  it('lets the segment count while both are there, and finishes the move at the next checkpoint', async () => {
    const dir = makeDir();
    await (await openFull(dir, false)).close();
    const first = segmentsIn(dir).sort()[0] as string;
    copyFileSync(join(dir, first), join(dir, 'kept'));
    const journal = await FileJournal.open({ dir, partition: 'm0', archive: true, ...SIZES });
    await journal.writeCheckpoint({ seq: 90, stateHash: 'a'.repeat(64), body: Buffer.from('state') });
    await expect.poll(() => existsSync(join(dir, first)), { timeout: 20_000 }).toBe(false);
    await journal.close();
    copyFileSync(join(dir, 'kept'), join(dir, first));
    rmSync(join(dir, 'kept'));
    expect(await readAll(new FrameCursor({ dir }).read())).toEqual(expected);
    const again = await FileJournal.open({ dir, partition: 'm0', archive: true, ...SIZES });
    await again.writeCheckpoint({ seq: 95, stateHash: 'a'.repeat(64), body: Buffer.from('state') });
    await expect.poll(() => existsSync(join(dir, first)), { timeout: 20_000 }).toBe(false);
    await again.close();
    expect(await readAll(new FrameCursor({ dir }).read())).toEqual(expected);
  });

  describe('with a time after which it is deleted', () => {
    const checkpoint = (seq: number) => ({ seq, stateHash: 'a'.repeat(64), body: Buffer.from(`state ${seq}`) });

    /** Two checkpoints, at 60 and 90; the archive is two days old. Then a third, at which what is old may go. */
    async function afterDeletion(neededFromSeq: number): Promise<{ dir: string; deleted: string[] }> {
      const dir = makeDir();
      const journal = await openFull(dir, true);
      await journal.writeCheckpoint(checkpoint(60));
      await journal.writeCheckpoint(checkpoint(90));
      await expect.poll(() => segmentsIn(dir).length, { timeout: 20_000 }).toBe(2);
      await journal.close();
      const [before, daysAgo] = [archiveIn(dir), Date.now() / 1_000 - 2 * 86_400];
      for (const name of before) utimesSync(join(dir, 'archive', name), daysAgo, daysAgo);
      const retention = { keptMs: 86_400_000, neededFromSeq: () => neededFromSeq };
      const again = await FileJournal.open({ dir, partition: 'm0', archive: true, retention, ...SIZES });
      await again.writeCheckpoint(checkpoint(95));
      // Waits for what goes on in the background.
      await again.close();
      const left = archiveIn(dir);
      return { dir, deleted: before.filter((name) => !left.includes(name)) };
    }

    /** Leaves the reading in order, so that its file is closed rather than found by the collector. */
    async function firstFrame(dir: string) {
      for await (const frame of new FrameCursor({ dir }).read()) return frame;
      throw new Error(`there is no frame in ${dir}`);
    }

    it('loses its old segments, and what is left is opened, read and proven as before', async () => {
      const whole = await archived();
      const identity = Buffer.from((await firstFrame(whole)).hash).toString('hex');
      const { dir, deleted } = await afterDeletion(Number.POSITIVE_INFINITY);
      expect(deleted.length).toBeGreaterThan(2);
      const { firstSeq, headHash } = await verifyJournal(dir);
      expect(firstSeq).toBeGreaterThan(1);
      expect(headHash).toBe((await verifyJournal(whole)).headHash);
      expect(await readAll(new FrameCursor({ dir }).read())).toEqual(expected.slice(firstSeq - 1));
      for (const verify of ['all', 'tail'] as const) {
        const journal = await FileJournal.open({ dir, partition: 'm0', verify, ...SIZES });
        expect({ firstSeq: journal.firstSeq, identity: await journal.identity() }).toEqual({ firstSeq, identity });
        expect(await readAll(journal.read(firstSeq))).toEqual(expected.slice(firstSeq - 1));
        await expect(readAll(journal.read(firstSeq - 1))).rejects.toThrow(RecordsDeleted);
        await journal.close();
      }
    });

    it('keeps everything after the older checkpoint, and whatever somebody still needs', async () => {
      const { dir } = await afterDeletion(Number.POSITIVE_INFINITY);
      expect((await verifyJournal(dir)).firstSeq).toBeLessThanOrEqual(91);
      const needed = await afterDeletion(30);
      expect((await verifyJournal(needed.dir)).firstSeq).toBeLessThanOrEqual(30);
      expect((await afterDeletion(1)).deleted).toEqual([]);
    });

    it.each(['owner', 'other process'])(
      'tells a reader in the middle of it that records were deleted: %s',
      async (who) => {
        const dir = await archived();
        const daysAgo = Date.now() / 1_000 - 2 * 86_400;
        for (const name of archiveIn(dir)) utimesSync(join(dir, 'archive', name), daysAgo, daysAgo);
        const retention = { keptMs: 86_400_000, neededFromSeq: () => Number.POSITIVE_INFINITY };
        const journal = await FileJournal.open({ dir, partition: 'm0', archive: true, retention, ...SIZES });
        const frames = who === 'owner' ? journal.read(1) : new FrameCursor({ dir }).read();
        expect((await frames.next()).value?.firstSeq).toBe(1);
        const before = archiveIn(dir).length;
        await journal.writeCheckpoint(checkpoint(95));
        await journal.writeCheckpoint(checkpoint(96));
        await expect.poll(() => journal.firstSeq, { timeout: 20_000 }).toBeGreaterThan(1);
        await journal.close();
        expect(archiveIn(dir).length).toBeLessThan(before);
        const { firstSeq } = journal;
        await expect(readAll(frames)).rejects.toMatchObject({ name: RecordsDeleted.name, firstSeq });
      },
    );

    it('is whole again when all of it is put back', async () => {
      const whole = await archived();
      const { dir } = await afterDeletion(Number.POSITIVE_INFINITY);
      cpSync(join(whole, 'archive'), join(dir, 'archive'), { recursive: true });
      expect(await readAll(new FrameCursor({ dir }).read())).toEqual(expected);
      const journal = await FileJournal.open({ dir, partition: 'm0', ...SIZES });
      expect(await readAll(journal.read(1))).toEqual(expected);
      await journal.close();
    });

    it('survives a kill between the note and the deletion', async () => {
      const { dir, deleted } = await afterDeletion(Number.POSITIVE_INFINITY);
      const { firstSeq } = await verifyJournal(dir);
      const whole = await archived();
      for (const name of deleted.slice(1)) copyFileSync(join(whole, 'archive', name), join(dir, 'archive', name));
      expect((await verifyJournal(dir)).firstSeq).toBe(firstSeq);
      expect(await readAll(new FrameCursor({ dir }).read())).toEqual(expected.slice(firstSeq - 1));
    });

    it('says so when nobody can tell where it begins', async () => {
      const { dir } = await afterDeletion(Number.POSITIVE_INFINITY);
      writeFileSync(join(dir, 'origin'), 'presage-origin 1 m0 17');
      await expect(verifyJournal(dir)).rejects.toThrow('where the journal begins is damaged');
      rmSync(join(dir, 'origin'));
      await expect(verifyJournal(dir)).rejects.toThrow('are missing');
    });
  });

  it('is found out when it is damaged', async () => {
    const dir = await archived();
    const name = join(dir, 'archive', archiveIn(dir)[1] as string);
    writeFileSync(name, Buffer.alloc(statSync(name).size, 7));
    await expect(verifyJournal(dir)).rejects.toThrow(JournalCorrupt);
  });
});
