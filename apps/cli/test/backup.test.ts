// A backup that is taken while the service writes comes back to a state that the service was in, after a kill too.
import { appendFile, cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Engine } from '@presage/engine';
import { FileJournal, FrameCursor, GroupCommit, verifyJournal } from '@presage/journal';
import { decodeRecord, encodeRecord, isEngineEvent, isJournalled, type JournalRecord } from '@presage/protocol';
import { createOrderBuilders, ManualClock, marketFacts, TRADERS } from '@presage/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { restoreBackup } from '../src/backup/restore-backup.ts';
import { takeBackup } from '../src/backup/take-backup.ts';
import { EXIT_CODES } from '../src/exit-codes.ts';
import { runCommand } from '../src/run-command.ts';

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'presage-backup-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A service's partitions with an engine in front: every order also leaves a note in the other partition, later than itself. */
class Writer {
  readonly engine = new Engine();
  readonly clock = new ManualClock();
  readonly #traders = createOrderBuilders(this.clock);
  readonly #markets: GroupCommit;
  readonly #control: GroupCommit;
  readonly journals: readonly FileJournal[];
  notes = 0;

  private constructor(journals: readonly FileJournal[]) {
    this.journals = journals;
    const now = () => this.clock.nowMs;
    this.#markets = new GroupCommit({ journal: journals[0]!, now });
    this.#control = new GroupCommit({ journal: journals[1]!, now });
  }

  static async open(root: string): Promise<Writer> {
    const open = (partition: string) =>
      FileJournal.open({
        dir: join(root, 'service', 'journal', partition),
        partition,
        segmentBytes: 20_000,
        archive: true,
      });
    return new Writer([await open('m0'), await open('control')]);
  }

  async list(): Promise<void> {
    const outputs = this.engine.apply({ type: 'list-market', timeMs: this.clock.nowMs, market: marketFacts() });
    await this.#markets.push(outputs.filter(isJournalled).map(encodeRecord));
  }

