// The suite that every body of the journal must pass.

/*
 * A third body uses it from a test file of its own:
 *
 *   import { describeJournal } from '@presage/journal/conformance';
 *   describeJournal('PostgresJournal', createPostgresStore, { leases: true });
 *
 * where `createPostgresStore(partition)` makes an empty store and returns the few levers below.
 */

import { describe, expect, onTestFinished, test } from 'vitest';
import {
  decodeFrame,
  encodeFrame,
  type Frame,
  type FrameRef,
  GroupCommit,
  type Journal,
  JournalFenced,
  JournalLocked,
  JournalMisuse,
  JournalPoisoned,
} from '../src/index.ts';
import { readFrames, readTexts, record, texts } from './journal-contents.ts';

interface JournalStore {
  /** Opens the journal on what this store holds: again and again, each after the previous was closed. */
  open(): Promise<Journal>;
  /** Makes the next frame fail at the medium. */
  failNextWrite(error: Error): void;
  /** Bodies with leases: become the owner although the previous one still believes it is. */
  takeOver?(): Promise<Journal>;
  destroy(): Promise<void>;
}

export type CreateStore = (partition: string) => Promise<JournalStore>;

export interface Capabilities {
  /** Ownership may pass from a live owner, who is fenced. */
  leases: boolean;
}

const STATE_HASH = 'ab'.repeat(32);

export function describeJournal(name: string, createStore: CreateStore, capabilities: Capabilities): void {
  const setUp = async (): Promise<JournalStore> => {
    const store = await createStore('m0');
    onTestFinished(() => store.destroy());
    return store;
  };
  describe(name, () => {
    describeHistory(setUp);
    describeFollowers(setUp);
    describeFailure(setUp);
    describeOwnership(setUp, capabilities);
    describeCheckpoints(setUp);
    describeGroupCommit(setUp);
  });
}

type SetUp = () => Promise<JournalStore>;

function describeHistory(setUp: SetUp): void {
  test('begins empty', async () => {
    const journal = await (await setUp()).open();
    expect(journal).toMatchObject({ partition: 'm0', lastSeq: 0, headHash: '0'.repeat(64) });
    expect(await readFrames(journal)).toEqual([]);
    await journal.close();
  });

  test('numbers records from 1 without a gap and gives them back unchanged', async () => {
    const journal = await (await setUp()).open();
    expect(await journal.append([record('a'), record('b')], 5)).toMatchObject({ firstSeq: 1, lastSeq: 2, timeMs: 5 });
    expect(await journal.append([record(''), Uint8Array.of(0, 0xf8, 0xff)], 7)).toMatchObject({
      firstSeq: 3,
      lastSeq: 4,
      timeMs: 7,
    });
    const frames = await readFrames(journal);
    expect(frames.map((frame) => frame.records.map((bytes) => [...bytes]))).toEqual([
      [[97], [98]],
      [[], [0, 0xf8, 0xff]],
    ]);
    expect(frames.map(({ firstSeq, lastSeq, timeMs }) => [firstSeq, lastSeq, timeMs])).toEqual([
      [1, 2, 5],
      [3, 4, 7],
    ]);
    await journal.close();
  });

  test('gives whole frames that encode to the bytes that were hashed, and names the frame to its writer', async () => {
    const journal = await (await setUp()).open();
    await journal.append([record('a')], 4);
    const { frame: written } = await journal.append([record('b'), record('c'), record('d')], 5);
    const found: Frame[] = [];
    for await (const frame of journal.readWhole(3)) found.push(frame);
    expect(found).toHaveLength(1);
    const { partition, firstSeq, lastSeq, timeMs, hash } = found[0]!;
    expect(written).toEqual({ partition, firstSeq, lastSeq, timeMs, hash });
    const decoded = decodeFrame(encodeFrame(found[0]!, found[0]!.records).slice());
    expect(decoded).toMatchObject({ firstSeq: 2, lastSeq: 4, hash });
    await journal.close();
  });

  test('keeps everything over a restart and goes on from there', async () => {
    const store = await setUp();
    const first = await store.open();
    await first.append([record('a')], 1);
    const { headHash, epoch } = first;
    await first.close();
    const second = await store.open();
    expect(second).toMatchObject({ lastSeq: 1, headHash });
    expect(second.epoch).toBeGreaterThan(epoch);
    await second.append([record('b')], 2);
    expect(await readTexts(second)).toEqual(['a', 'b']);
    await second.close();
  });

  test('chains each frame to the hash of the one before', async () => {
    const journal = await (await setUp()).open();
    for (const text of ['a', 'b', 'c']) await journal.append([record(text)], 1);
    const frames = await readFrames(journal);
    expect(frames[0]?.previousHash.every((byte) => byte === 0)).toBe(true);
    expect(frames[1]?.previousHash).toEqual(frames[0]?.hash);
    expect(frames[2]?.previousHash).toEqual(frames[1]?.hash);
    expect(Buffer.from(frames[2]!.hash).toString('hex')).toBe(journal.headHash);
    await journal.close();
  });

  test('never lets time run backwards, over a restart neither', async () => {
    const store = await setUp();
    const first = await store.open();
    await first.append([record('a')], 1000);
    expect(await first.append([record('b')], 900)).toMatchObject({ timeMs: 1000 });
    await first.close();
    const second = await store.open();
    expect(await second.append([record('c')], 10)).toMatchObject({ timeMs: 1000 });
    expect(await second.append([record('d')], 1001)).toMatchObject({ timeMs: 1001 });
    await second.close();
  });

  test('reads from any sequence, also from the middle of a frame', async () => {
    const journal = await (await setUp()).open();
    await journal.append([record('a'), record('b'), record('c')], 1);
    await journal.append([record('d')], 1);
    expect(await readTexts(journal, 3)).toEqual(['c', 'd']);
    expect(await readFrames(journal, 2)).toMatchObject([{ firstSeq: 2, lastSeq: 3 }, { firstSeq: 4 }]);
    expect(await readTexts(journal, 5)).toEqual([]);
    await journal.close();
  });

  test('reads up to what was durable when the reading began', async () => {
    const journal = await (await setUp()).open();
    await journal.append([record('a')], 1);
    const seen: string[] = [];
    for await (const frame of journal.read(1)) {
      seen.push(...texts(frame));
      await journal.append([record('later')], 1);
    }
    expect(seen).toEqual(['a']);
    await journal.close();
  });

  test('refuses an empty frame and stays usable', async () => {
    const journal = await (await setUp()).open();
    await expect(journal.append([], 1)).rejects.toThrow(RangeError);
    await expect(journal.append([record('a')], 1.5)).rejects.toThrow(RangeError);
    expect(await journal.append([record('a')], 1)).toMatchObject({ firstSeq: 1 });
    await journal.close();
  });
}

