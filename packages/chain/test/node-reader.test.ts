// Headers that several followers of a chain share: each is asked for once, and none of another branch is believed.
import { describe, expect, it, vi } from 'vitest';
import { LogWatcher } from '../src/log-watcher.ts';
import { NodeReader } from '../src/node-reader.ts';
import { ChainOfHeaders } from './chain-of-headers.ts';

async function hashesUnder(node: NodeReader, numbers: readonly number[]) {
  const head = await node.head();
  return (await node.headersUnder(head, numbers)).map((header) => header?.hash);
}

describe('headers under a head', () => {
  it('are asked for once, whoever asks, and only those that came since', async () => {
    const chain = new ChainOfHeaders(100);
    const node = new NodeReader(chain);
    const heights = [60, 61, 80, 99];
    expect(await hashesUnder(node, heights)).toEqual(heights.map((height) => chain.hashAt(height)));
    chain.asked.length = 0;
    chain.mine(3, 0);
    expect(await hashesUnder(node, [60, 100, 102])).toEqual([60, 100, 102].map((height) => chain.hashAt(height)));
    expect(await hashesUnder(node, [61, 99, 101])).toEqual([61, 99, 101].map((height) => chain.hashAt(height)));
    expect(chain.asked).toEqual(['latest', 101, 100, 'latest']);
  });

  it('are those of the branch that the head is on', async () => {
    const chain = new ChainOfHeaders(100);
    const node = new NodeReader(chain);
    const heights = Array.from({ length: 20 }, (_, index) => 80 + index);
    const before = await hashesUnder(node, heights);
    chain.reorganise(7, 1);
    const after = await hashesUnder(node, heights);
    expect(after).toEqual(heights.map((height) => chain.hashAt(height)));
    expect(after.filter((hash, index) => hash === before[index])).toHaveLength(13);
  });

  it('are asked for by height where the chain is not followed: far below, and above the head', async () => {
    const chain = new ChainOfHeaders(1_000);
    const node = new NodeReader(chain);
    const head = await node.head();
    chain.mine(1, 0);
    chain.asked.length = 0;
    const headers = await node.headersUnder(head, [5, 999, 1_000, 1_001]);
    expect(headers.slice(0, 3).map((header) => header?.hash)).toEqual([5, 999, 1_000].map((at) => chain.hashAt(at)));
    expect(headers[3]).toBeNull();
    expect(chain.asked).toEqual([5, 1_000, 1_001]);
  });

  it('are what the node says now where the head has left the chain meanwhile', async () => {
    const chain = new ChainOfHeaders(100);
    const node = new NodeReader(chain);
    const head = await node.head();
    chain.reorganise(5, 1);
    expect((await node.headersUnder(head, [96, 99])).map((header) => header?.hash)).toEqual([
      chain.hashAt(96),
      head.hash,
    ]);
  });

  it('are not known where a node that is behind lacks them', async () => {
    const [chain, behind] = [new ChainOfHeaders(100), new ChainOfHeaders(98)];
    let asked = chain;
    const node = new NodeReader({ request: (...call) => asked.request(...call), batch: (calls) => asked.batch(calls) });
    const head = await node.head();
    asked = behind;
    expect((await node.headersUnder(head, [97, 98, 99, 100])).map((header) => header?.hash ?? header)).toEqual([
      chain.hashAt(97),
      undefined,
      chain.hashAt(99),
      null,
    ]);
  });

  it('end with a node that has one hash at two heights', async () => {
    const chain = new ChainOfHeaders(100);
    chain.replace(97, { hash: chain.hashAt(98) });
    const headers = await hashesUnder(new NodeReader(chain), [96, 97, 98]);
    expect(headers.at(-1)).toBe(chain.hashAt(98));
  });
});

