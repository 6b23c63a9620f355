// A chain goes on from a snapshot through deep reorganisations, questions about old blocks and contracts that ask for hashes.
import { describe, expect, it } from 'vitest';
import { keyOf } from '../src/sandbox-keys.ts';
import { makeDataDir, SOMEBODY } from './chain-client.ts';
import { ChainActivity, Dice, mineMixed, type OpenChain, openChain, readEverything } from './snapshot-chain.ts';

const CALL_TRACER = { tracer: 'callTracer' };

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
