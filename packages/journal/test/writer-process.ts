// A process that writes a journal as fast as it can and prints what was acknowledged; made to be killed.

import { FileJournal, GroupCommit } from '../src/index.ts';

const [dir, run] = process.argv.slice(2);
if (!dir || !run) throw new Error('usage: writer-process <dir> <run>');

const WRITERS = 24;
// Small segments, so that kills also hit the moment when one follows another.
const journal = await FileJournal.open({ dir, partition: 'm0', segmentBytes: 64 * 1024, growBytes: 16 * 1024 });
const commits = new GroupCommit({ journal, now: Date.now });
await print(`opened ${journal.lastSeq}`);

function print(line: string): Promise<void> {
  return new Promise((resolve) => process.stdout.write(`${line}\n`, () => resolve()));
}

async function write(writer: number): Promise<void> {
  for (let count = 0; ; count++) {
    const text = `run ${run} writer ${writer} count ${count}`;
    const { firstSeq } = await commits.push([Buffer.from(text.padEnd(60 + ((count * 37) % 600), '.'))]);
    await print(`${firstSeq} ${text}`);
    if (firstSeq % 400 === 0) {
      await journal.writeCheckpoint({ seq: firstSeq, stateHash: 'cc'.repeat(32), body: Buffer.from(text) });
    }
  }
}

await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
