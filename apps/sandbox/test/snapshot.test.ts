// A chain goes on from a snapshot through deep reorganisations, questions about old blocks and damaged files.
import { cp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { keyOf } from '../src/chain/sandbox-keys.ts';
import { makeDataDir, SOMEBODY } from './chain-client.ts';
import { Deeds, Dice, type OpenChain, openChain, portray } from './snapshot-chain.ts';

const CALL_TRACER = { tracer: 'callTracer' };

describe('a chain with snapshots', () => {
  it('goes back by 64 blocks right after it went on from a snapshot, also after a restart', async () => {
    const dataDir = await makeDataDir();
    const deeds = new Deeds(new Dice('deep'));
    const first = await openChain(dataDir);
    for (let part = 0; part < 3; part += 1) {
      await mineMixed(first, deeds, 30);
      await first.chain.checkpoint();
    }
    await first.ask('presage_reorg', { depth: 64, transactions: 'shuffle' });
    const before = await portray(first, deeds);
    await first.close();
    const second = await openChain(dataDir);
    expect(await portray(second, deeds)).toEqual(before);
    await second.chain.checkpoint();
    const head = second.chain.head;
    await second.close();
    const third = await openChain(dataDir);
    expect(third.chain.replayedBlocks).toBe(0);
    expect(third.chain.head.hash).toBe(head.hash);
    await third.ask('presage_reorg', { depth: 64, transactions: 'keep' });
    const after = await portray(third, deeds);
    expect(third.damages).toEqual([]);
    await third.close();
    const plain = await openChain(dataDir, 'none');
    expect(await portray(plain, deeds)).toEqual(after);
    await plain.close();
  });

  it('answers calls and counts at old blocks, and traces old transactions, as a chain does that never forgot them', async () => {
    const dataDir = await makeDataDir();
    const deeds = new Deeds(new Dice('history'));
    const open = await openChain(dataDir);
    await mineMixed(open, deeds, 90);
    await open.chain.checkpoint();
    await mineMixed(open, deeds, 30);
    await open.chain.checkpoint();
    const numbers = [0, 1, 45, open.chain.head.number - 31, open.chain.head.number - 3, open.chain.head.number];
    const questions = (chain: OpenChain) =>
      Promise.all(
        numbers.flatMap((number) => {
          const tag = `0x${number.toString(16)}`;
          const [contract] = deeds.contracts;
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
      Promise.all([3, 40, -1].map((at) => chain.ask('debug_traceTransaction', deeds.hashes.at(at), CALL_TRACER)));
    const liveTraces = await traces(open);
    await open.close();
    const plain = await openChain(dataDir, 'none');
    expect(await questions(plain)).toEqual(live);
    expect(await traces(plain)).toEqual(liveTraces);
    await plain.close();
  });

  it('passes over a damaged or missing snapshot or archive and comes out the same', async () => {
    const dataDir = await makeDataDir();
    const deeds = new Deeds(new Dice('damage'));
    const open = await openChain(dataDir);
    for (let part = 0; part < 3; part += 1) {
      await mineMixed(open, deeds, 70);
      await open.chain.checkpoint();
    }
    const before = await portray(open, deeds);
    await open.close();
    const dir = join(dataDir, 'snapshots');
    const states = (await readdir(dir)).filter((name) => name.startsWith('state-')).sort();
    const segments = (await readdir(dir)).filter((name) => name.startsWith('blocks-')).sort();
    const newest = states.at(-1)!;
    const damages: [string, () => Promise<unknown>][] = [
      ['a flipped bit', () => flip(join(dir, newest), 0.5)],
      ['a file cut short', () => truncate(join(dir, newest), 100)],
      ['an empty file', () => truncate(join(dir, newest), 0)],
      ['no file', () => rm(join(dir, newest))],
      ['a damaged index of blocks', () => flip(join(dir, segments.at(-1)!), -50)],
      ['no file of the first blocks', () => rm(join(dir, segments[0]!))],
      ['no snapshots at all', () => rm(dir, { recursive: true })],
      ['remains of a write', () => writeFile(join(dir, 'state-000000000999-0000000500-abcdef01.tmp'), 'half')],
    ];
    for (const [what, damage] of damages) {
      await damage();
      const again = await openChain(dataDir);
      expect(await portray(again, deeds), what).toEqual(before);
      await again.close();
    }
    const whole = await openChain(dataDir);
    expect(whole.damages).toEqual([]);
    expect(whole.chain.replayedBlocks).toBe(0);
    await whole.close();
  });

  it('refuses to answer from damaged old blocks, and makes them again at the next start', async () => {
    const dataDir = await makeDataDir();
    const deeds = new Deeds(new Dice('blocks'));
    const open = await openChain(dataDir);
    await mineMixed(open, deeds, 70);
    await open.chain.checkpoint();
    const before = await portray(open, deeds);
    await open.close();
    const dir = join(dataDir, 'snapshots');
    // In the block itself, and in the blooms.
    for (const where of [0.001, 0.9]) {
      const [segment] = (await readdir(dir)).filter((name) => name.startsWith('blocks-'));
      await flip(join(dir, segment!), where);
      const damaged = await openChain(dataDir);
      await expect(portray(damaged, deeds)).rejects.toThrow('a restart of the chain makes the file again');
      await damaged.close();
      const again = await openChain(dataDir);
      expect(await portray(again, deeds)).toEqual(before);
      await again.close();
    }
  });

  it('executes a contract that asks for block hashes again as it did before, with its snapshots and without', async () => {
    const dataDir = await makeDataDir();
    const deeds = new Deeds(new Dice('hashes'));
    const open = await openChain(dataDir);
    // Keeps the hash of the block before in the slot of its number.
    const contract = await deeds.deploy(open, '6001430340435500');
    for (let round = 0; round < 3; round += 1) {
      await open.ask('presage_mine', 70);
      await open.chain.checkpoint();
      await deeds.call(open, contract);
      await open.ask('presage_mine');
    }
    const before = await portray(open, deeds);
    expect(open.damages).toEqual([]);
    await open.close();
    for (const snapshots of ['snapshots', 'fresh']) {
      const again = await openChain(dataDir, snapshots);
      expect(await portray(again, deeds), snapshots).toEqual(before);
      expect(again.damages).toEqual([]);
      await again.close();
    }
  });

  it('refuses a snapshot of another chain', async () => {
    const [one, other] = [await makeDataDir(), await makeDataDir()];
    const deeds = new Deeds(new Dice('one'));
    const first = await openChain(one);
    await mineMixed(first, deeds, 70);
    await first.chain.checkpoint();
    await first.close();
    const second = await openChain(other);
    await second.ask('presage_setTimeOffset', 5_000);
    await second.ask('presage_mine', 80);
    const { hash } = second.chain.head;
    await second.close();
    await cp(join(one, 'snapshots'), join(other, 'snapshots'), { recursive: true });
    const again = await openChain(other);
    expect(again.chain.head.hash).toBe(hash);
    await again.close();
  });
});

async function mineMixed(open: OpenChain, deeds: Deeds, blocks: number): Promise<void> {
  for (let mined = 0; mined < blocks; mined += 1) {
    if (mined % 10 === 0) await deeds.deploy(open);
    else await deeds.call(open);
    await open.ask('presage_mine');
  }
}

/** Changes one bit: at this part of the file, or so many bytes before its end. */
async function flip(path: string, where: number): Promise<void> {
  const bytes = await readFile(path);
  const at = where < 0 ? bytes.length + where : Math.floor(bytes.length * where);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  await writeFile(path, bytes);
}