  async order(): Promise<void> {
    this.clock.advanceMs(1);
    const outputs = this.engine.apply(this.#traders.aliceBuysYes({ price: '0.5', size: '1' }));
    await this.#markets.push(outputs.filter(isJournalled).map(encodeRecord));
    this.clock.advanceMs(1);
    this.notes++;
    const note: JournalRecord = {
      type: 'heartbeat-set',
      timeMs: this.clock.nowMs,
      trader: TRADERS.alice,
      lapseMs: this.notes,
    };
    await this.#control.push([encodeRecord(note)]);
  }

  async close(): Promise<void> {
    for (const journal of this.journals) await journal.close();
  }
}

async function readRecords(dir: string): Promise<JournalRecord[]> {
  const records: JournalRecord[] = [];
  for await (const frame of new FrameCursor({ dir }).read()) records.push(...frame.records.map(decodeRecord));
  return records;
}

async function replay(dir: string): Promise<Engine> {
  const engine = new Engine();
  for (const record of await readRecords(dir)) if (isEngineEvent(record)) engine.evolve(record);
  return engine;
}

async function checkpointAt(journal: FileJournal, seq: number): Promise<void> {
  await journal.writeCheckpoint({ seq, stateHash: 'a'.repeat(64), body: Buffer.from(`state ${seq}`) });
}

/** Hash of the first frame, hexadecimal, of a journal of which only the archive is there. */
async function identityIn(archive: string): Promise<string> {
  const dir = await makeFolder();
  await cp(archive, join(dir, 'archive'), { recursive: true });
  for await (const { hash } of new FrameCursor({ dir }).read()) return Buffer.from(hash).toString('hex');
  throw new Error(`there is no frame in ${archive}`);
}

const M0 = join('service', 'journal', 'm0');
const CONTROL = join('service', 'journal', 'control');

describe('a backup', () => {
  it('of a running service is one moment of it, grows by what is new, and restores to the same state after a kill', async () => {
    const [root, backup] = [await makeFolder(), join(await makeFolder(), 'backup')];
    await writeFile(join(root, 'service.log'), 'not worth keeping');
    const writer = await Writer.open(root);
    onTestFinished(() => writer.close());
    await writeFile(join(root, 'service', 'receipt-key'), 'secret');
    await mkdir(join(root, 'service', 'database'));
    await writeFile(join(root, 'service', 'database', 'x'), 'a view');
    const unfinishedDay = join(root, 'service', 'daily', '.new-2026-01-01');
    await mkdir(unfinishedDay, { recursive: true });
    await writeFile(join(unfinishedDay, 'm0-trades.csv'), 'presage archive moves it');
    await writer.list();
    for (let round = 0; round < 4; round++) {
      let isDone = false;
      const writing = (async () => {
        while (!isDone) await writer.order();
      })();
      for (let order = 0; order < 40; order++) await writer.order();
      const [, m0] = await takeBackup(root, backup);
      isDone = true;
      await writing;
      const restored = join(await makeFolder(), 'data');
      await restoreBackup(backup, restored);
      const engine = await replay(join(restored, M0));
      const [orders, notes] = [engine.size().openOrders, (await readRecords(join(restored, CONTROL))).length];
      // A note is never without the order that it followed on; at most the newest order is without its note.
      expect(notes).toBeLessThanOrEqual(orders);
      expect(notes).toBeGreaterThanOrEqual(orders - 2);
      expect(m0).toMatchObject({ journal: M0, records: 1 + orders });
      expect(await readdir(restored)).toEqual(['service']);
      expect((await readdir(join(restored, 'service'))).sort()).toEqual(['journal', 'receipt-key']);
    }
    // Killed: nothing is closed. What the disk has is what a backup finds.
    await takeBackup(root, backup);
    const last = join(await makeFolder(), 'data');
    await restoreBackup(backup, last);
    expect((await replay(join(last, M0))).stateHash()).toBe(writer.engine.stateHash());
    const opened = await FileJournal.open({ dir: join(last, M0), partition: 'm0' });
    expect(opened.lastSeq).toBe(writer.journals[0]!.lastSeq);
    await opened.close();
    const again = await takeBackup(root, backup);
    expect(again.map(({ added }) => added)).toEqual([0, 0]);
  });

  it('that came to no end is completed by the next, and a restore passes over what it had begun', async () => {
    const [root, backup] = [await makeFolder(), join(await makeFolder(), 'backup')];
    const writer = await Writer.open(root);
    onTestFinished(() => writer.close());
    await writer.list();
    await takeBackup(root, backup);
    const before = writer.engine.stateHash();
    const manifest = await readFile(join(backup, 'backup.json'));
    for (let order = 0; order < 5; order++) await writer.order();
    await takeBackup(root, backup);
    // As if it had been ended before its last act.
    await writeFile(join(backup, 'backup.json'), manifest);
    const restored = join(await makeFolder(), 'data');
    await restoreBackup(backup, restored);
    expect((await replay(join(restored, M0))).stateHash()).toBe(before);
    await takeBackup(root, backup);
    const complete = join(await makeFolder(), 'data');
    await restoreBackup(backup, complete);
    expect((await replay(join(complete, M0))).stateHash()).toBe(writer.engine.stateHash());
  });

  it('of a journal whose old archives were deleted is restored as far back as it goes, and whole once they are back', async () => {
    const [root, backup] = [await makeFolder(), join(await makeFolder(), 'backup')];
    const writer = await Writer.open(root);
    onTestFinished(() => writer.close());
    await writer.list();
    for (let order = 0; order < 400; order++) await writer.order();
    const [m0] = writer.journals;
    const kept = join(await makeFolder(), 'archive');
    for (const seq of [300, 350]) await checkpointAt(m0!, seq);
    await m0!.close();
    await cp(join(root, M0, 'archive'), kept, { recursive: true });
    const retention = { keptMs: -1_000, neededFromSeq: () => Number.POSITIVE_INFINITY };
    const deleting = await FileJournal.open({ dir: join(root, M0), partition: 'm0', archive: true, retention });
    await checkpointAt(deleting, 390);
    await deleting.close();
    const { firstSeq, headHash, lastSeq } = await verifyJournal(join(root, M0));
    expect(firstSeq).toBeGreaterThan(1);

    await takeBackup(root, backup);
    const restored = join(await makeFolder(), 'data');
    await restoreBackup(backup, restored);
    expect(await verifyJournal(join(restored, M0))).toMatchObject({ firstSeq, headHash, lastSeq });
    const opened = await FileJournal.open({ dir: join(restored, M0), partition: 'm0' });
    expect((await opened.readCheckpoint()).checkpoint?.seq).toBe(390);
    expect(await opened.identity()).toBe(await identityIn(kept));
    await opened.close();
    for (const name of await readdir(kept)) {
      if (Number.parseInt(name, 10) >= firstSeq) await rm(join(kept, name));
    }
    await cp(kept, join(restored, M0, 'archive'), { recursive: true });
    expect((await replay(join(restored, M0))).stateHash()).toBe(writer.engine.stateHash());
  });

  it('refuses another journal, a folder that is not empty, a folder without a backup, and damage', async () => {
    const [root, other, backup] = [await makeFolder(), await makeFolder(), join(await makeFolder(), 'backup')];
    for (const each of [root, other]) {
      const writer = await Writer.open(each);
      if (each === other) writer.clock.advanceMs(5);
      await writer.list();
      await writer.order();
      await writer.close();
    }
    await takeBackup(root, backup);
    await expect(takeBackup(other, backup)).rejects.toThrow('back up to another folder');
    const said: string[] = [];
    const sink = { write: (text: string) => void said.push(text) };
    const code = await runCommand(['backup', backup, '--data-dir', other], { env: {}, stdout: sink, stderr: sink });
    expect([code, said.join('')]).toEqual([EXIT_CODES.usage.code, expect.not.stringContaining('    at ')]);
    await expect(restoreBackup(backup, other)).rejects.toThrow('is not empty');
    await expect(restoreBackup(other, join(await makeFolder(), 'data'))).rejects.toThrow('there is no backup');
    await expect(takeBackup(join(root, 'service', 'journal'), backup)).rejects.toThrow('there is no journal');
    const [segment] = (await readdir(join(backup, M0))).filter((name) => name.endsWith('.frames'));
    await appendFile(join(backup, M0, segment!), 'x');
    const bytes = await readFile(join(backup, M0, segment!));
    bytes[200]! ^= 1;
    await writeFile(join(backup, M0, segment!), bytes);
    const target = join(await makeFolder(), 'data');
    await expect(restoreBackup(backup, target)).rejects.toThrow();
    expect(await readdir(target)).toEqual([]);
  });

  it('never begins in the data of a service, its own or another one', async () => {
    const [root, other] = [await makeFolder(), await makeFolder()];
    for (const each of [root, other]) {
      const writer = await Writer.open(each);
      await writer.list();
      await writer.close();
    }
    for (const target of [root, other]) {
      await expect(takeBackup(root, target)).rejects.toThrow('holds journals and is not a backup');
      expect(await readRecords(join(target, M0))).toHaveLength(1);
    }
  });

  it('refuses a target that is a file, in words', async () => {
    const [root, file] = [await makeFolder(), join(await makeFolder(), 'file')];
    const writer = await Writer.open(root);
    await writer.list();
    await writer.close();
    await writeFile(file, '');
    await expect(takeBackup(root, file)).rejects.toThrow(`${file} is not a folder`);
  });

  it('whose first run was interrupted is not restored, and is completed by the next run', async () => {
    const [root, backup] = [await makeFolder(), join(await makeFolder(), 'backup')];
    const writer = await Writer.open(root);
    await writer.list();
    await writer.close();
    const chain = join(root, 'chain', 'log');
    await mkdir(join(chain, '0000000000000001.frames'), { recursive: true });
    await expect(takeBackup(root, backup)).rejects.toThrow();
    await expect(restoreBackup(backup, join(await makeFolder(), 'data'))).rejects.toThrow('there is no backup');
    await rm(chain, { recursive: true });
    expect(await takeBackup(root, backup)).toMatchObject([{ records: 0 }, { records: 1 }]);
  });

  it('in the data folder does not back itself up', async () => {
    const root = await makeFolder();
    const writer = await Writer.open(root);
    await writer.list();
    await writer.close();
    await writeFile(join(root, 'service', 'receipt-key'), 'secret');
    for (let run = 0; run < 3; run++) await takeBackup(root, join(root, 'backup'));
    expect((await readdir(join(root, 'backup'))).sort()).toEqual(['backup.json', 'service']);
  });

  it('that lacks its newest segment is named when it is restored', async () => {
    const [root, backup] = [await makeFolder(), join(await makeFolder(), 'backup')];
    const writer = await Writer.open(root);
    await writer.list();
    await takeBackup(root, backup);
    await writer.order();
    await takeBackup(root, backup);
    await writer.close();
    const segments = (await readdir(join(backup, M0))).filter((name) => name.endsWith('.frames')).sort();
    await rm(join(backup, M0, segments.at(-1)!));
    const said: string[] = [];
    const sink = { write: (text: string) => void said.push(text) };
    const target = join(await makeFolder(), 'data');
    const code = await runCommand(['restore', backup, '--data-dir', target], { env: {}, stdout: sink, stderr: sink });
    expect(said.join('')).toMatch(/^presage: .*m0 ends at 1, its backup says 2: the backup is damaged\n$/);
    expect(code).toBe(EXIT_CODES.unsound.code);
  });
});