function describeFollowers(setUp: SetUp): void {
  test('notifies subscribers of each durable frame in order, before the append resolves', async () => {
    const journal = await (await setUp()).open();
    const seen: string[] = [];
    const stop = journal.subscribe((frame) => seen.push(`${frame.firstSeq}:${texts(frame)} at ${journal.lastSeq}`));
    await journal.append([record('a')], 1).then(() => seen.push('resolved'));
    await journal.append([record('b'), record('c')], 1).then(() => seen.push('resolved'));
    stop();
    await journal.append([record('d')], 1);
    expect(seen).toEqual(['1:a at 1', 'resolved', '2:b,c at 3', 'resolved']);
    await journal.close();
  });

  test('stops when a subscriber throws, since that one has missed history', async () => {
    const journal = await (await setUp()).open();
    const others: number[] = [];
    journal.subscribe(() => {
      throw new Error('follower broke');
    });
    journal.subscribe((frame) => others.push(frame.firstSeq));
    expect(await journal.append([record('a')], 1)).toMatchObject({ firstSeq: 1 });
    await expect(journal.append([record('b')], 1)).rejects.toThrow('follower broke');
    expect(others).toEqual([1]);
    await journal.close();
  });
}

function describeFailure(setUp: SetUp): void {
  test('is poisoned by a failed write: nothing is retried, nothing acknowledged is lost', async () => {
    const store = await setUp();
    const journal = await store.open();
    const seen: number[] = [];
    await journal.append([record('a')], 1);
    journal.subscribe((frame) => seen.push(frame.firstSeq));
    store.failNextWrite(new Error('disk on fire'));
    await expect(journal.append([record('b')], 1)).rejects.toThrow(JournalPoisoned);
    await expect(journal.append([record('c')], 1)).rejects.toThrow('disk on fire');
    expect(journal.lastSeq).toBe(1);
    expect(seen).toEqual([]);
    await journal.close();
    const again = await store.open();
    // Unknown means unknown: the failed frame may be there, what came after it may not.
    expect([['a'], ['a', 'b']]).toContainEqual(await readTexts(again));
    expect(await again.append([record('d')], 1)).toMatchObject({ firstSeq: again.lastSeq });
    await again.close();
  });

  test('takes one frame at a time', async () => {
    const journal = await (await setUp()).open();
    const first = journal.append([record('a')], 1);
    await expect(journal.append([record('b')], 1)).rejects.toThrow(JournalMisuse);
    expect(await first).toMatchObject({ firstSeq: 1 });
    expect(await journal.append([record('c')], 1)).toMatchObject({ firstSeq: 2 });
    expect(await readTexts(journal)).toEqual(['a', 'c']);
    await journal.close();
  });
}

