// Reading a journal that belongs to somebody else: beside its writer, after it, and where it is damaged.

import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FileJournal, type Frame, FrameCursor, JournalCorrupt, type JournalFiles, nodeFiles } from '../src/index.ts';
import { record, temporaryDir, texts } from './journal-contents.ts';

const SMALL = { segmentBytes: 2_048, growBytes: 1_024 };

async function readAll(cursor: FrameCursor): Promise<string[]> {
  const frames: Frame[] = [];
  for await (const frame of cursor.read()) frames.push(frame);
  return frames.flatMap(texts);
}

async function write(journal: FileJournal, from: number, to: number): Promise<string[]> {
  const written = Array.from({ length: to - from + 1 }, (_, at) => `record ${from + at}`);
  for (const text of written) await journal.append([record(text)], 1);
  return written;
}

describe('a cursor', () => {
  test('reads beside a live writer over segments, goes on where it was, and leaves no trace', async () => {
    const dir = await temporaryDir();
    const journal = await FileJournal.open({ dir, partition: 'm0', ...SMALL });
    const cursor = new FrameCursor({ dir });
    const first = await write(journal, 1, 30);
    const before = await readdir(dir);
    expect(before.filter((name) => name.endsWith('.frames')).length).toBeGreaterThan(1);
    expect(await readAll(cursor)).toEqual(first);
    expect(await readAll(cursor)).toEqual([]);
    expect(await readdir(dir)).toEqual(before);
    const second = await write(journal, 31, 70);
    expect(await readAll(cursor)).toEqual(second);
    await journal.close();
    expect(await readAll(new FrameCursor({ dir, fromSeq: 65 }))).toEqual(second.slice(-6));
    expect(await readAll(new FrameCursor({ dir, fromSeq: 71 }))).toEqual([]);
  });

  test('never takes a frame being written for damage', async () => {
    const dir = await temporaryDir();
    const journal = await FileJournal.open({ dir, partition: 'm0', ...SMALL });
    const cursor = new FrameCursor({ dir });
    const seen: string[] = [];
    let isWriting = true;
    const writing = write(journal, 1, 400).finally(() => {
      isWriting = false;
    });
    while (isWriting) seen.push(...(await readAll(cursor)));
    seen.push(...(await readAll(cursor)));
    expect(seen).toEqual(await writing);
    await journal.close();
  });

  test('looks again at a bad frame before it calls it damage: its writer may just have finished it', async () => {
    const dir = await temporaryDir();
    const journal = await FileJournal.open({ dir, partition: 'm0', ...SMALL });
    const written = await write(journal, 1, 5);
    await journal.close();
    let looks = 0;
    const open: JournalFiles['open'] = async (path, mode) => {
      const file = await nodeFiles.open(path, mode);
      const read: typeof file.read = async (target, position) => {
        const got = await file.read(target, position);
        // The first look comes before the payload of the first frame does.
        if (looks++ === 0) target.fill(0, Buffer.from(target.buffer, target.byteOffset, got).indexOf('record 1'));
        return got;
      };
      return { ...file, read };
    };
    expect(await readAll(new FrameCursor({ dir, files: { ...nodeFiles, open } }))).toEqual(written);
    expect(looks).toBeGreaterThan(2);
  });

  test('goes on behind the frame it was left at', async () => {
    const dir = await temporaryDir();
    const journal = await FileJournal.open({ dir, partition: 'm0', ...SMALL });
    const written = await write(journal, 1, 5);
    const cursor = new FrameCursor({ dir });
    for await (const frame of cursor.read()) if (frame.lastSeq === 2) break;
    expect(await readAll(cursor)).toEqual(written.slice(2));
    await journal.close();
  });

  test('refuses damaged history, and takes a torn tail for the end', async () => {
    const dir = await temporaryDir();
    const journal = await FileJournal.open({ dir, partition: 'm0', ...SMALL });
    const written = await write(journal, 1, 5);
    await journal.close();
    const path = join(dir, '0000000000000001.frames');
    const whole = await readFile(path);
    const flip = async (text: string) => {
      const bytes = Buffer.from(whole);
      bytes[bytes.indexOf(text)]! ^= 1;
      await writeFile(path, bytes);
    };
    await flip('record 3');
    await expect(readAll(new FrameCursor({ dir }))).rejects.toThrow(JournalCorrupt);
    await flip('record 5');
    expect(await readAll(new FrameCursor({ dir }))).toEqual(written.slice(0, 4));
  });
});