describe('the head', () => {
  it('does not go back with a node that is behind, and follows another branch, also a lower one', async () => {
    const chain = new ChainOfHeaders(100);
    const behind = new ChainOfHeaders(98);
    let asked = chain;
    const node = new NodeReader({ request: (...call) => asked.request(...call), batch: (calls) => asked.batch(calls) });
    const head = await node.head();
    await node.headersUnder(head, [90]);
    asked = behind;
    expect(await node.head()).toEqual(head);
    await expect(node.standing(`0x${'11'.repeat(20)}`)).rejects.toThrow('behind');
    behind.reorganise(2, 1);
    expect((await node.head()).hash).toBe(behind.hashAt(98));
  });

  it('does not go back where the blocks between were never seen', async () => {
    let asked = new ChainOfHeaders(100);
    const node = new NodeReader({ request: (...call) => asked.request(...call), batch: (calls) => asked.batch(calls) });
    const head = await node.head();
    asked = new ChainOfHeaders(97);
    expect(await node.head()).toEqual(head);
  });

  it('is a lower one at last where the chain was set back', async () => {
    vi.useFakeTimers();
    try {
      const [chain, shorter] = [new ChainOfHeaders(100), new ChainOfHeaders(98)];
      let asked = chain;
      const node = new NodeReader({
        request: (...call) => asked.request(...call),
        batch: (calls) => asked.batch(calls),
      });
      await node.headersUnder(await node.head(), [90]);
      asked = shorter;
      expect((await node.head()).number).toBe(99);
      vi.advanceTimersByTime(60_000);
      expect((await node.head()).number).toBe(97);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('the first head after a restart', () => {
  const chain = new ChainOfHeaders(100);
  const seen = [97, 98].map((number) => ({ number, hash: chain.hashAt(number) }));

  it('is none that stands below a block which was seen before, until the chain was surely set back', async () => {
    vi.useFakeTimers();
    try {
      const node = new NodeReader(new ChainOfHeaders(98), seen);
      await expect(node.head()).rejects.toThrow('behind');
      vi.advanceTimersByTime(60_000);
      expect((await node.head()).number).toBe(97);
    } finally {
      vi.useRealTimers();
    }
  });

  it('may be the newest that was seen before, a higher one, or a lower one of another branch', async () => {
    const branch = new ChainOfHeaders(97);
    branch.mine(1, 1);
    const heads = [new ChainOfHeaders(99), chain, branch].map((each) => new NodeReader(each, seen).head());
    expect((await Promise.all(heads)).map(({ number }) => number)).toEqual([98, 99, 97]);
  });
});

describe('a node that keeps no bloom and knows no base fee', () => {
  it.each([undefined, null])('is followed by its logs alone (%s)', async (none) => {
    const chain = new ChainOfHeaders(3);
    chain.replace(2, { logsBloom: none, baseFeePerGas: none } as never);
    const delivered: number[] = [];
    const watcher = new LogWatcher({
      rpc: chain,
      filters: [{ addresses: [`0x${'11'.repeat(20)}`] }],
      fromBlock: 2,
      onBlock: ({ blockNumber }) => void delivered.push(blockNumber),
      onRewind: () => undefined,
    });
    await watcher.step();
    expect(delivered).toEqual([2]);
  });
});

describe('watchers with one reader', () => {
  it('ask for every block once, as the newest, however many they are', async () => {
    const chain = new ChainOfHeaders(10);
    const node = new NodeReader(chain);
    const delivered: number[][] = [[], [], []];
    const watchers = delivered.map(
      (blocks) =>
        new LogWatcher({
          rpc: chain,
          node,
          filters: [],
          fromBlock: 9,
          onBlock: ({ blockNumber }) => void blocks.push(blockNumber),
          onRewind: () => undefined,
        }),
    );
    for (let round = 0; round < 5; round++) {
      for (const watcher of watchers) await watcher.step();
      chain.mine(1, 0);
    }
    expect(delivered).toEqual(watchers.map(() => [9, 10, 11, 12, 13]));
    expect(chain.asked.filter((asked) => asked !== 'latest')).toEqual([]);
  });

  it('offer a block that was refused again at a steady pace: that spares no node', async () => {
    vi.useFakeTimers();
    try {
      let offered = 0;
      const pollMs = 1_000;
      const watcher = new LogWatcher({
        rpc: new ChainOfHeaders(10),
        filters: [],
        fromBlock: 9,
        pollMs,
        onBlock: async () => {
          offered += 1;
          throw new Error('the journal cannot be written');
        },
        onRewind: () => undefined,
      });
      watcher.start();
      await vi.advanceTimersByTimeAsync(20 * pollMs);
      expect(offered).toBe(21);
      await watcher.close();
    } finally {
      vi.useRealTimers();
    }
  });
});