function describeOwnership(setUp: SetUp, capabilities: Capabilities): void {
  test('waits for the frame in flight when closed, and refuses appends from then on', async () => {
    const store = await setUp();
    const journal = await store.open();
    const flying = journal.append([record('a')], 1);
    await Promise.all([journal.close(), journal.close()]);
    expect(await flying).toMatchObject({ firstSeq: 1 });
    await expect(journal.append([record('b')], 1)).rejects.toThrow(JournalMisuse);
    const again = await store.open();
    expect(await readTexts(again)).toEqual(['a']);
    await again.close();
  });

  test('has one owner at a time', async () => {
    const store = await setUp();
    const journal = await store.open();
    await expect(store.open()).rejects.toThrow(JournalLocked);
    await journal.append([record('a')], 1);
    await journal.close();
    await (await store.open()).close();
  });

  test.runIf(capabilities.leases)('fences an owner whose lease was taken over', async () => {
    const store = await setUp();
    const previous = await store.open();
    await previous.append([record('a')], 1);
    const owner = await store.takeOver!();
    expect(owner.epoch).toBeGreaterThan(previous.epoch);
    await expect(previous.append([record('lost')], 1)).rejects.toThrow(JournalFenced);
    await expect(previous.append([record('lost')], 1)).rejects.toThrow(JournalFenced);
    await owner.append([record('b')], 1);
    await previous.close();
    expect(await readTexts(owner)).toEqual(['a', 'b']);
    await owner.close();
  });
}

function describeCheckpoints(setUp: SetUp): void {
  test('has no checkpoint at first, then the newest, over a restart too', async () => {
    const store = await setUp();
    const journal = await store.open();
    expect(await journal.readCheckpoint()).toEqual({ checkpoint: undefined, damaged: [] });
    for (const text of ['a', 'b', 'c']) await journal.append([record(text)], 1);
    for (const seq of [1, 3, 2])
      await journal.writeCheckpoint({ seq, stateHash: STATE_HASH, body: record(`state ${seq}`) });
    await journal.close();
    const again = await store.open();
    const { checkpoint } = await again.readCheckpoint();
    expect(checkpoint).toMatchObject({ seq: 3, stateHash: STATE_HASH });
    expect(new TextDecoder().decode(checkpoint?.body)).toBe('state 3');
    await again.close();
  });

  test('refuses a checkpoint of what is not yet durable', async () => {
    const journal = await (await setUp()).open();
    await journal.append([record('a')], 1);
    const at = (seq: number, stateHash = STATE_HASH) => journal.writeCheckpoint({ seq, stateHash, body: record('') });
    await expect(at(2)).rejects.toThrow(RangeError);
    await expect(at(0)).rejects.toThrow(RangeError);
    await expect(at(1, 'nonsense')).rejects.toThrow(RangeError);
    await at(1);
    await journal.close();
  });
}

function describeGroupCommit(setUp: SetUp): void {
  test('commits what many callers push in the order of their pushes', async () => {
    const store = await setUp();
    const journal = await store.open();
    const commits = new GroupCommit({ journal, now: () => 7 });
    const settled: number[] = [];
    const pushes = Array.from({ length: 100 }, async (_, index) => {
      const ref = await commits.push([record(`${index}a`), record(`${index}b`)]);
      settled.push(ref.firstSeq);
      return ref;
    });
    const refs = await Promise.all(pushes);
    expect(refs).toMatchObject(
      refs.map((_, index) => ({ firstSeq: 2 * index + 1, lastSeq: 2 * index + 2, timeMs: 7 })),
    );
    expect(settled).toEqual(refs.map(({ firstSeq }) => firstSeq));
    await commits.close();
    await journal.close();
    const again = await store.open();
    expect(await readTexts(again)).toEqual(refs.flatMap((_, index) => [`${index}a`, `${index}b`]));
    await again.close();
  });

  test('keeps what joins the push before it in one frame, however large that becomes', async () => {
    const store = await setUp();
    const journal = await store.open();
    const commits = new GroupCommit({ journal, now: () => 7, targetFrameBytes: 10 });
    const push = (text: string, joins: boolean) =>
      new Promise<FrameRef>((onDurable, onFailed) =>
        commits.pushFor({ records: [record(text.repeat(10))], joins, onDurable, onFailed }),
      );
    const refs = await Promise.all([
      push('a', false),
      push('b', false),
      push('c', true),
      push('d', true),
      push('e', false),
    ]);
    expect(refs.map(({ frame }) => frame.firstSeq)).toEqual([1, 2, 2, 2, 5]);
    await commits.close();
    await journal.close();
  });

  test('fails everything that waits behind a failed frame', async () => {
    const store = await setUp();
    const journal = await store.open();
    const commits = new GroupCommit({ journal, now: () => 7, targetFrameBytes: 10 });
    store.failNextWrite(new Error('disk on fire'));
    const results = await Promise.allSettled(['a', 'b', 'c'].map((text) => commits.push([record(text.repeat(10))])));
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    await expect(commits.push([record('d')])).rejects.toThrow(JournalPoisoned);
    await commits.close();
    await journal.close();
  });
}
