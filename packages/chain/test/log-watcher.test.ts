// The log watcher on a real chain: every canonical block once, in order, through reorgs, false answers and restarts.
import type { Hex, LogCursor } from '@presage/protocol';
import { SeededRandom, seedFromEnv, waitFor } from '@presage/testkit';
import { decodeEventLog, toEventSelector } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { JsonRpc } from '../src/json-rpc.ts';
import { ChainInconsistent, type WatchedLog } from '../src/log-reader.ts';
import { LogWatcher, type LogWatcherOptions, ReorgTooDeep, type WatchedBlock } from '../src/log-watcher.ts';
import { NodeReader } from '../src/node-reader.ts';
import { isRpcFailure, RpcError } from '../src/rpc.ts';
import { amountOf, ChainFixture } from './chain-fixture.ts';
import { FaultyRpc } from './faulty-rpc.ts';
import { InterceptedRpc } from './intercepted-rpc.ts';
import { LaggingRpc } from './lagging-rpc.ts';
import { OWNER_ADDRESS } from './sandbox-accounts.ts';

const SEED = seedFromEnv(11);
const TRANSFER = toEventSelector('Transfer(address,address,uint256)');

let chain: ChainFixture;
let index = 0;
beforeAll(async () => {
  chain = await ChainFixture.open();
  await chain.holdMining(true);
});
afterAll(() => chain.close());

/** A follower that keeps what it received, and checks that it came in order. */
class Follower {
  blocks: WatchedBlock[] = [];
  rewinds: number[] = [];
  cursor: LogCursor | undefined;
  readonly watcher: LogWatcher;

  constructor(options: Partial<LogWatcherOptions> = {}) {
    this.watcher = new LogWatcher({
      rpc: chain.rpc,
      filters: [{ addresses: [chain.token.address], topics: [TRANSFER] }],
      fromBlock: 1,
      onBlock: (block, cursor) => this.#take(block, cursor),
      onRewind: ({ toBlock }, cursor) => {
        this.blocks = this.blocks.filter(({ blockNumber }) => blockNumber <= toBlock);
        this.rewinds.push(toBlock);
        this.cursor = cursor;
      },
      ...options,
    });
  }

  #take(block: WatchedBlock, cursor: LogCursor): void {
    const last = this.blocks.at(-1);
    if (last !== undefined) {
      expect(block.blockNumber).toBe(last.blockNumber + 1);
      expect(block.parentHash).toBe(last.blockHash);
    }
    this.blocks.push(block);
    this.cursor = cursor;
  }

  async catchUp(): Promise<void> {
    while ((await this.watcher.step()) !== 'idle') {}
  }

  /** As `catchUp`, against a node that answers falsely: failed steps are repeated, never skipped. */
  async catchUpThroughFaults(): Promise<void> {
    for (let calm = 0; calm < 3; ) {
      try {
        calm = (await this.watcher.step()) === 'idle' ? calm + 1 : 0;
      } catch (error) {
        if (!isRpcFailure(error) && !(error instanceof ChainInconsistent)) throw error;
      }
    }
  }

  amounts(): bigint[] {
    return this.blocks.flatMap(({ logs }) => logs.map(amountIn));
  }

  hashes(): Hex[] {
    return this.blocks.map(({ blockHash }) => blockHash);
  }
}

function amountIn({ data, topics }: WatchedLog): bigint {
  return decodeEventLog({ abi: chain.token.abi, eventName: 'Transfer', data, topics: [...topics] as [Hex, ...Hex[]] })
    .args.amount;
}

async function mintInNextBlock(): Promise<bigint> {
  index += 1;
  const { to, data } = chain.mint(index);
  await chain.rpc.request('presage_sendAs', [{ from: OWNER_ADDRESS, to, data }]);
  await chain.mine();
  return amountOf(index);
}

async function canonicalHashes(from = 1): Promise<Hex[]> {
  const numbers = Array.from({ length: (await chain.head()) - from + 1 }, (_, offset) => from + offset);
  const calls = numbers.map((number) => ({
    method: 'eth_getBlockByNumber',
    params: [`0x${number.toString(16)}`, false],
  }));
  return (await chain.rpc.batch(calls)).map((outcome) => (outcome as { result: { hash: Hex } }).result.hash);
}

