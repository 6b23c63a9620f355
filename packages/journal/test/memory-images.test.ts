// Images of memory: the newest one, damage noticed at every byte, never ahead of the journal, never older than a checkpoint.

import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FileJournal, JournalCorrupt } from '../src/index.ts';
import { record, temporaryDir } from './journal-contents.ts';

const imageAt = (seq: number) => ({ seq, parts: [record(`texts at ${seq}`), new Uint8Array(0), record('memory')] });
const checkpointAt = (seq: number) => ({ seq, stateHash: '0'.repeat(64), body: record('state') });
const nameOf = (seq: number) => `memory-${String(seq).padStart(16, '0')}`;

async function setUp(records: number, partition = 'm0') {
  const options = { dir: join(await temporaryDir(), partition), partition, segmentBytes: 4096, growBytes: 4096 };
  const journal = await FileJournal.open(options);
  for (let seq = 1; seq <= records; seq++) await journal.append([record(`record ${seq}`)], seq);
  return { options, journal };
}

test('the newest one is kept, with all its parts, and found by the next owner', async () => {
  const { options, journal } = await setUp(3);
  expect(await journal.readMemory()).toBeUndefined();
  for (const seq of [1, 2, 3]) await journal.writeMemory(imageAt(seq));
  await journal.close();
  expect((await readdir(options.dir)).filter((name) => name.startsWith('memory-'))).toEqual([nameOf(3)]);
  const again = await FileJournal.open(options);
  expect(await again.readMemory()).toEqual({ ...imageAt(3), checkpointSeq: 0 });
  await again.close();
});

test('one damaged at any byte, cut anywhere, under another name or of another partition is passed over', async () => {
  const [{ options, journal }, other] = [await setUp(2), await setUp(2, 'm1')];
  await journal.writeMemory(imageAt(2));
  const path = join(options.dir, nameOf(2));
  const whole = await readFile(path);
  for (let at = 0; at < whole.length; at++) {
    const damaged = Buffer.from(whole);
    damaged[at]! ^= 1 << (at % 8);
    for (const bytes of [damaged, whole.subarray(0, at)]) {
      await writeFile(path, bytes);
      expect(await journal.readMemory(), `byte ${at}`).toBeUndefined();
    }
  }
  await other.journal.writeMemory(imageAt(2));
  await writeFile(path, await readFile(join(other.options.dir, nameOf(2))));
  expect(await journal.readMemory()).toBeUndefined();
  await rm(path);
  await writeFile(join(options.dir, nameOf(1)), whole);
  expect(await journal.readMemory()).toBeUndefined();
  for (const each of [journal, other.journal]) await each.close();
});

test('a checkpoint that is newer goes before it', async () => {
  const { journal } = await setUp(3);
  await journal.writeMemory(imageAt(2));
  await journal.writeCheckpoint(checkpointAt(2));
  expect(await journal.readMemory()).toMatchObject({ seq: 2, checkpointSeq: 2 });
  await journal.writeCheckpoint(checkpointAt(3));
  expect(await journal.readMemory()).toBeUndefined();
  await journal.close();
});

test('one ahead of the journal proves that the tail was lost', async () => {
  const { options, journal } = await setUp(2);
  await expect(journal.writeMemory(imageAt(3))).rejects.toThrow('does not lie within the journal');
  const segment = join(options.dir, '0000000000000001.frames');
  const full = await readFile(segment);
  await journal.writeMemory(imageAt(2));
  await journal.close();
  await writeFile(segment, full.fill(0, full.readUInt32LE(8)));
  await expect(FileJournal.open(options)).rejects.toThrow('records up to sequence 2 were durable');
  await rm(join(options.dir, 'mark'));
  const opened = await FileJournal.open(options);
  await expect(opened.readMemory()).rejects.toThrow(JournalCorrupt);
  await opened.close();
});

test('memory that goes on changing while it is written gives a file that is whole', async () => {
  const { journal } = await setUp(1);
  const memory = new Uint8Array(5 * 1024 * 1024);
  let isWritten = false;
  const writing = journal.writeMemory({ seq: 1, parts: [memory] }).then(() => {
    isWritten = true;
  });
  let changes = 0;
  while (!isWritten) {
    memory.fill(++changes & 255);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await writing;
  expect(changes).toBeGreaterThan(1);
  expect((await journal.readMemory())?.parts[0]).toHaveLength(memory.length);
  await journal.close();
});
