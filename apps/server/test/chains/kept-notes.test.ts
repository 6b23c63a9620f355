// The notes of a chain of record version 5, kept as they were written, are read by today's program to the same state.
import { readFile } from 'node:fs/promises';
import { decodeRecord, encodeRecord, type JournalRecord, RECORD_VERSION } from '@presage/protocol';
import { describe, expect, it } from 'vitest';
import { ChainState } from '../../src/chains/chain-state.ts';

async function readKept(name: string): Promise<string[]> {
  const file = new URL(`../fixtures/${name}/chain.jsonl`, import.meta.url);
  return (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '');
}

const decode = (line: string): JournalRecord => decodeRecord(new TextEncoder().encode(line));

function fold(lines: readonly string[]): ChainState {
  const state = new ChainState(() => true);
  for (const line of lines) state.apply(decode(line));
  return state;
}

describe('the notes of a chain', () => {
  it('of version 5 are written by the same bytes today but for the version', async () => {
    const lines = await readKept('journal-v5');
    const written = lines.map((line) => new TextDecoder().decode(encodeRecord(decode(line))));
    expect(written).toEqual(lines.map((line) => line.replace('{"v":5,', `{"v":${RECORD_VERSION},`)));
  });

  it('of version 5 lead to the state they led to when they were written', async () => {
    const state = fold(await readKept('journal-v5'));
    expect(state.batches.map(({ batchId }) => batchId)).toEqual(['batch-2']);
    expect(state.settler.nextNonce).toBe(2);
    expect(state.settler.operations.map(([id, { closed }]) => [id, closed?.stage])).toEqual([
      ['batch-1', 'confirmed'],
      ['gap-1', undefined],
    ]);
    expect(state.relayer.slots.map(({ lostTo }) => lostTo !== null)).toEqual([true]);
    expect(state.creator.operations.map(([id, { reason }]) => [id, reason])).toEqual([
      ['create-1', 'the market exists'],
    ]);
    expect(state.relays.map(({ kind }) => kind)).toEqual(['relayed', 'relayed', 'claims-told', 'permit-ended']);
    expect(state.halts.notes().map(({ trader, effectiveAfter }) => [trader.slice(-2), effectiveAfter])).toEqual([
      ['01', 1_800_003_600],
      ['01', null],
    ]);
    expect(state.cursor).toMatchObject({ v: 2, next: 6 });
    expect(state.identity).toMatchObject({ stablecoin: { decimals: 6 }, disputeWindowSeconds: 7_200 });
  });

  it('of version 1 are still read', async () => {
    const state = fold(await readKept('journal-v1'));
    expect(state.cursor).toMatchObject({ v: 1 });
    expect(state.identity).toMatchObject({ settlement: { name: 'PresageSettlement' } });
    expect(state.settler.nextNonce).toBeGreaterThan(0);
  });

  it('survive a checkpoint, whose lines are checked like the records', async () => {
    const state = fold(await readKept('journal-v5'));
    const lines = [...state.lines()];
    const restored = new ChainState(() => true);
    restored.restore(lines);
    expect([...restored.lines()]).toEqual(lines);
    const damaged = lines.map((line) => line.replace('"batchId":"batch-2"', '"batchId":2'));
    expect(() => new ChainState(() => true).restore(damaged)).toThrow('chain-noted/batch/body/batchId');
  });
});
