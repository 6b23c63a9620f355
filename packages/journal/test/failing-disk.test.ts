// A disk that fails: full, broken at any operation, or writing less than asked.

import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { FileJournal, GroupCommit, JournalPoisoned } from '../src/index.ts';
import { FaultyFiles, type FileOperation } from './faulty-files.ts';
import { readTexts, record, temporaryDir } from './journal-contents.ts';

async function setUp() {
  const files = new FaultyFiles();
  return { dir: join(await temporaryDir(), 'm0'), partition: 'm0', segmentBytes: 1024, growBytes: 512, files };
}

const payload = (index: number) => record(String(index).padEnd(100, '.'));

function failure(code: string): Error {
  return Object.assign(new Error(`${code}: no luck`), { code });
}

test.each<[FileOperation, string]>([
  ['write', 'EIO'],
  ['datasync', 'EIO'],
  ['create', 'EMFILE'],
  ['rename', 'EIO'],
  ['syncDir', 'EIO'],
])('a failing %s poisons the journal for good and loses nothing acknowledged', async (operation, code) => {
  const options = await setUp();
  const journal = await FileJournal.open(options);
  const acknowledged: string[] = [];
  for (let index = 0; index < 3; index++) {
    await journal.append([payload(index)], 1);
    acknowledged.push(String(index));
  }
  options.files.failOnce(operation, failure(code));
  const appendUntilRefused = async () => {
    for (let index = 3; index < 20; index++) {
      await journal.append([payload(index)], 1);
      acknowledged.push(String(index));
    }
  };
  const error = await appendUntilRefused().catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(JournalPoisoned);
  expect(error).toMatchObject({ cause: { code } });
  // The disk is well again, and still nothing is retried.
  await expect(journal.append([payload(99)], 1)).rejects.toBe(error);
  await journal.close();
  const again = await FileJournal.open(options);
  const survived = (await readTexts(again)).map((text) => text.replaceAll('.', ''));
  expect(survived.slice(0, acknowledged.length)).toEqual(acknowledged);
  expect(survived.length).toBeLessThanOrEqual(acknowledged.length + 1);
  await again.close();
});

test('a disk that is full before a frame is begun is waited for, and nothing is lost or refused', async () => {
  const options = await setUp();
  const journal = await FileJournal.open(options);
  let refusals = 0;
  options.files.fault = (operation) => (operation === 'create' && refusals++ < 1 ? failure('ENOSPC') : undefined);
  for (let index = 0; index < 12; index++) await journal.append([payload(index)], 1);
  expect(refusals, 'a new segment found no room at first').toBeGreaterThan(1);
  await journal.close();
  const again = await FileJournal.open(options);
  expect(await readTexts(again)).toEqual(Array.from({ length: 12 }, (_, index) => String(index).padEnd(100, '.')));
  expect(again.recovery.tornBytes).toBe(0);
  await again.close();
});

test('short writes are completed', async () => {
  const options = await setUp();
  options.files.writeLimit = 7;
  const journal = await FileJournal.open(options);
  for (let index = 0; index < 8; index++) await journal.append([payload(index)], 1);
  await journal.close();
  const again = await FileJournal.open(options);
  expect(again.recovery).toMatchObject({ records: 8, tornBytes: 0 });
  await again.close();
});

test('a write that makes no progress poisons rather than spins', async () => {
  const options = await setUp();
  const journal = await FileJournal.open(options);
  options.files.writeLimit = 0;
  await expect(journal.append([payload(0)], 1)).rejects.toThrow(JournalPoisoned);
  await journal.close();
});

test('a write that fails half way leaves a torn tail that the next opening cuts', async () => {
  const options = await setUp();
  const journal = await FileJournal.open(options);
  await journal.append([payload(0)], 1);
  options.files.writeLimit = 150;
  let writes = 0;
  options.files.fault = (operation) => (operation === 'write' && ++writes === 2 ? failure('ENOSPC') : undefined);
  await expect(journal.append([payload(1)], 1)).rejects.toThrow('ENOSPC');
  await journal.close();
  options.files.fault = () => undefined;
  const again = await FileJournal.open(options);
  expect(again).toMatchObject({ lastSeq: 1, recovery: { tornBytes: 150 } });
  await again.append([payload(2)], 1);
  await again.close();
});

