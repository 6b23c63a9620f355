// What is appended at a node that only follows: answered when this node shows it, not when its owner has written it.
import { FollowedJournal, type FollowedSource } from '@presage/journal';
import type { JournalRecord } from '@presage/protocol';
import { MemoryJournal, MemoryStorage } from '@presage/testkit';
import { expect, it } from 'vitest';
import { PartitionLog } from '../../src/host/partition-log.ts';

const onFatal = (error: unknown) => {
  throw error;
};
const RECORD: JournalRecord = {
  type: 'token-used',
  timeMs: 1_000,
  keyId: 'key_1',
  nonce: '1'.padStart(32, '0'),
  issuedAt: 1,
};

it('a record that the owner has written is answered once the followers here have seen it', async () => {
  const owner = await PartitionLog.open({
    journal: await MemoryJournal.open({ storage: new MemoryStorage('control') }),
    nowMs: () => 1_000,
    onFatal,
  });
  const source = {
    partition: 'control',
    firstSeq: 1,
    readTail: async () => undefined,
    readIdentity: async () => undefined,
    readNew: async () => {
      const frames = [];
      for await (const frame of owner.readFrames(1)) frames.push(frame);
      return { frames, hasMore: false };
    },
  };
  const journal = await FollowedJournal.open(source as unknown as FollowedSource);
  const log = await PartitionLog.follow({ journal, forward: (records) => owner.append(records), onFatal });
  const seen: unknown[] = [];
  log.subscribe(({ records }) => seen.push(...records));
  let isAnswered = false;
  const answered = log.append([RECORD]).then(() => {
    isAnswered = true;
  });
  await expect.poll(() => owner.lastSeq).toBe(1);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(isAnswered).toBe(false);
  expect(seen).toEqual([]);
  await journal.advance();
  await answered;
  expect(seen).toEqual([RECORD]);
});
