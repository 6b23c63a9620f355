// Checkpoint files: the newest two, damage noticed at every byte, and never ahead of the journal.

import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FileJournal, JournalCorrupt } from '../src/index.ts';
import { record, temporaryDir } from './journal-contents.ts';

const hashOf = (seq: number) => String(seq).padStart(64, '0');
const checkpointAt = (seq: number) => ({ seq, stateHash: hashOf(seq), body: record(`state at ${seq}`) });

async function setUp(records: number) {
  const options = { dir: join(await temporaryDir(), 'm0'), partition: 'm0', segmentBytes: 4096, growBytes: 4096 };
  const journal = await FileJournal.open(options);
  for (let seq = 1; seq <= records; seq++) await journal.append([record(`record ${seq}`)], seq);
  return { options, journal };
}

async function checkpointsIn(dir: string): Promise<string[]> {
  return (await readdir(dir)).filter((name) => name.startsWith('checkpoint-')).sort();
}

test('the newest two are kept', async () => {
  const { options, journal } = await setUp(5);
  for (let seq = 1; seq <= 5; seq++) await journal.writeCheckpoint(checkpointAt(seq));
  expect(await checkpointsIn(options.dir)).toEqual(['checkpoint-0000000000000004', 'checkpoint-0000000000000005']);
  expect(await journal.readCheckpoint()).toEqual({
    checkpoint: { seq: 5, stateHash: hashOf(5), body: expect.any(Uint8Array) },
    damaged: [],
  });
  await journal.close();
});

test('a checkpoint damaged at any byte is passed over for the previous one, and said to be', async () => {
  const { options, journal } = await setUp(2);
  for (const seq of [1, 2]) await journal.writeCheckpoint(checkpointAt(seq));
  const path = join(options.dir, 'checkpoint-0000000000000002');
  const whole = await readFile(path);
  for (let at = 0; at < whole.length; at++) {
    for (const damaged of [whole.subarray(0, at), Buffer.from(whole)]) {
      if (damaged.length === whole.length) damaged[at]! ^= 1 << (at % 8);
      await writeFile(path, damaged);
      const found = await journal.readCheckpoint();
      expect(found.checkpoint?.seq, `byte ${at}`).toBe(1);
      expect(new TextDecoder().decode(found.checkpoint?.body)).toBe('state at 1');
      expect(found.damaged).toEqual([expect.stringContaining(path)]);
    }
  }
  await writeFile(join(options.dir, 'checkpoint-0000000000000001'), 'nonsense');
  const found = await journal.readCheckpoint();
  expect(found.checkpoint).toBeUndefined();
  expect(found.damaged).toHaveLength(2);
  await journal.close();
});

test('a checkpoint under another name or of another partition is passed over', async () => {
  const [ours, theirs] = [await setUp(3), await setUp(3)];
  await theirs.journal.close();
  const other = await FileJournal.open({ ...theirs.options, dir: `${theirs.options.dir}-other`, partition: 'm1' });
  await other.append([record('a')], 1);
  await other.writeCheckpoint(checkpointAt(1));
  await other.close();
  await ours.journal.writeCheckpoint(checkpointAt(2));
  const foreign = await readFile(join(`${theirs.options.dir}-other`, 'checkpoint-0000000000000001'));
  await writeFile(join(ours.options.dir, 'checkpoint-0000000000000003'), foreign);
  const found = await ours.journal.readCheckpoint();
  expect(found).toMatchObject({ checkpoint: { seq: 2 }, damaged: [expect.stringContaining('belongs elsewhere')] });
  await ours.journal.close();
});

test('a checkpoint ahead of the journal proves that the tail was lost', async () => {
  const { options, journal } = await setUp(3);
  const segment = join(options.dir, '0000000000000001.frames');
  const full = await readFile(segment);
  await journal.writeCheckpoint(checkpointAt(3));
  await journal.close();
  const lengths = [full.readUInt32LE(8), full.readUInt32LE(full.readUInt32LE(8) + 8)];
  await writeFile(segment, full.fill(0, lengths[0]! + lengths[1]!));
  await expect(FileJournal.open(options)).rejects.toThrow(
    'records up to sequence 3 were durable, but the journal ends at 2',
  );
  // Without the mark the checkpoint itself still shows it.
  await rm(join(options.dir, 'mark'));
  const opened = await FileJournal.open(options);
  await expect(opened.readCheckpoint()).rejects.toThrow(JournalCorrupt);
  await opened.close();
});

test('an unfinished checkpoint of a crash is removed', async () => {
  const { options, journal } = await setUp(2);
  await journal.writeCheckpoint(checkpointAt(1));
  await journal.close();
  await writeFile(join(options.dir, 'checkpoint-0000000000000002.tmp'), 'half');
  const again = await FileJournal.open(options);
  expect((await again.readCheckpoint()).checkpoint?.seq).toBe(1);
  expect((await readdir(options.dir)).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  await again.close();
});

test('checkpoints asked for together are written one after another', async () => {
  const { options, journal } = await setUp(4);
  await Promise.all([4, 2, 4, 3].map((seq) => journal.writeCheckpoint(checkpointAt(seq))));
  expect((await journal.readCheckpoint()).checkpoint?.seq).toBe(4);
  expect(await checkpointsIn(options.dir)).toHaveLength(2);
  await journal.close();
});
