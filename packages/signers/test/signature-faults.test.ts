// Signature threads that die, garble or do not start: nobody gets a wrong answer, and nobody waits for ever.
import { setEnvironmentData } from 'node:worker_threads';
import { SeededRandom, seedFromEnv } from '@presage/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { SignaturePool } from '../src/signature-pool.ts';
import { ask, drawChecks, signersOf } from './random-checks.ts';

const SEED = seedFromEnv(20_261_118);

describe('a thread that fails', () => {
  const faults = new Int32Array(new SharedArrayBuffer(12));
  const entry = new URL('./faulty-entry.mjs', import.meta.url);
  const checks = drawChecks(new SeededRandom(SEED), 40);
  const lost: string[] = [];
  let pool: SignaturePool;

  beforeAll(async () => {
    setEnvironmentData('signature-faults', faults);
    pool = await SignaturePool.open({ workers: 1, entry, onWorkerLost: ({ message }) => lost.push(message) });
  });
  afterEach(() => {
    faults.fill(0);
    lost.length = 0;
  });
  afterAll(() => pool.close());

  const failNext = (starts: number, asked: number, answers: number) => faults.set([starts, asked, answers]);

  it('is replaced, and what it owed is asked once more', async () => {
    failNext(0, 1, 0);
    expect(await ask(pool, checks)).toEqual(signersOf(checks));
    expect(lost).toEqual(['a signature thread ended']);
  });

  it('twice under the same check has that check rejected, and the others answered', async () => {
    failNext(0, 2, 0);
    const first = pool.recover(checks[0]!.digest, checks[0]!.signature);
    await expect(first).rejects.toMatchObject({ code: 'internal' });
    expect(lost).toHaveLength(2);
    expect(await ask(pool, checks)).toEqual(signersOf(checks));
  });

  it('by a garbled answer is not believed, nor is what it says after it', async () => {
    failNext(0, 0, 1);
    expect(await ask(pool, checks)).toEqual(signersOf(checks));
    expect(lost).toEqual([expect.stringContaining('3 bytes are no answer')]);
  });

  it('and whose replacements do not start leaves no caller waiting, and works again when one starts', async () => {
    failNext(2, 1, 0);
    await expect(ask(pool, checks.slice(0, 1))).rejects.toMatchObject({ code: 'internal' });
    await expect(ask(pool, checks.slice(0, 1))).rejects.toMatchObject({ code: 'internal' });
    expect(await ask(pool, checks)).toEqual(signersOf(checks));
    expect(lost).toEqual(['a signature thread ended', ...Array(2).fill('this thread is set not to start')]);
  });

  it('at the start keeps the pool from opening, and says why', async () => {
    failNext(1, 0, 0);
    await expect(SignaturePool.open({ workers: 2, entry })).rejects.toThrow('this thread is set not to start');
  });
});
