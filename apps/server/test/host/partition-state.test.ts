// Checkpoints of what a partition adds up to: a large state is written out between other work, and less often.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Checkpoint } from '@presage/journal';
import type { JournalRecord } from '@presage/protocol';
import { MemoryJournal, MemoryStorage } from '@presage/testkit';
import { describe, expect, it } from 'vitest';
import { ControlState } from '../../src/host/control-state.ts';
import { PartitionLog } from '../../src/host/partition-log.ts';
import { PartitionState } from '../../src/host/partition-state.ts';

const START = 1_800_000_000;
const LARGE = 20_000;

const used = (nonce: number): JournalRecord => ({
  type: 'token-used',
  timeMs: START * 1_000,
  keyId: 'key_1',
  nonce: nonce.toString(16).padStart(32, '0'),
  issuedAt: START,
});

/** The control partition with so many tokens that could still be used, and the checkpoints of it. */
async function openLarge(checkpointEvery: number) {
  const journal = await MemoryJournal.open({ storage: new MemoryStorage('control') });
  const written: Checkpoint[] = [];
  const write = journal.writeCheckpoint.bind(journal);
  journal.writeCheckpoint = async (checkpoint) => {
    await write(checkpoint);
    written.push(checkpoint);
  };
  const onFatal = (error: unknown) => {
    throw error;
  };
  const log = await PartitionLog.open({ journal, nowMs: () => 1, onFatal });
  await log.append(Array.from({ length: LARGE }, (_, index) => used(index)));
  const options = { log, create: () => new ControlState(), onWarning: () => undefined };
  const state = await PartitionState.open({ ...options, checkpointEvery });
  await expect.poll(() => written.length, { timeout: 20_000 }).toBe(1);
  return { log, state, written };
}

describe('a checkpoint of a large state', () => {
  it('lets other work have its turn while it is written, and is of the moment at which it was due', async () => {
    const { log, state, written } = await openLarge(1);
    // Due once in LARGE / 5,000 records.
    const dueSeq = LARGE + 4;
    while (log.lastSeq < dueSeq) await log.append([used(log.lastSeq)]);
    await log.append([used(log.lastSeq)]);
    let turns = 0;
    for (; written.length < 2; turns++) await nextTurn();
    expect(turns).toBeGreaterThan(3);
    const { seq, body } = written[1]!;
    expect(seq).toBe(dueSeq);
    const restored = new ControlState();
    restored.restore(new TextDecoder().decode(body).split('\n').slice(0, -1));
    expect(restored.records()).toHaveLength(dueSeq);
    await state.close();
    expect(written.at(-1)!.seq).toBe(log.lastSeq);
  });

  it('is written less often in proportion', async () => {
    const { log, written } = await openLarge(10);
    for (let nonce = 0; nonce < 39; nonce++) await log.append([used(LARGE + nonce)]);
    for (let turn = 0; turn < 10; turn++) await nextTurn();
    expect(written).toHaveLength(1);
    await log.append([used(LARGE + 39)]);
    await expect.poll(() => written.length, { timeout: 20_000 }).toBe(2);
  });
});
