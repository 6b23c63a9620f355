// A chain's partition is recovered from checkpoint and tail exactly as from all its records, whatever happens to the checkpoint.
import { mkdtempSync, readdirSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileJournal, type Journal } from '@presage/journal';
import type { OrderHash } from '@presage/protocol';
import { MemoryJournal, MemoryStorage, SeededRandom, seedFromEnv } from '@presage/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ChainState } from '../../src/chains/chain-state.ts';
import { PartitionLog } from '../../src/host/partition-log.ts';
import { PartitionState } from '../../src/host/partition-state.ts';
import { RandomChainHistory } from './random-chain-history.ts';

const seed = seedFromEnv(14);
const create = () => new ChainState(() => true);
const onFatal = (error: unknown) => {
  throw error;
};

async function openState(journal: Journal, checkpointEvery = 50) {
  const log = await PartitionLog.open({ journal, nowMs: () => 1, onFatal });
  const warnings: string[] = [];
  const onWarning = (message: string) => warnings.push(message);
  const state = await PartitionState.open({ log, create, checkpointEvery, onWarning });
  return { log, state, warnings };
}

async function replay(journal: Journal): Promise<string[]> {
  const log = await PartitionLog.open({ journal, nowMs: () => 1, onFatal });
  const fold = create();
  for await (const { records } of log.read(1)) for (const record of records) fold.apply(record);
  return [...fold.lines()];
}

async function play(log: PartitionLog, steps: number, drawnFrom = seed): Promise<void> {
  const history = new RandomChainHistory(new SeededRandom(drawnFrom));
  for (let step = 0; step < steps; step++) await log.append(history.next());
}

function makeDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'presage-chain-state-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

const checkpointsIn = (dir: string) =>
  readdirSync(dir)
    .filter((name) => name.startsWith('checkpoint-'))
    .sort();

describe('the state of a chain', () => {
  it('is the same from checkpoint and tail as from every record, wherever the process is killed', async () => {
    const storage = new MemoryStorage('chain-1');
    const history = new RandomChainHistory(new SeededRandom(seed));
    for (let run = 0; run < 12; run++) {
      const journal = await MemoryJournal.open({ storage, takeOver: true });
      const { log, state } = await openState(journal, 17);
      expect([...state.fold.lines()], `seed ${seed}, run ${run}`).toEqual(await replay(journal));
      for (let step = 0; step < 4 * run; step++) await log.append(history.next());
      expect([...state.fold.lines()], `seed ${seed}, run ${run}`).toEqual(await replay(journal));
    }
    expect(storage.checkpoints.length).toBeGreaterThan(0);
  });

  it('reads only the tail after a checkpoint, and nothing after a clean close', async () => {
    const storage = new MemoryStorage('chain-1');
    const first = await openState(await MemoryJournal.open({ storage }));
    await play(first.log, 500);
    await first.state.close();
    const expected = [...first.state.fold.lines()];
    await first.log.close();
    const journal = await MemoryJournal.open({ storage });
    const read: number[] = [];
    const watched = new Proxy(journal, {
      get: (target, name) => {
        const value = Reflect.get(target, name, target);
        if (name !== 'readWhole') return typeof value === 'function' ? value.bind(target) : value;
        return (fromSeq: number) => read.push(fromSeq) && target.readWhole(fromSeq);
      },
    });
    const { state } = await openState(watched);
    expect([...state.fold.lines()]).toEqual(expected);
    // The newest frame for its hash, and then nothing.
    expect(read).toEqual([journal.lastSeq, journal.lastSeq + 1]);
  });

  it('falls back to the older checkpoint when the newest is damaged, and to the records when both are', async () => {
    const dir = makeDir();
    const open = () => FileJournal.open({ dir, partition: 'chain-1' });
    const first = await openState(await open());
    await play(first.log, 300);
    const expected = [...first.state.fold.lines()];
    await first.state.close();
    await first.log.close();
    for (const damaged of [1, 2]) {
      truncateSync(join(dir, checkpointsIn(dir).at(-damaged) as string), 100);
      const { log, state, warnings } = await openState(await open(), 100_000);
      expect(warnings).toHaveLength(damaged);
      expect([...state.fold.lines()]).toEqual(expected);
      await log.close();
    }
  });

  it('does without a checkpoint that it cannot read, and says so', async () => {
    const storage = new MemoryStorage('chain-1');
    const first = await openState(await MemoryJournal.open({ storage }));
    await play(first.log, 100);
    const expected = [...first.state.fold.lines()];
    await first.state.close();
    await first.log.close();
    const body = Buffer.from('["chain",99]\n');
    storage.checkpoints.splice(0, 2, { ...(storage.checkpoints[0] as (typeof storage.checkpoints)[0]), body });
    const { state, warnings } = await openState(await MemoryJournal.open({ storage }));
    expect(warnings[0]).toContain('version 99');
    expect([...state.fold.lines()]).toEqual(expected);
  });

  it('does not grow with what is over', async () => {
    const storage = new MemoryStorage('chain-1');
    const { log, state } = await openState(await MemoryJournal.open({ storage }));
    await play(log, 2_000);
    expect(state.fold.batches.length).toBeLessThan(25);
    expect(state.fold.batches.at(-1)?.batchId).toMatch(/^batch-[0-9]{2,3}$/);
    expect(state.fold.quick.records().length).toBeLessThanOrEqual(400);
  });

  it('knows the blocks that were seen from the cursor and from transactions', () => {
    const fold = create();
    const [older, newer] = [`0x${'0a'.repeat(32)}`, `0x${'0b'.repeat(32)}`] as const;
    const blocks = [{ number: 7, hash: older }];
    fold.apply({ type: 'chain-noted', timeMs: 1, topic: 'cursor', body: { v: 2, blocks, next: 8 } });
    const request = { to: `0x${'01'.repeat(20)}`, data: '0x', value: '0', gasLimit: '1' } as const;
    const slot = { v: 1, operationId: 'call-1', nonce: 0 } as const;
    const hash = `0x${'0c'.repeat(32)}` as const;
    const fees = { maxFeePerGas: '1', maxPriorityFeePerGas: '1' };
    const bodies = [
      { ...slot, type: 'nonce-reserved', purpose: 'operation', request },
      { ...slot, type: 'transaction-signed', attempt: 0, kind: 'payload', hash, raw: '0x01', ...fees },
      { ...slot, type: 'transaction-mined', hash, blockNumber: 8, blockHash: newer, status: 'success' },
    ] as const;
    for (const body of bodies) fold.apply({ type: 'chain-noted', timeMs: 1, topic: 'relay-sender', body });
    expect(fold.seenBlocks).toEqual([...blocks, { number: 8, hash: newer }]);
  });

  it('drops an ended permit once its order is removed', () => {
    const known = new Set<OrderHash>(['0x01', '0x02']);
    const fold = new ChainState((hash) => known.has(hash));
    for (const orderHash of known) {
      fold.apply({ type: 'chain-noted', timeMs: 1, topic: 'relay', body: { kind: 'permit-ended', orderHash } });
    }
    known.delete('0x01');
    expect(fold.relays).toEqual([{ kind: 'permit-ended', orderHash: '0x02' }]);
  });
});
