// The journal's PostgreSQL dies and its standby is promoted: nothing acknowledged is lost, or what was lost is said and written on by nobody.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GroupCommit, type Journal, PostgresJournal } from '@presage/journal';
import { isLongRun, type PostgresNode, PostgresPair, waitFor } from '@presage/testkit';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openJournalDatabase } from '../../src/store/journal-database.ts';

const LEASE_MS = 60_000;
const WRITERS = 8;
const RECORDS = isLongRun ? 2_000 : 150;

const record = (text: string): Uint8Array => new TextEncoder().encode(text);

async function textsOf(journal: Journal): Promise<string[]> {
  const found: string[] = [];
  for await (const { records } of journal.read(1))
    found.push(...records.map((bytes) => new TextDecoder().decode(bytes)));
  return found;
}

/** As a node does: connections that look for the server that takes writes. */
async function openNode(pair: PostgresPair) {
  const { database, warnings, close } = await openJournalDatabase(pair.url);
  onTestFinished(close);
  const open = (partition: string, markDir?: string) =>
    PostgresJournal.open({ database, partition, address: 'a node', leaseMs: LEASE_MS, ...(markDir && { markDir }) });
  return { open, warnings };
}

describe('with a synchronous standby', () => {
  let pair: PostgresPair;
  beforeAll(async () => {
    pair = await PostgresPair.open();
  });
  afterAll(() => pair?.close());

  it('nothing that was acknowledged under load is lost, doubled or out of order after two promotions', async () => {
    const { open, warnings } = await openNode(pair);
    expect(warnings).toEqual([]);
    const journal = await open('m0');
    const commits = new GroupCommit({ journal, now: () => 1 });
    const acknowledged: [seq: number, text: string][] = [];
    const write = async (writer: number) => {
      for (let index = 0; index < RECORDS; index++) {
        const text = `${writer}-${index}`;
        const { firstSeq } = await commits.push([record(text)]);
        acknowledged.push([firstSeq, text]);
      }
    };
    const writing = Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
    for (const share of [0.2, 0.6]) {
      const reached = share * WRITERS * RECORDS;
      await waitFor('enough was acknowledged', () => acknowledged.length > reached, { pollMs: 1 });
      await pair.primary.kill();
      await pair.promote();
      await pair.renewStandby();
    }
    await writing;
    const found = await textsOf(journal);
    expect(found).toHaveLength(WRITERS * RECORDS);
    for (const [seq, text] of acknowledged) expect(found[seq - 1]).toBe(text);
    await commits.close();
    await journal.close();
  });

  it('an answer that the server gives without its standby is not taken for an acknowledgement', async () => {
    const { open } = await openNode(pair);
    const journal = await open('m1');
    await journal.append([record('a')], 1);
    await pair.standby.stop();
    let isAcknowledged = false;
    const appending = journal.append([record('b')], 2).then(() => {
      isAcknowledged = true;
    });
    // Whoever waits for the standby is told to stop waiting, each in turn: the append, then the look at what became of it.
    for (const _ of [1, 2]) await waitFor('a wait is ended', () => endWaits(pair));
    expect(isAcknowledged).toBe(false);
    await pair.standby.start();
    await appending;
    expect(await textsOf(journal)).toEqual(['a', 'b']);
    await journal.close();
  });
});

/** How an administrator ends statements that hang; true when there was one. */
async function endWaits({ primary }: PostgresPair): Promise<boolean> {
  const ended = await primary.query<{ ended: boolean }>(
    `select pg_cancel_backend(pid) as ended from pg_stat_activity where wait_event = 'SyncRep' and application_name = 'presage'`,
  );
  return ended.length > 0;
}

describe('with an asynchronous standby that was behind', () => {
  let pair: PostgresPair;
  let folder: string;
  beforeAll(async () => {
    pair = await PostgresPair.open({ isSynchronous: false });
    folder = await mkdtemp(join(tmpdir(), 'presage-promotion-'));
  });
  afterAll(async () => {
    await pair?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('a partition that lost something is halted with the two sequences, whether it writes or starts; one that lost nothing goes on', async () => {
    const { open, warnings } = await openNode(pair);
    expect(warnings.join()).toContain('no synchronous standby');
    const markDir = join(folder, 'acknowledged');
    const whole = await open('m0');
    const shortened = await open('m1', markDir);
    for (const journal of [whole, shortened]) await journal.append([record('a')], 1);
    await waitFor('the standby has it', async () => (await countFrames(pair.standby).catch(() => 0)) === 2);
    await pair.standby.stop();
    for (const text of ['b', 'c']) await shortened.append([record(text)], 2);
    await pair.primary.kill();
    await pair.standby.start();
    await pair.promote();
    await whole.append([record('b')], 3);
    const lost = 'records up to sequence 3 of m1 were acknowledged, but the database ends at 1';
    await expect(shortened.append([record('d')], 3)).rejects.toThrow(lost);
    await expect(shortened.append([record('d')], 4)).rejects.toThrow();
    expect(await textsOf(whole)).toEqual(['a', 'b']);
    await Promise.all([whole.close(), shortened.close()]);
    await expect(open('m1', markDir)).rejects.toThrow(lost);
    expect(await pair.primary.query(`select last_seq::int from journal_frames where part = 'm1'`)).toEqual([
      { last_seq: 1 },
    ]);
  });
});

async function countFrames(node: PostgresNode): Promise<number> {
  const [row] = await node.query<{ count: number }>('select count(*)::int as count from journal_frames');
  return row?.count ?? 0;
}