test('the bytes of a frame are written once, and synced once', async () => {
  const options = await setUp();
  const journal = await FileJournal.open({ ...options, segmentBytes: 1024 * 1024, growBytes: 1024 * 1024 });
  const operations: string[] = [];
  options.files.fault = (operation) => void operations.push(operation);
  await journal.append([payload(0), payload(1)], 1);
  await journal.append([payload(2)], 1);
  expect(operations).toEqual(['write', 'datasync', 'write', 'datasync']);
  await journal.close();
});

test('while one frame syncs the pushes gather into the next one, and no frame overtakes', async () => {
  const options = await setUp();
  const journal = await FileJournal.open({ ...options, segmentBytes: 1024 * 1024, growBytes: 1024 * 1024 });
  const commits = new GroupCommit({ journal, now: () => 1 });
  const frames: number[] = [];
  journal.subscribe((frame) => frames.push(frame.records.length));
  let pushed = 0;
  const pushes: Promise<unknown>[] = [];
  let busy = false;
  options.files.fault = (operation) => {
    if (operation === 'write') {
      expect(busy).toBe(false);
      busy = true;
    }
    if (operation === 'datasync') {
      busy = false;
      for (let count = 0; count < 5 && pushed < 20; count++) pushes.push(commits.push([payload(pushed++)]));
    }
    return undefined;
  };
  pushes.push(commits.push([payload(pushed++)]));
  pushes.push(commits.push([payload(pushed++)]));
  for (let settled = 0; settled < pushes.length; settled++) await pushes[settled];
  await commits.close();
  expect(frames).toEqual([2, 5, 5, 5, 3]);
  expect(commits.nextSeq).toBe(21);
  await journal.close();
});

test('a checkpoint that cannot be written harms neither the journal nor the previous one', async () => {
  const options = await setUp();
  const journal = await FileJournal.open(options);
  const checkpoint = (seq: number) => ({ seq, stateHash: '11'.repeat(32), body: payload(seq) });
  await journal.append([payload(0)], 1);
  await journal.writeCheckpoint(checkpoint(1));
  await journal.append([payload(1)], 1);
  for (const operation of ['create', 'write', 'datasync', 'rename'] as const) {
    options.files.fault = (current, path) =>
      current === operation && path.includes('checkpoint-') ? failure('ENOSPC') : undefined;
    await expect(journal.writeCheckpoint(checkpoint(2))).rejects.toThrow('ENOSPC');
  }
  options.files.fault = () => undefined;
  expect((await journal.readCheckpoint()).checkpoint?.seq).toBe(1);
  await journal.append([payload(2)], 1);
  await journal.writeCheckpoint(checkpoint(2));
  expect((await journal.readCheckpoint()).checkpoint?.seq).toBe(2);
  await journal.close();
});

test('a frame is not acknowledged when the sync of the space behind it fails meanwhile', async () => {
  const options = await setUp();
  const held: { readonly resolve: () => void; readonly reject: (error: Error) => void }[] = [];
  let isHolding = false;
  const { files } = options;
  const open = files.open.bind(files);
  files.open = async (...args) => {
    const file = await open(...args);
    const sync = () => (isHolding ? new Promise<void>((resolve, reject) => held.push({ resolve, reject })) : undefined);
    return { ...file, datasync: async () => (await sync()) ?? file.datasync() };
  };
  const journal = await FileJournal.open({ ...options, segmentBytes: 8_192, growBytes: 2_048 });
  await journal.append([record('.'.repeat(500))], 1);
  isHolding = true;
  // This frame leaves less than half of a step: the next one is allocated in the background.
  const second = journal.append([record('.'.repeat(500))], 1);
  await vi.waitFor(() => expect(held).toHaveLength(1));
  held.shift()?.resolve();
  await second;
  await vi.waitFor(() => expect(held).toHaveLength(1));
  const third = journal.append([payload(2)], 1);
  await vi.waitFor(() => expect(held).toHaveLength(2));
  const [ofSpace, ofFrame] = held;
  ofSpace?.reject(failure('EIO'));
  ofFrame?.resolve();
  await expect(third).rejects.toBeInstanceOf(JournalPoisoned);
  isHolding = false;
  await journal.close();
});
