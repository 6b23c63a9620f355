// A reorganisation replaces the newest blocks, in every mode and depth, and is the same again after a restart.
import type { Hex } from '@presage/protocol';
import { createPublicClient, type Log, webSocket } from 'viem';
import { foundry } from 'viem/chains';
import { describe, expect, it } from 'vitest';
import { keyOf } from '../src/sandbox-keys.ts';
import {
  ask,
  askForFault,
  deployWitness,
  makeDataDir,
  readBlock,
  readBlocks,
  readReceipt,
  SOMEBODY,
  sendAs,
  startChain,
} from './chain-client.ts';

/** Blocks 1..count with one transfer of a wei by each of two senders. */
async function mineTransfers(url: string, count: number, firstNonce = 0): Promise<Hex[]> {
  await ask(url, 'presage_faults', { mining: 'held' });
  const hashes: Hex[] = [];
  for (let nonce = firstNonce; nonce < firstNonce + count; nonce += 1) {
    for (const role of ['settler', 'relayer'] as const) {
      hashes.push(await sendAs(url, role, { nonce, to: SOMEBODY, value: 1n }));
    }
    await ask(url, 'presage_mine');
  }
  return hashes;
}

describe('presage_reorg', () => {
  it('keeps the transactions, under other hashes and one block longer, at depths 1 to 10', async () => {
    const dataDir = await makeDataDir();
    const chain = await startChain({ dataDir });
    let expected = 0n;
    for (let depth = 1; depth <= 10; depth += 1) {
      await mineTransfers(chain.url, 1, depth - 1);
      expected += 2n;
      if ((await readBlock(chain.url)).number < depth) continue;
      const before = await readBlocks(chain.url, 0);
      await ask(chain.url, 'presage_reorg', { depth, transactions: 'keep' });
      const after = await readBlocks(chain.url, 0);
      const kept = before.length - depth;
      expect(after).toHaveLength(before.length + 1);
      expect(after.slice(0, kept)).toEqual(before.slice(0, kept));
      for (const [index, old] of before.slice(kept).entries()) {
        expect(after[kept + index]?.hash).not.toBe(old.hash);
        expect(after[kept + index]?.transactions).toEqual(old.transactions);
      }
      expect(BigInt(await ask<Hex>(chain.url, 'eth_getBalance', SOMEBODY, 'latest'))).toBe(expected);
    }
    const live = await readBlocks(chain.url, 0);
    await chain.kill();
    const again = await startChain({ dataDir });
    expect(await readBlocks(again.url, 0)).toEqual(live);
  });

  it('drops the transactions: their effects, receipts and nonces disappear, also after a restart', async () => {
    const dataDir = await makeDataDir();
    const chain = await startChain({ dataDir });
    const hashes = await mineTransfers(chain.url, 5);
    await ask(chain.url, 'presage_reorg', { depth: 3, transactions: 'drop' });
    const check = async (url: string) => {
      expect(await ask(url, 'eth_getBalance', SOMEBODY, 'latest')).toBe('0x4');
      expect(await ask(url, 'eth_getTransactionCount', keyOf('settler').address, 'pending')).toBe('0x2');
      expect(await readReceipt(url, hashes.at(-1)!)).toBeNull();
      expect(await ask(url, 'eth_getTransactionByHash', hashes.at(-1)!)).toBeNull();
      return readBlocks(url, 0);
    };
    const live = await check(chain.url);
    expect(live).toHaveLength(7);
    await chain.kill();
    const again = await startChain({ dataDir });
    expect(await check(again.url)).toEqual(live);
  });

  it('shuffles the transactions between senders but keeps all of them', async () => {
    const dataDir = await makeDataDir();
    const chain = await startChain({ dataDir });
    const hashes = await mineTransfers(chain.url, 6);
    await ask(chain.url, 'presage_reorg', { depth: 6, transactions: 'shuffle' });
    const live = await readBlocks(chain.url, 0);
    const mined = live.flatMap(({ transactions }) => transactions);
    expect(mined).not.toEqual(hashes);
    expect(new Set(mined)).toEqual(new Set(hashes));
    await chain.kill();
    const again = await startChain({ dataDir });
    expect(await readBlocks(again.url, 0)).toEqual(live);
  });

  it('goes deep on a long chain and refuses to go beyond genesis or its memory', async () => {
    const chain = await startChain();
    expect((await askForFault(chain.url, 'presage_reorg', { depth: 1 })).message).toBe('depth must be at most 0 here');
    await mineTransfers(chain.url, 20);
    await ask(chain.url, 'presage_mine', 200);
    for (const depth of [64, 33, 1, 64]) {
      const before = await readBlocks(chain.url, 0);
      await ask(chain.url, 'presage_reorg', { depth });
      const after = await readBlocks(chain.url, 0);
      expect(after.length).toBe(before.length + 1);
      expect(after.slice(0, before.length - depth)).toEqual(before.slice(0, before.length - depth));
    }
    expect((await askForFault(chain.url, 'presage_reorg', { depth: 65 })).message).toBe(
      'depth must be at most 64 here',
    );
    expect(await ask(chain.url, 'eth_getBalance', SOMEBODY, 'latest')).toBe('0x28');
  });

  it('sends log subscribers what was removed and what replaced it', async () => {
    const chain = await startChain();
    const witness = await deployWitness(chain.url);
    const reader = createPublicClient({ chain: foundry, transport: webSocket(chain.wsUrl) });
    const logs: Log[] = [];
    const stop = reader.watchEvent({ address: witness, onLogs: (found) => logs.push(...found) });
    await expect.poll(() => ask(chain.url, 'presage_status')).toMatchObject({ subscriptions: 1 });
    const hash = await sendAs(chain.url, 'owner', { nonce: 1, to: witness });
    await readReceipt(chain.url, hash);
    await ask(chain.url, 'presage_reorg', { depth: 1, transactions: 'keep' });
    await expect
      .poll(() => logs.map((log) => [log.transactionHash, log.removed]))
      .toEqual([
        [hash, false],
        [hash, true],
        [hash, false],
      ]);
    expect(logs[0]?.blockHash).toBe(logs[1]?.blockHash);
    expect(logs[2]?.blockHash).not.toBe(logs[1]?.blockHash);
    stop();
    (await reader.transport.getRpcClient()).close();
  });

  it('returns to a polled filter what was removed and what replaced it, and nothing of older blocks', async () => {
    const { url } = await startChain();
    const witness = await deployWitness(url);
    await readReceipt(url, await sendAs(url, 'owner', { nonce: 1, to: witness }));
    const [logs, blocks] = [
      await ask(url, 'eth_newFilter', { address: witness, fromBlock: '0x0' }),
      await ask(url, 'eth_newBlockFilter'),
    ];
    const hash = await sendAs(url, 'owner', { nonce: 2, to: witness });
    await readReceipt(url, hash);
    const old = await readBlock(url);
    await ask(url, 'presage_reorg', { depth: 1, transactions: 'keep' });
    const changes = await ask<Log[]>(url, 'eth_getFilterChanges', logs);
    expect(changes.map((log) => [log.transactionHash, log.removed])).toEqual([
      [hash, false],
      [hash, true],
      [hash, false],
    ]);
    const [again, extra] = await readBlocks(url, old.number);
    expect(await ask(url, 'eth_getFilterChanges', blocks)).toEqual([old.hash, again?.hash, extra?.hash]);
    expect(await ask(url, 'eth_getFilterChanges', blocks)).toEqual([]);
    expect(await ask(url, 'eth_getFilterLogs', logs)).toHaveLength(2);
    expect(await ask(url, 'eth_uninstallFilter', logs)).toBe(true);
    expect((await askForFault(url, 'eth_getFilterChanges', logs)).message).toBe('filter not found');
  });
});
