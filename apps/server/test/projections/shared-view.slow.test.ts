// Several processes share one view: one of them writes it, whatever is done to it, and what it comes to is what the journal says.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { PostgresJournal } from '@presage/journal';
import { inheritedEnvironment, isLongRun, RUNNER, SeededRandom, seedFromEnv, waitFor } from '@presage/testkit';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { PartitionLog } from '../../src/host/partition-log.ts';
import { openJournalDatabase } from '../../src/store/journal-database.ts';
import { PlayedHistory } from './played-history.ts';
import { expectSameView } from './same-view.ts';
import { ViewFixture } from './view-fixture.ts';

const PROCESS = fileURLToPath(new URL('shared-view-process.ts', import.meta.url));
const SEED = seedFromEnv(40);
const LEASE_MS = 1_000;
const FAULTS = isLongRun ? 20 : 2;
/** Between two groups of records: whoever writes the view has always something to write, and more would show no more. */
const PAUSE_MS = isLongRun ? 0 : 10;

class Sharer {
  readonly #child: ChildProcess;
  readonly lines: string[] = [];

  constructor(journalUrl: string, viewUrl: string, name: string) {
    const args = [RUNNER, PROCESS, journalUrl, viewUrl, name, String(LEASE_MS)];
    this.#child = spawn(process.execPath, args, { env: inheritedEnvironment(), stdio: ['pipe', 'pipe', 'inherit'] });
    this.#child.stdout?.on('data', (chunk: Buffer) => this.lines.push(...chunk.toString('utf8').trim().split('\n')));
  }

  get isWriting(): boolean {
    return this.isAlive && this.lines.findLast((line) => line === 'writes' || line === 'reads') === 'writes';
  }

  get isAlive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  async kill(): Promise<void> {
    if (!this.isAlive) return;
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exited;
  }

  /** As a reader at this process does who needs so much. */
  async hasReached(seq: number): Promise<void> {
    this.#child.stdin?.write(String(seq));
    await waitFor(`sequence ${seq} is shown`, () => this.lines.includes(`reached ${seq} true`));
  }
}

const fixture = new ViewFixture();
afterAll(() => fixture.close());

describe('a view that several processes share', () => {
  it(`is written by one of them at a time, by another when that one is killed or sleeps, and shows what the journal says (seed ${SEED})`, async () => {
    const random = new SeededRandom(SEED);
    const [journalStore, viewStore] = [await fixture.openStore(), await fixture.openStore()];
    const { database, close } = await openJournalDatabase(journalStore.url);
    onTestFinished(close);
    const journal = await PostgresJournal.open({ database, partition: 'm0', address: 'the test', leaseMs: 60_000 });
    const onFatal = (error: unknown) => {
      throw error;
    };
    const log = await PartitionLog.open({ journal, nowMs: () => 0, onFatal });
    const sharers: Sharer[] = [];
    onTestFinished(async () => void (await Promise.all(sharers.map((sharer) => sharer.kill()))));
    let started = 0;
    const start = () => sharers.push(new Sharer(journalStore.url, viewStore.url, `sharer ${++started}`));
    start();
    // Alone: whoever starts first keeps the program in one file for the others.
    await waitFor('the first is ready', () => sharers[0]?.lines.includes('ready'));
    for (let n = 1; n < 3; n++) start();
    const writers = () => sharers.filter(({ isWriting }) => isWriting);
    const played = new PlayedHistory({ seed: SEED, orders: 1_000 * FAULTS });
    let isStopped = false;
    const appending = (async () => {
      for (const records of played.play()) {
        await log.append(records);
        if (isStopped) return;
        await sleep(PAUSE_MS);
      }
    })();
    // Before the database is closed, also where a fault was not survived: a write that fails later would be another test's error.
    onTestFinished(async () => {
      isStopped = true;
      await appending.catch(() => undefined);
    });
    for (let fault = 0; fault < FAULTS; fault++) {
      const holder = await waitFor('one of them writes', () => writers()[0]);
      const others = sharers.filter((sharer) => sharer !== holder && sharer.isAlive);
      await random.pick(others).hasReached(log.lastSeq);
      if (fault % 2 === 0) {
        holder.signal('SIGSTOP');
        await waitFor('another writes', () => others.some(({ isWriting }) => isWriting));
        await random.pick(others).hasReached(log.lastSeq);
        holder.signal('SIGCONT');
        await waitFor('the one that slept has noticed', () => !holder.isWriting);
      } else {
        await holder.kill();
        start();
      }
    }
    isStopped = true;
    await appending;
    for (const sharer of sharers) if (sharer.isAlive) await sharer.hasReached(log.lastSeq);
    await waitFor('one of them writes', () => writers().length === 1);
    expect(sharers.flatMap(({ lines }) => lines.filter((line) => line.startsWith('failed')))).toEqual([]);
    await expectSameView(viewStore.sql, played);
    const [lease] = await viewStore.sql`select epoch from presage_projector.lease`;
    expect(Number(lease?.epoch)).toBeGreaterThan(FAULTS);
    console.info({ records: log.lastSeq, faults: FAULTS });
  });
});
