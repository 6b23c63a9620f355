// The signature threads: right answers in order, a bounded queue, and an orderly end.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { isLongRun, SeededRandom, seedFromEnv } from '@presage/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import vectors from '../../../vectors/orders.json' with { type: 'json' };
import { SignaturePool } from '../src/signature-pool.ts';
import { ask, drawChecks, signersOf } from './random-checks.ts';

const CHECKS = isLongRun ? 20_000 : 500;
const SEED = seedFromEnv(20_261_115);

describe('a signature pool', () => {
  let pool: SignaturePool;
  beforeAll(async () => {
    pool = await SignaturePool.open({ workers: 2, maxQueued: CHECKS });
  });
  afterAll(() => pool.close());

  it(`recovers the signer of each of ${CHECKS} random checks, good and bad mixed`, async () => {
    const checks = drawChecks(new SeededRandom(SEED), CHECKS);
    expect(await ask(pool, checks), `seed ${SEED}`).toEqual(signersOf(checks));
    expect(pool.outstanding).toBe(0);
  });

  it('takes no more than its bound, refuses the rest at once, and takes more when it has answered', async () => {
    const checks = drawChecks(new SeededRandom(SEED + 1), CHECKS + 3);
    const answers = checks.map(({ digest, signature }) => pool.recover(digest, signature));
    expect(pool.outstanding).toBe(CHECKS);
    const settled = await Promise.allSettled(answers);
    expect(settled.slice(0, CHECKS).every(({ status }) => status === 'fulfilled')).toBe(true);
    for (const late of settled.slice(CHECKS)) {
      expect(late).toMatchObject({ status: 'rejected', reason: { code: 'rate_limited', status: 429 } });
    }
    expect(await ask(pool, checks.slice(0, 1))).toEqual(signersOf(checks.slice(0, 1)));
  });

  it('answers bursts of every length, also those that come while its threads are at work', async () => {
    const random = new SeededRandom(SEED + 3);
    const checks = drawChecks(random, isLongRun ? 2_000 : 200);
    const answers: ReturnType<typeof pool.recover>[] = [];
    while (answers.length < checks.length) {
      const burst = checks.slice(answers.length, answers.length + random.int(1, 70));
      for (const { digest, signature } of burst) answers.push(pool.recover(digest, signature));
      // Turns of the loop, of which each may bring answers of earlier bursts.
      for (let turns = random.int(0, 3); turns > 0; turns--) await new Promise(setImmediate);
    }
    expect(await Promise.all(answers), `seed ${SEED + 3}`).toEqual(signersOf(checks));
    expect(pool.outstanding).toBe(0);
  });

  it('refuses a check of another width rather than read it as part of its neighbour', () => {
    expect(() => pool.recover(new Uint8Array(32), new Uint8Array(64))).toThrow(RangeError);
    expect(() => pool.recover(new Uint8Array(31), new Uint8Array(65))).toThrow(RangeError);
  });
});

describe('an end', () => {
  it('answers everything that was accepted, in order, takes nothing more, and may come twice', async () => {
    const pool = await SignaturePool.open({ workers: 1 });
    const checks = drawChecks(new SeededRandom(SEED + 2), 200);
    const finished: number[] = [];
    const answers = checks.map(async ({ digest, signature }, index) => {
      const signer = await pool.recover(digest, signature);
      finished.push(index);
      return signer;
    });
    const closed = pool.close();
    await expect(pool.recover(checks[0]!.digest, checks[0]!.signature)).rejects.toMatchObject({ code: 'overloaded' });
    await closed;
    await pool.close();
    expect(await Promise.all(answers)).toEqual(signersOf(checks));
    expect(finished).toEqual(checks.map((_, index) => index));
  });
});

describe('under plain tsx', () => {
  it('the threads run from TypeScript source and the process ends by itself', async () => {
    const program = fileURLToPath(new URL('./pool-program.ts', import.meta.url));
    const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', program], { timeout: 50_000 });
    const { kind, signers } = JSON.parse(stdout) as { kind: string; signers: string[] };
    expect(['native', 'wasm']).toContain(kind);
    expect(signers).toEqual(vectors.orders.map(({ signer }) => signer));
  });
});
