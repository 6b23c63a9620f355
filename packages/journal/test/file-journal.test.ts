// The file body against the exported suite, and what only files have: segments, preallocation, failing disks.

import { copyFile, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { crc32c } from '../src/crc32c.ts';
import { FileJournal, type FileJournalOptions, JournalCorrupt, verifyJournal } from '../src/index.ts';
import { describeJournal } from './conformance.ts';
import { FaultyFiles } from './faulty-files.ts';
import { readFrames, readTexts, record, temporaryDir } from './journal-contents.ts';

describeJournal(
  'FileJournal',
  async (partition) => {
    const dir = await temporaryDir();
    const files = new FaultyFiles();
    // Segments so small that even this suite rolls them over.
    const options = { dir: join(dir, partition), partition, files, segmentBytes: 512, growBytes: 256 };
    return {
      open: () => FileJournal.open(options),
      failNextWrite: (error) => files.failOnce('write', error),
      destroy: () => rm(dir, { recursive: true }),
    };
  },
  { leases: false },
);

async function setUp(extra: Partial<FileJournalOptions> = {}): Promise<FileJournalOptions> {
  return {
    dir: join(await temporaryDir(), 'deep', 'm0'),
    partition: 'm0',
    segmentBytes: 1024,
    growBytes: 512,
    ...extra,
  };
}

async function segmentsOf(dir: string): Promise<{ name: string; bytes: Buffer }[]> {
  const names = (await readdir(dir)).filter((name) => name.endsWith('.frames')).sort();
  return Promise.all(names.map(async (name) => ({ name, bytes: await readFile(join(dir, name)) })));
}

/** Frames of exactly 200 bytes: five fit in a segment of 1024. */
function frameOf200(index: number): Uint8Array[] {
  return [record(String(index).padEnd(100, '.'))];
}

async function fill(journal: FileJournal, frames: number): Promise<void> {
  for (let index = 0; index < frames; index++) await journal.append(frameOf200(index), index);
}

test('a full segment is followed by one that is named after its first sequence', async () => {
  const options = await setUp();
  const journal = await FileJournal.open(options);
  await fill(journal, 12);
  const segments = await segmentsOf(options.dir);
  expect(segments.map(({ name }) => name)).toEqual([
    '0000000000000001.frames',
    '0000000000000006.frames',
    '0000000000000011.frames',
  ]);
  expect(await readFrames(journal, 7)).toMatchObject([7, 8, 9, 10, 11, 12].map((firstSeq) => ({ firstSeq })));
  await journal.close();
  const again = await FileJournal.open(options);
  expect(again.recovery).toEqual({ frames: 12, records: 12, tornBytes: 0, markDamaged: false });
  await again.close();
});

test('space is allocated ahead of the tail, and frames never make a segment longer', async () => {
  const options = await setUp({ segmentBytes: 4096, growBytes: 1024 });
  const journal = await FileJournal.open(options);
  const path = join(options.dir, '0000000000000001.frames');
  expect((await stat(path)).size).toBe(1024);
  for (let index = 0; index < 20; index++) {
    await journal.append(frameOf200(index), 1);
    expect((await stat(path)).size).toBeGreaterThanOrEqual((index + 1) * 200);
    expect((await stat(path)).size % 1024).toBe(0);
  }
  expect((await stat(path)).size).toBe(4096);
  const [segment] = await segmentsOf(options.dir);
  expect(segment!.bytes.subarray(4000).every((byte) => byte === 0)).toBe(true);
  await journal.close();
});

test('a frame larger than a segment gets a segment of its own size', async () => {
  const options = await setUp();
  const journal = await FileJournal.open(options);
  const large = [record('x'.repeat(5000))];
  await journal.append(large, 1);
  await journal.append([record('small')], 1);
  await journal.append(large, 1);
  await journal.append([record('small')], 1);
  expect((await segmentsOf(options.dir)).map(({ bytes }) => bytes.length)).toEqual([5100, 512, 5100, 512]);
  await journal.close();
  const again = await FileJournal.open(options);
  expect((await readTexts(again)).map((text) => text.length)).toEqual([5000, 5, 5000, 5]);
  await again.close();
});

test('reading from the middle of a long journal begins near it and finds the right record', async () => {
  const options = await setUp({ segmentBytes: 4 * 1024 * 1024, growBytes: 1024 * 1024 });
  const journal = await FileJournal.open(options);
  for (let index = 0; index < 60; index++) {
    await journal.append([record(`${2 * index + 1} `.padEnd(50_000)), record(`${2 * index + 2} `.padEnd(50_000))], 1);
  }
  for (const reader of [journal, undefined]) {
    if (!reader) await journal.close();
    const open = reader ?? (await FileJournal.open(options));
    for (const seq of [1, 2, 3, 61, 80, 119, 120]) {
      for await (const frame of open.read(seq)) {
        expect([frame.firstSeq, Number.parseInt(Buffer.from(frame.records[0]!).toString(), 10)]).toEqual([seq, seq]);
        break;
      }
    }
    await open.close();
  }
});

test('opening the tail alone skips what is before the mark, which readers still check', async () => {
  const options = await setUp({ verify: 'tail' });
  const journal = await FileJournal.open(options);
  await fill(journal, 12);
  await journal.close();
  const again = await FileJournal.open(options);
  expect(again).toMatchObject({ lastSeq: 12, headHash: journal.headHash, recovery: { frames: 1 } });
  expect(await readTexts(again)).toHaveLength(12);
  await again.append(frameOf200(13), 1);
  await again.close();
  const path = join(options.dir, '0000000000000001.frames');
  const bytes = await readFile(path);
  bytes[150]! ^= 1;
  await writeFile(path, bytes);
  const damaged = await FileJournal.open(options);
  expect(await readTexts(damaged, 6)).toHaveLength(8);
  await expect(readTexts(damaged)).rejects.toThrow(JournalCorrupt);
  await damaged.close();
});

/** Five frames in one segment, with the mark at the third, as a process leaves them that was killed. */
async function setUpMarked(): Promise<FileJournalOptions & { readonly mark: string }> {
  const options = await setUp({ verify: 'tail' });
  const mark = join(options.dir, 'mark');
  const journal = await FileJournal.open(options);
  await fill(journal, 3);
  await journal.writeMemory({ seq: 3, parts: [] });
  const raised = await readFile(mark);
  await fill(journal, 2);
  await journal.close();
  await writeFile(mark, raised);
  return { ...options, mark };
}

test('opening the tail alone begins at the frame of the mark, inside its segment', async () => {
  const options = await setUpMarked();
  const path = join(options.dir, '0000000000000001.frames');
  const bytes = await readFile(path);
  bytes[350]! ^= 1;
  await writeFile(path, bytes);
  const journal = await FileJournal.open(options);
  expect(journal).toMatchObject({ lastSeq: 5, epoch: 2, recovery: { frames: 3, tornBytes: 0 } });
  expect(await readTexts(journal, 3).catch(String)).toContain('JournalCorrupt');
  await journal.append(frameOf200(6), 9);
  await journal.close();
  await expect(verifyJournal(options.dir)).rejects.toThrow(JournalCorrupt);
});

test('readers of the tail begin at the frame of the mark, too', async () => {
  const options = await setUp({ verify: 'tail', segmentBytes: 4 * 1024 * 1024 });
  const journal = await FileJournal.open(options);
  for (let index = 1; index <= 3; index++) await journal.append([record('.'.repeat(300_000))], index);
  await journal.close();
  const path = join(options.dir, '0000000000000001.frames');
  const bytes = await readFile(path);
  bytes[150]! ^= 1;
  await writeFile(path, bytes);
  const again = await FileJournal.open(options);
  expect(await readTexts(again, 3)).toHaveLength(1);
  await expect(readTexts(again, 2)).rejects.toThrow(JournalCorrupt);
  await again.close();
});

test('a mark without the place of its frame, or with another, opens the whole segment', async () => {
  const options = await setUpMarked();
  const [, , partition, seq, hash, firstSeq] = (await readFile(options.mark, 'latin1')).split(' ');
  for (const line of [
    `presage-mark 1 ${partition} ${seq} ${hash}`,
    `presage-mark 2 ${partition} ${seq} ${hash} ${firstSeq} 200`,
    `presage-mark 2 ${partition} ${seq} ${hash} ${firstSeq} 123456`,
  ]) {
    const checksum = crc32c(Buffer.from(line, 'latin1')).toString(16).padStart(8, '0');
    await writeFile(options.mark, `${line} ${checksum}\n`);
    const journal = await FileJournal.open(options);
    expect(journal).toMatchObject({ lastSeq: 5, recovery: { frames: 5, markDamaged: false } });
    expect(await readTexts(journal)).toHaveLength(5);
    await journal.close();
  }
});

async function expectGapWhenRead(options: FileJournalOptions): Promise<void> {
  const journal = await FileJournal.open(options);
  for (const fromSeq of [1, 6, 7, 10]) await expect(readTexts(journal, fromSeq)).rejects.toThrow(JournalCorrupt);
  expect(await readTexts(journal, 11)).toHaveLength(2);
  await journal.close();
}

test('a missing segment is corruption, whichever it is', async () => {
  for (const [lost, reason] of [
    ['0000000000000001.frames', 'records 1 to 5 are missing'],
    ['0000000000000006.frames', 'records 6 to 10 are missing'],
    ['0000000000000011.frames', 'its tail was lost'],
  ] as const) {
    const options = await setUp();
    const journal = await FileJournal.open(options);
    await fill(journal, 12);
    await journal.close();
    await rm(join(options.dir, lost));
    await expect(FileJournal.open(options)).rejects.toThrow(reason);
    if (lost === '0000000000000006.frames') await expectGapWhenRead({ ...options, verify: 'tail' });
    else await expect(FileJournal.open({ ...options, verify: 'tail' })).rejects.toThrow(reason);
    await expect(verifyJournal(options.dir)).rejects.toThrow(reason);
  }
});

test('frames of another journal are refused although each is whole', async () => {
  const [ours, theirs] = [await setUp(), await setUp({ partition: 'm1' })];
  for (const options of [ours, theirs]) {
    const journal = await FileJournal.open(options);
    await fill(journal, 3);
    await journal.close();
  }
  const name = '0000000000000001.frames';
  await copyFile(join(theirs.dir, name), join(ours.dir, name));
  await expect(FileJournal.open(ours)).rejects.toThrow('a frame of partition m1');
});

test('a history that was rewritten with good checksums breaks the hash chain', async () => {
  const [options, otherOptions] = [await setUp(), await setUp()];
  const [journal, other] = [await FileJournal.open(options), await FileJournal.open(otherOptions)];
  await fill(journal, 3);
  await other.append([record('forged'.padEnd(100))], 0);
  await fill(other, 2);
  await journal.close();
  await other.close();
  const forged = (await segmentsOf(otherOptions.dir))[0]!.bytes;
  const path = join(options.dir, '0000000000000001.frames');
  const bytes = await readFile(path);
  forged.copy(bytes, 0, 0, 200);
  await writeFile(path, bytes);
  const error = await FileJournal.open(options).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(JournalCorrupt);
  expect(error).toMatchObject({ file: path, offset: 200, expectedSeq: 2, reason: 'the hash chain is broken' });
});

test('the journal is verified without being changed', async () => {
  const options = await setUp();
  const journal = await FileJournal.open(options);
  await fill(journal, 12);
  await journal.close();
  const before = await segmentsOf(options.dir);
  expect(await verifyJournal(options.dir)).toEqual({
    partition: 'm0',
    segments: 3,
    frames: 12,
    records: 12,
    firstSeq: 1,
    lastSeq: 12,
    tornBytes: 0,
    headHash: journal.headHash,
    markDamaged: false,
  });
  expect(await segmentsOf(options.dir)).toEqual(before);
  expect((await readdir(options.dir)).sort()).toEqual([...before.map(({ name }) => name), 'mark']);
});

test('a directory that is not there is not reported as a sound journal', async () => {
  await expect(verifyJournal(join(await temporaryDir(), 'elsewhere'))).rejects.toThrow('ENOENT');
});

test('a damaged mark is reported and replaced', async () => {
  const options = await setUp();
  const journal = await FileJournal.open(options);
  await fill(journal, 2);
  await journal.close();
  const mark = await readFile(join(options.dir, 'mark'));
  for (let index = 0; index < mark.length; index++) {
    await writeFile(
      join(options.dir, 'mark'),
      mark.map((byte, at) => (at === index ? byte ^ 0x10 : byte)),
    );
    expect(await verifyJournal(options.dir), `byte ${index}`).toMatchObject({ markDamaged: true });
  }
  const again = await FileJournal.open(options);
  expect(again.recovery.markDamaged).toBe(true);
  await again.close();
  expect(await verifyJournal(options.dir)).toMatchObject({ markDamaged: false });
});
