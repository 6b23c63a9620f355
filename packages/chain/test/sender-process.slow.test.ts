// A sender in its own process, killed with SIGKILL again and again: the file it leaves is enough to go on.
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inheritedEnvironment, isLongRun, RUNNER, SeededRandom, seedFromEnv } from '@presage/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { amountOf, ChainFixture } from './chain-fixture.ts';
import { FaultyRpc } from './faulty-rpc.ts';
import { SETTLER } from './sandbox-accounts.ts';

const OPERATIONS = isLongRun ? 200 : 40;
const SEED = seedFromEnv(7);
const MAIN = fileURLToPath(new URL('sender-process.ts', import.meta.url));

let chain: ChainFixture;
let folder: string;
beforeAll(async () => {
  chain = await ChainFixture.open();
  folder = await mkdtemp(join(tmpdir(), 'presage-sender-'));
});
afterAll(async () => {
  await chain.close();
  await rm(folder, { recursive: true, force: true });
});

/** How the process ended: a signal's name, or its exit code. */
function runProcess(configPath: string): Promise<string> {
  const child = spawn(process.execPath, [RUNNER, MAIN, configPath], {
    env: inheritedEnvironment(),
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return new Promise((resolve) => child.once('exit', (code, signal) => resolve(signal ?? String(code))));
}

describe('a sender process that is killed with SIGKILL', () => {
  it(`executes ${OPERATIONS} operations exactly once each from the journal file it leaves (seed ${SEED})`, async () => {
    const random = new SeededRandom(SEED);
    const proxy = await FaultyRpc.open({
      target: chain.process.url,
      seed: SEED,
      rates: { transport: 0.02, send: 0.2, read: 0.03 },
    });
    const operations = Array.from({ length: OPERATIONS }, (_, index) => {
      const { operationId, to, data } = chain.mint(index);
      return { operationId, to, data };
    });
    const configPath = join(folder, 'config.json');
    const journalPath = join(folder, 'journal.jsonl');
    let kills = 0;
    for (;;) {
      const killAtStep = 1 + random.below(80);
      await writeFile(configPath, JSON.stringify({ url: proxy.url, journalPath, killAtStep, operations }));
      const end = await runProcess(configPath);
      if (end === '0') break;
      expect(end).toBe('SIGKILL');
      kills += 1;
      await chain.mine();
    }
    await proxy.close();
    console.log(`seed ${SEED}: ${OPERATIONS} operations, ${kills} kills`);
    expect(kills).toBeGreaterThan(4);

    const transactions = await chain.transactionsOf(SETTLER.address);
    expect(transactions.map(({ nonce }) => nonce)).toEqual(transactions.map((_, position) => position));
    expect(transactions).toHaveLength(OPERATIONS);
    for (let index = 0; index < OPERATIONS; index += 1) expect(await chain.mintedBy(index)).toBe(amountOf(index));
  });
});
