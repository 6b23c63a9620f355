// Power failures and kills at any operation, with unsynced sectors and names lost at random: what was acknowledged is there, in order.

import type { ProcessProbe } from '@presage/runtime/node';
import { isLongRun, SeededRandom, seedFromEnv } from '@presage/testkit';
import { expect, test } from 'vitest';
import { FileJournal, GroupCommit } from '../src/index.ts';
import { readTexts, record } from './journal-contents.ts';
import { SimulatedDisk } from './simulated-disk.ts';

const SEEDS = isLongRun ? 5000 : 100;
const FIRST_SEED = seedFromEnv(1);
const FAILURES_PER_SEED = 6;

/** Each start of the machine is another boot: locks of the previous one are stale. */
function probeOfBoot(boot: number): ProcessProbe {
  const bootId = `boot-${boot}`;
  return { self: async () => ({ pid: 1, startTicks: 1, bootId }), isAlive: async (other) => other.bootId === bootId };
}

function optionsAt(disk: SimulatedDisk, boot: number) {
  const sizes = { segmentBytes: 4096, growBytes: 1500 };
  return { dir: '/journal/m0', partition: 'm0', files: disk, probe: probeOfBoot(boot), ...sizes };
}

/** Writes until the power fails; notes what was pushed, and how much of it was acknowledged. */
async function writeUntilFailure(journal: FileJournal, random: SeededRandom, pushed: string[]): Promise<number> {
  const commits = new GroupCommit({ journal, now: () => 1, targetFrameBytes: 2500 });
  let acknowledged = 0;
  const pusher = async () => {
    for (;;) {
      const text = `${pushed.length} `.padEnd(random.below(900), 'x');
      pushed.push(text);
      const { lastSeq } = await commits.push([record(text)]);
      acknowledged = Math.max(acknowledged, lastSeq);
      if (random.below(20) === 0) {
        await journal.writeCheckpoint({ seq: lastSeq, stateHash: '00'.repeat(32), body: record(String(lastSeq)) });
      }
      if (random.below(20) === 0) await journal.writeMemory({ seq: lastSeq, parts: [record(String(lastSeq))] });
    }
  };
  await Promise.allSettled([pusher(), pusher(), pusher()]);
  await commits.close();
  return acknowledged;
}

async function play(seed: number): Promise<{ records: number; torn: number }> {
  const random = new SeededRandom(seed);
  const disk = new SimulatedDisk();
  let history: string[] = [];
  let torn = 0;
  for (let boot = 0; boot < FAILURES_PER_SEED; boot++) {
    disk.failPowerAfter(random.below(60));
    const pushed = [...history];
    let acknowledged = history.length;
    const journal = await FileJournal.open(optionsAt(disk, boot)).catch(() => undefined);
    if (journal) acknowledged = Math.max(acknowledged, await writeUntilFailure(journal, random, pushed));
    disk.restart(random);
    const recovered = await FileJournal.open(optionsAt(disk, 1000 + boot));
    history = await readTexts(recovered);
    expect(history.length).toBeGreaterThanOrEqual(acknowledged);
    expect(history).toEqual(pushed.slice(0, history.length));
    const { checkpoint } = await recovered.readCheckpoint();
    if (checkpoint) expect(new TextDecoder().decode(checkpoint.body)).toBe(String(checkpoint.seq));
    const image = await recovered.readMemory();
    if (image) expect(new TextDecoder().decode(image.parts[0])).toBe(String(image.seq));
    torn += recovered.recovery.tornBytes > 0 ? 1 : 0;
    await recovered.close();
  }
  return { records: history.length, torn };
}

test(`no acknowledged record is lost in ${SEEDS * FAILURES_PER_SEED} power failures`, async () => {
  let records = 0;
  let torn = 0;
  for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
    const played = await play(seed).catch((error: unknown) => {
      throw new Error(`seed ${seed}: ${error instanceof Error ? error.message : error}`, { cause: error });
    });
    records += played.records;
    torn += played.torn;
  }
  // Otherwise the test would not have met what it is about.
  expect(torn).toBeGreaterThan(SEEDS / 5);
  expect(records).toBeGreaterThan(SEEDS * 10);
});

const KILLS = 250;

test(`what a process acknowledges after another was killed at any of ${KILLS} operations survives the next power failure`, async () => {
  for (let operation = 1; operation <= KILLS; operation++) {
    const random = new SeededRandom(FIRST_SEED + operation);
    const disk = new SimulatedDisk();
    disk.failPowerAfter(operation);
    const killed = await FileJournal.open(optionsAt(disk, 0)).catch(() => undefined);
    if (killed) await writeUntilFailure(killed, random, []);
    disk.startProcess();
    const next = await FileJournal.open(optionsAt(disk, 1));
    const { frame } = await next.append([record('acknowledged')], 1);
    disk.restart(random);
    const recovered = await FileJournal.open(optionsAt(disk, 2));
    expect(recovered.lastSeq, `killed at operation ${operation}`).toBe(frame.lastSeq);
    await recovered.close();
  }
});
