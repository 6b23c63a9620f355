// Ways of looking at records and journals that read well in tests.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Frame, JournalReader } from '../src/index.ts';

export function record(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

export function texts(frame: Frame): string[] {
  return frame.records.map((bytes) => new TextDecoder().decode(bytes));
}

export async function readFrames(journal: JournalReader, fromSeq = 1): Promise<Frame[]> {
  const frames: Frame[] = [];
  for await (const frame of journal.read(fromSeq)) frames.push(frame);
  return frames;
}

/** All records in order, as text. */
export async function readTexts(journal: JournalReader, fromSeq = 1): Promise<string[]> {
  return (await readFrames(journal, fromSeq)).flatMap(texts);
}

/** A directory that is removed when the test is over. */
export async function temporaryDir(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'presage-journal-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return dir;
}