describe('a log watcher', () => {
  it('delivers every block once, with its logs, and resumes from its cursor', async () => {
    const first = new Follower();
    const amounts = [await mintInNextBlock(), await mintInNextBlock()];
    await chain.mine(3);
    await first.catchUp();
    expect(first.amounts().slice(-2)).toEqual(amounts);
    expect(first.hashes()).toEqual(await canonicalHashes());
    const amount = await mintInNextBlock();
    const second = new Follower({ cursor: JSON.parse(JSON.stringify(first.cursor)) });
    await second.catchUp();
    expect(second.amounts()).toEqual([amount]);
    expect(second.blocks).toHaveLength(1);
  });

  it('says when the chain has nothing new, behind every block that it delivered', async () => {
    const idleAt: (number | null)[] = [];
    const follower: Follower = new Follower({ onIdle: async () => void idleAt.push(follower.watcher.position) });
    await follower.catchUp();
    await mintInNextBlock();
    await follower.catchUp();
    const head = await chain.head();
    expect(idleAt).toEqual([head - 1, head]);
  });

  it('rewinds to the common ancestor and delivers the new branch', async () => {
    const follower = new Follower();
    const kept = await mintInNextBlock();
    const ancestor = await chain.head();
    const lost = await mintInNextBlock();
    await follower.catchUp();
    expect(follower.amounts().slice(-2)).toEqual([kept, lost]);
    await chain.reorg(1, 'drop');
    await follower.catchUp();
    expect(follower.rewinds).toEqual([ancestor]);
    expect(follower.amounts().at(-1)).toBe(kept);
    expect(follower.hashes()).toEqual(await canonicalHashes());
  });

  it('notices a reorg that happened while it was not running', async () => {
    const before = new Follower();
    await mintInNextBlock();
    await before.catchUp();
    await chain.reorg(2, 'keep');
    const after = new Follower({ cursor: before.cursor });
    await after.catchUp();
    expect(after.rewinds).toHaveLength(1);
    expect(after.watcher.position).toBe(await chain.head());
  });

  it('delivers blocks again from where its cursor says, and only once they are known to stand', async () => {
    const before = new Follower();
    const amounts = [await mintInNextBlock(), await mintInNextBlock()];
    await before.catchUp();
    const head = await chain.head();
    const cursor = { ...before.cursor!, next: head - 1 };
    const same = new Follower({ cursor });
    await same.catchUp();
    expect([same.amounts(), same.rewinds]).toEqual([amounts, []]);
    expect(same.cursor).toEqual(before.cursor);
    await chain.reorg(1, 'drop');
    const other = new Follower({ cursor });
    await other.catchUp();
    expect([other.amounts(), other.rewinds]).toEqual([amounts.slice(0, 1), [head - 1]]);
    expect(other.watcher.position).toBe(await chain.head());
  });

  it('stops with an explicit error when the reorg is deeper than its memory', async () => {
    const follower = new Follower({ depth: 2 });
    await chain.mine(5);
    await follower.catchUp();
    await chain.reorg(4, 'keep');
    await expect(follower.watcher.step()).rejects.toBeInstanceOf(ReorgTooDeep);
    const reported = await new Promise<ReorgTooDeep>((resolve) => {
      new LogWatcher({
        rpc: chain.rpc,
        filters: [],
        fromBlock: 1,
        cursor: follower.cursor,
        pollMs: 1,
        onBlock: () => undefined,
        onRewind: () => undefined,
        onTooDeep: resolve,
      }).start();
    });
    expect(reported).toBeInstanceOf(ReorgTooDeep);
  });

  it('rewinds nothing after a restart because of a node that is behind', async () => {
    const first = new Follower();
    await chain.mine(3);
    await first.catchUp();
    const { blocks, next } = first.cursor!;
    const rpc = new LaggingRpc(chain.rpc);
    const node = new NodeReader(rpc);
    const second = new Follower({ rpc, node, cursor: { v: 2, blocks, next: next - 2 } });
    // Another who follows the chain has seen the newest block.
    await node.head();
    rpc.newest = next - 2;
    await second.watcher.step().catch(() => undefined);
    rpc.newest = undefined;
    await second.catchUp();
    expect(second.rewinds).toEqual([]);
    expect(second.blocks.map(({ blockNumber }) => blockNumber)).toEqual([next - 2, next - 1]);
  });

  it('delivers a block again when its receiver failed', async () => {
    await chain.mine();
    let failures = 2;
    const seen: number[] = [];
    const follower = new Follower({
      onBlock: ({ blockNumber }) => {
        if (failures-- > 0) throw new Error('database unreachable');
        seen.push(blockNumber);
      },
    });
    await expect(follower.watcher.step()).rejects.toThrow('database unreachable');
    await expect(follower.watcher.step()).rejects.toThrow('database unreachable');
    await follower.catchUp();
    expect(seen[0]).toBe(1);
    expect(seen).toHaveLength(await chain.head());
  });

  it('takes back a block whose receiver failed, for part of it may be kept, when the block leaves the chain', async () => {
    let isFailing = false;
    const follower: Follower = new Follower({
      onBlock: (block, cursor) => {
        if (isFailing) throw new Error('the write may have survived');
        follower.blocks.push(block);
        follower.cursor = cursor;
      },
    });
    await follower.catchUp();
    isFailing = true;
    await mintInNextBlock();
    const before = await chain.head();
    await expect(follower.watcher.step()).rejects.toThrow('the write may have survived');
    await chain.reorg(1, 'drop');
    isFailing = false;
    await follower.catchUp();
    expect(follower.rewinds).toEqual([before - 1]);
    expect(follower.hashes()).toEqual(await canonicalHashes());
  });

  it('does not accept logs of another fork', async () => {
    const rpc = new InterceptedRpc(chain.rpc);
    await mintInNextBlock();
    rpc.on('eth_getLogs', async (_, pass) =>
      ((await pass()) as object[]).map((log) => ({ ...log, blockHash: `0x${'e'.repeat(64)}` })),
    );
    const follower = new Follower({ rpc });
    await expect(follower.watcher.step()).rejects.toBeInstanceOf(ChainInconsistent);
    expect(follower.blocks).toEqual([]);
    rpc.off('eth_getLogs');
    await follower.catchUp();
    expect(follower.amounts().at(-1)).toBe(amountOf(index));
  });

  it('asks again for a block whose bloom contradicts an empty answer', async () => {
    const rpc = new InterceptedRpc(chain.rpc);
    const amount = await mintInNextBlock();
    rpc.on('eth_getLogs', async ([filter], pass) => ('fromBlock' in (filter as object) ? [] : pass()));
    const follower = new Follower({ rpc });
    await follower.catchUp();
    expect(follower.amounts().at(-1)).toBe(amount);
    expect(follower.amounts()).toHaveLength(new Set(follower.amounts()).size);
  });

  it('shortens its reach while the node refuses long ranges, and skips nothing', async () => {
    const rpc = new InterceptedRpc(chain.rpc);
    await chain.mine(20);
    const reaches: number[] = [];
    rpc.on('eth_getLogs', async ([filter], pass) => {
      const { fromBlock = '0x0', toBlock = '0x0' } = filter as { fromBlock?: Hex; toBlock?: Hex };
      reaches.push(Number(toBlock) - Number(fromBlock) + 1);
      if (reaches.at(-1)! > 8) throw new RpcError(-32005, 'query returned more than 10000 results');
      return pass();
    });
    const follower = new Follower({ rpc, filters: [{ addresses: [chain.token.address] }] });
    await follower.catchUpThroughFaults();
    expect(Math.max(...reaches)).toBeGreaterThan(8);
    expect(follower.hashes()).toEqual(await canonicalHashes());
  });

  it('follows by itself once started, and stops when closed', async () => {
    const follower = new Follower({ pollMs: 2 });
    follower.watcher.start();
    const amount = await mintInNextBlock();
    await waitFor('the new log is seen', () => follower.amounts().at(-1) === amount, { pollMs: 2 });
    await follower.watcher.close();
    await chain.mine();
    expect(follower.blocks).toHaveLength((await chain.head()) - 1);
  });

  it(`ends with exactly the canonical logs after a node that answers falsely and reorganises (seed ${SEED})`, async () => {
    const random = new SeededRandom(SEED);
    const rates = { transport: 0.05, send: 0, read: 0.08 };
    const proxy = await FaultyRpc.open({ target: chain.process.url, seed: SEED, rates });
    const follower = new Follower({ rpc: new JsonRpc({ url: proxy.url, timeoutMs: 200 }), maxRange: 16 });
    for (let round = 0; round < 25; round += 1) {
      await mintInNextBlock();
      if (random.chance(0.4)) await chain.reorg(1 + random.below(4), random.pick(['keep', 'drop', 'shuffle'] as const));
      await follower.watcher.step().catch(() => undefined);
    }
    await follower.catchUpThroughFaults();
    await proxy.close();
    const honest = new Follower();
    await honest.catchUp();
    expect(follower.hashes()).toEqual(honest.hashes());
    expect(follower.amounts()).toEqual(honest.amounts());
    expect(follower.rewinds.length).toBeGreaterThan(0);
  });
});
