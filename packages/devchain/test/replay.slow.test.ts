// A long chain without snapshots is replayed with progress, and from then on comes back from a snapshot.

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Hex } from '@presage/protocol';
import { isLongRun } from '@presage/testkit';
import { expect, it } from 'vitest';
import { ask, makeDataDir, readBlock, SOMEBODY, signAs, startChain } from './chain-client.ts';

const NEVER = Number.MAX_SAFE_INTEGER;
const BLOCKS = isLongRun ? 10_000 : 120;
/** What the transfers of all blocks use, so that a snapshot is due after the replay. */
const SNAPSHOT_GAS = BLOCKS * 21_000;

it(`replays ${BLOCKS} blocks, each with a transaction, to the same head and state root`, async () => {
  const dataDir = await makeDataDir();
  const first = await startChain({ dataDir, snapshotGas: NEVER });
  await ask(first.url, 'presage_faults', { mining: 'held' });
  for (let nonce = 0; nonce < BLOCKS; nonce += 1) {
    await ask<Hex>(first.url, 'eth_sendRawTransaction', await signAs('owner', { nonce, to: SOMEBODY, value: 1n }));
    await ask(first.url, 'presage_mine');
  }
  const before = await readBlock(first.url);
  await first.kill();

  const progress: [number, number][] = [];
  const second = await startChain({
    dataDir,
    snapshotGas: SNAPSHOT_GAS,
    onProgress: (done, total) => progress.push([done, total]),
  });
  expect(await readBlock(second.url)).toEqual(before);
  expect(second.ready).toMatchObject({ blockNumber: BLOCKS, blockHash: before.hash, replayedBlocks: BLOCKS });
  // For each block one record of its transaction and one of itself.
  expect(progress[0]).toEqual([0, 2 * BLOCKS]);
  expect(progress.at(-1)).toEqual([2 * BLOCKS, 2 * BLOCKS]);
  expect(progress.map(([done]) => done)).toEqual(progress.map(([done]) => done).toSorted((a, b) => a - b));
  console.log(
    `replayed ${BLOCKS} blocks in ${second.ready.replayMs} ms, ${(second.ready.replayMs / BLOCKS).toFixed(2)} ms each`,
  );

  await expect.poll(() => listSnapshots(dataDir), { timeout: 120_000 }).toHaveLength(1);
  await second.kill();
  const third = await startChain({ dataDir });
  expect(third.ready).toMatchObject({ blockNumber: BLOCKS, blockHash: before.hash, replayedBlocks: 0 });
  expect(await readBlock(third.url)).toEqual(before);
  expect(await readBlock(third.url, 1)).toMatchObject({ number: 1, transactions: [expect.any(String)] });
  console.log(`came back from a snapshot in ${third.ready.replayMs} ms`);
});

async function listSnapshots(dataDir: string): Promise<string[]> {
  return (await readdir(join(dataDir, 'snapshots'))).filter((name) => /^state-[0-9a-f-]+$/.test(name));
}
