// A chain goes on from a snapshot through deep reorganisations, questions about old blocks and contracts that ask for hashes.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { waitFor } from '@presage/testkit';
import { describe, expect, it } from 'vitest';
import { keyOf } from '../src/sandbox-keys.ts';
import { makeDataDir, SOMEBODY } from './chain-client.ts';
import { ChainActivity, Dice, mineMixed, type OpenChain, openChain, readEverything } from './snapshot-chain.ts';

const CALL_TRACER = { tracer: 'callTracer' };

async function savedBlocks(dataDir: string): Promise<number[]> {
  const names = await readdir(join(dataDir, 'snapshots'));
  return names.flatMap((name) => /^state-\d+-(\d{10})-[0-9a-f]{8}$/.exec(name)?.[1] ?? []).map(Number);
}

describe('a chain with snapshots', () => {
  it('goes back by 64 blocks right after it went on from a snapshot, also after a restart', async () => {
    const dataDir = await makeDataDir();
    const activity = new ChainActivity(new Dice('deep'));
    const first = await openChain(dataDir);
    for (let part = 0; part < 3; part += 1) {
      await mineMixed(first, activity, 30);
      await first.chain.checkpoint();
    }
    await first.ask('presage_reorg', { depth: 64, transactions: 'shuffle' });
    const before = await readEverything(first, activity);
    await first.close();
    const second = await openChain(dataDir);
    expect(await readEverything(second, activity)).toEqual(before);
    await second.chain.checkpoint();
    const head = second.chain.head;
    await second.close();
    const third = await openChain(dataDir);
    expect(third.chain.replayedBlocks).toBe(0);
    expect(third.chain.head.hash).toBe(head.hash);
    await third.ask('presage_reorg', { depth: 64, transactions: 'keep' });
    const after = await readEverything(third, activity);
    expect(third.damages).toEqual([]);
    await third.close();
    const plain = await openChain(dataDir, 'none');
    expect(await readEverything(plain, activity)).toEqual(after);
    await plain.close();
  });

  it('saves its state while it is busy, also after a reorganisation, and comes back from there', async () => {
    const dataDir = await makeDataDir();
    const activity = new ChainActivity(new Dice('busy'));
    const first = await openChain(dataDir, 'snapshots', 1);
    await mineMixed(first, activity, 70);
    await first.chain.checkpoint();
    const mineUntilSaved = async (from: number) => {
      const isSaved = async () => {
        await mineMixed(first, activity, 1);
        return (await savedBlocks(dataDir)).some((number) => number >= from);
      };
      await waitFor(`a state of block ${from} or later is saved`, isSaved, { timeoutMs: 120_000, pollMs: 1 });
    };
    // Far enough that states of earlier blocks are removed, and that of the block which the node began from is not.
    for (let part = 0; part < 4; part += 1) await mineUntilSaved(first.chain.head.number + 20);
    await first.ask('presage_reorg', { depth: 10, transactions: 'shuffle' });
    await mineUntilSaved(first.chain.head.number + 1);
    const before = await readEverything(first, activity);
    expect(first.damages).toEqual([]);
    await first.close();
    const second = await openChain(dataDir);
    expect(second.damages).toEqual([]);
    expect(second.chain.replayedBlocks).toBeLessThan(40);
    expect(await readEverything(second, activity)).toEqual(before);
    await mineMixed(second, activity, 10);
    const after = await readEverything(second, activity);
    await second.close();
    // From the same state again, with all snapshots lost, and as if there were none.
    for (const snapshots of ['snapshots', 'lost', 'none']) {
      const again = await openChain(dataDir, snapshots);
      expect(again.damages).toEqual([]);
      expect(await readEverything(again, activity)).toEqual(after);
      await again.close();
    }
  });

  it('saves its state in a pause between blocks where they are enough for that, and too few to do it at once', async () => {
    const dataDir = await makeDataDir();
    const activity = new ChainActivity(new Dice('pause'));
    const first = await openChain(dataDir, 'snapshots', 3_000_000);
    await mineMixed(first, activity, 70);
    await first.chain.checkpoint();
    const { number } = first.chain.head;
    // Work for two snapshots; at three it would no longer wait for a pause.
    await first.ask('presage_mine', 60);
    await waitFor('its state is saved', async () => (await savedBlocks(dataDir)).some((saved) => saved > number));
    expect(first.damages).toEqual([]);
    await first.close();
  });

  it('answers calls and counts at old blocks, and traces old transactions, as a chain that kept all states does', async () => {
    const dataDir = await makeDataDir();
    const activity = new ChainActivity(new Dice('history'));
    const open = await openChain(dataDir);
    await mineMixed(open, activity, 70);
    await open.chain.checkpoint();
    await mineMixed(open, activity, 10);
    await open.chain.checkpoint();
    const numbers = [0, 1, 15, open.chain.head.number - 11, open.chain.head.number - 3, open.chain.head.number];
    const questions = (chain: OpenChain) =>
      Promise.all(
        numbers.flatMap((number) => {
          const tag = `0x${number.toString(16)}`;
          const [contract] = activity.contracts;
          return [
            chain.ask('eth_getTransactionCount', keyOf('owner').address, tag),
            chain.ask('eth_getBalance', SOMEBODY, tag),
            chain.ask('eth_getStorageAt', contract, '0x0', { blockNumber: tag }),
            chain.ask('eth_call', { to: contract, data: '0x' }, tag).catch((error: Error) => error.message),
            // Answers the time and the randomness of the block.
            chain.ask('eth_call', { data: '0x425f524460205260405ff3' }, tag),
          ];
        }),
      );
    const live = await questions(open);
    const traces = (chain: OpenChain) =>
      Promise.all([3, 40, -1].map((at) => chain.ask('debug_traceTransaction', activity.hashes.at(at), CALL_TRACER)));
    const liveTraces = await traces(open);
    await open.close();
    const plain = await openChain(dataDir, 'none');
    expect(await questions(plain)).toEqual(live);
    expect(await traces(plain)).toEqual(liveTraces);
    await plain.close();
  });

  it('finds old logs and blocks by numbers with leading zeros, and no block by a number in the place of a hash', async () => {
    const dataDir = await makeDataDir();
    const activity = new ChainActivity(new Dice('numbers'));
    const open = await openChain(dataDir);
    await mineMixed(open, activity, 70);
    await open.chain.checkpoint();
    await mineMixed(open, activity, 3);
    const all = await open.ask<unknown[]>('eth_getLogs', { fromBlock: 'earliest' });
    expect(all.length).toBeGreaterThan(0);
    expect(await open.ask('eth_getLogs', { fromBlock: `0x${'1'.padStart(64, '0')}`, blockHash: null })).toEqual(all);
    const toBlock = `0x${'20'.padStart(16, '0')}`;
    expect(await open.ask('eth_getLogs', { fromBlock: '0x0', toBlock })).toEqual(
      await open.ask('eth_getLogs', { fromBlock: '0x0', toBlock: '0x20' }),
    );
    await expect(open.ask('eth_getBlockByNumber', 5, false)).rejects.toMatchObject({ code: -32602 });
    await expect(open.ask('eth_getBlockByHash', '0x5', false)).rejects.toMatchObject({ code: -32602 });
    await open.close();
  });

  it('executes a contract that asks for block hashes again as it did before, with its snapshots and without', async () => {
    const dataDir = await makeDataDir();
    const activity = new ChainActivity(new Dice('hashes'));
    const open = await openChain(dataDir);
    // Keeps the hash of the block before in the slot of its number.
    const contract = await activity.deploy(open, '6001430340435500');
    for (let round = 0; round < 2; round += 1) {
      await open.ask('presage_mine', 70);
      await open.chain.checkpoint();
      await activity.call(open, contract);
      await open.ask('presage_mine');
    }
    const before = await readEverything(open, activity);
    expect(open.damages).toEqual([]);
    await open.close();
    for (const snapshots of ['snapshots', 'fresh']) {
      const again = await openChain(dataDir, snapshots);
      expect(await readEverything(again, activity), snapshots).toEqual(before);
      expect(again.damages).toEqual([]);
      await again.close();
    }
  });
});
