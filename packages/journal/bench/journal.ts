// Measures a file journal on this machine: appends by many callers through group commit, and a full checked replay.

import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileJournal, GroupCommit, verifyJournal } from '../src/index.ts';

const RECORDS = Number(process.argv[2] ?? 1_000_000);
const PUSHERS = Number(process.argv[3] ?? 1000);
const record = Buffer.alloc(400, '{"type":"order-accepted"}');

async function timed(run: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await run();
  return performance.now() - start;
}

async function measureAppends(journal: FileJournal): Promise<{ ms: number; frames: number; latencies: number[] }> {
  const commits = new GroupCommit({ journal, now: Date.now });
  const latencies: number[] = [];
  let frames = 0;
  let left = RECORDS;
  journal.subscribe(() => frames++);
  const pusher = async () => {
    while (left-- > 0) {
      const start = performance.now();
      await commits.push([record]);
      latencies.push(performance.now() - start);
    }
  };
  const ms = await timed(async () => void (await Promise.all(Array.from({ length: PUSHERS }, pusher))));
  return { ms, frames, latencies: latencies.sort((a, b) => a - b) };
}

function perSecond(count: number, ms: number): string {
  return `${Math.round((count / ms) * 1000).toLocaleString('en')}/s`;
}

const dir = await mkdtemp(join(tmpdir(), 'presage-journal-bench-'));
try {
  const options = { dir: join(dir, 'm0'), partition: 'm0' };
  let journal = await FileJournal.open(options);
  const { ms, frames, latencies } = await measureAppends(journal);
  const at = (share: number) => latencies[Math.floor((latencies.length - 1) * share)]!.toFixed(2);
  await journal.close();
  console.log(
    `node ${process.version}, ${process.arch}, ${availableParallelism()} cores, records of ${record.length} bytes, ${tmpdir()}`,
  );
  console.log(`append  ${RECORDS} records by ${PUSHERS} callers: ${perSecond(RECORDS, ms)}, ${frames} frames`);
  console.log(`        latency ms: median ${at(0.5)}, p99 ${at(0.99)}, worst ${at(1)}`);

  const verifyMs = await timed(async () => void (await verifyJournal(options.dir)));
  console.log(`verify  ${verifyMs.toFixed(0)} ms, ${perSecond(RECORDS, verifyMs)}`);
  const openMs = await timed(async () => {
    journal = await FileJournal.open({ ...options, verify: 'tail' });
  });
  let count = 0;
  const readMs = await timed(async () => {
    for await (const frame of journal.read(1)) count += frame.records.length;
  });
  console.log(`open    ${openMs.toFixed(0)} ms with verify: tail`);
  console.log(`replay  ${count} records in ${readMs.toFixed(0)} ms, ${perSecond(count, readMs)}`);
  await journal.close();

  const fresh = await timed(async () => (await FileJournal.open({ dir: join(dir, 'm1'), partition: 'm1' })).close());
  console.log(`create  ${fresh.toFixed(1)} ms for a first opening and closing`);
} finally {
  await rm(dir, { recursive: true });
}
