// A long chain is replayed with progress and comes out the same.

import type { Hex } from '@presage/protocol';
import { isLongRun } from '@presage/testkit';
import { expect, it } from 'vitest';
import { ask, makeDataDir, readBlock, SOMEBODY, signAs, startChain } from './chain-client.ts';

const BLOCKS = isLongRun ? 10_000 : 400;

it(`replays ${BLOCKS} blocks, each with a transaction, to the same head and state root`, async () => {
  const dataDir = await makeDataDir();
  const first = await startChain({ dataDir });
  await ask(first.url, 'presage_faults', { mining: 'held' });
  for (let nonce = 0; nonce < BLOCKS; nonce += 1) {
    await ask<Hex>(first.url, 'eth_sendRawTransaction', await signAs('owner', { nonce, to: SOMEBODY, value: 1n }));
    await ask(first.url, 'presage_mine');
  }
  const before = await readBlock(first.url);
  await first.kill();

  const progress: [number, number][] = [];
  const second = await startChain({ dataDir, onProgress: (done, total) => progress.push([done, total]) });
  expect(await readBlock(second.url)).toEqual(before);
  expect(second.ready).toMatchObject({ blockNumber: BLOCKS, blockHash: before.hash, replayedBlocks: BLOCKS });
  // One record for genesis, and for each block one of its transaction and one of itself.
  expect(progress[0]).toEqual([0, 1 + 2 * BLOCKS]);
  expect(progress.at(-1)).toEqual([1 + 2 * BLOCKS, 1 + 2 * BLOCKS]);
  expect(progress.map(([done]) => done)).toEqual(progress.map(([done]) => done).toSorted((a, b) => a - b));
  console.log(
    `replayed ${BLOCKS} blocks in ${second.ready.replayMs} ms, ${(second.ready.replayMs / BLOCKS).toFixed(2)} ms each`,
  );
});
