// Reads of very many things, by more clients than there is time for: each loop of the service has one turn of one of them.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { type LongRead, LongReads, type Reader } from '../../src/api/long-reads.ts';

const MOST = 16;
let loop = 0;
let isCounting = false;

async function countLoops(): Promise<void> {
  for (isCounting = true; isCounting; loop++) await nextTurn();
}
afterEach(() => {
  isCounting = false;
});

const from = (address: string): Reader & { socket: { destroyed: boolean } } => ({
  address,
  socket: { destroyed: false },
});

/** Resolves with the loops in which it had a turn, the first one left out. */
async function takeTurns(turns: LongRead, count: number): Promise<number[]> {
  const loops: number[] = [];
  for (let taken = 0; taken < count; taken++) {
    await turns.next();
    loops.push(loop);
  }
  return loops;
}

const settle = (read: Promise<unknown>) =>
  read.then(
    () => 'answered',
    (error: { code?: string }) => error.code,
  );

describe('long reads', () => {
  it('have one turn in each loop, whoever they are of', async () => {
    const reads = new LongReads();
    void countLoops();
    const all = Array.from({ length: 5 }, (_, index) =>
      reads.run(from(`192.0.2.${index}`), (turns) => takeTurns(turns, 10)),
    );
    const loops = (await Promise.all(all)).flat();
    expect(new Set(loops).size).toBe(loops.length);
  });

  it('need no place if they end with their first turn', async () => {
    const reads = new LongReads();
    const many = Array.from({ length: 3 * MOST }, () => settle(reads.run(from('192.0.2.1'), async () => undefined)));
    expect(new Set(await Promise.all(many))).toEqual(new Set(['answered']));
  });

  it('of the address with most of them make room for another address, and are refused beyond their places', async () => {
    const reads = new LongReads();
    const ask = (address: string) => settle(reads.run(from(address), (turns) => takeTurns(turns, 3)));
    const crowd = Array.from({ length: MOST + 1 }, () => ask('192.0.2.1'));
    const other = ask('192.0.2.2');
    expect(await other).toBe('answered');
    expect(await Promise.all(crowd)).toEqual(['overloaded', ...Array(MOST - 1).fill('answered'), 'overloaded']);
    expect(await ask('192.0.2.1')).toBe('answered');
  });

  it('end when their client has left', async () => {
    const reads = new LongReads();
    const reader = from('192.0.2.1');
    const read = settle(reads.run(reader, (turns) => takeTurns(turns, 1_000_000)));
    await nextTurn();
    reader.socket.destroyed = true;
    expect(await read).toBe('overloaded');
  });
});
