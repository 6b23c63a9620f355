// What the verifier asks of a node that gives few blocks at once, is busy now and then, or has forgotten old states.
import { expect, it } from 'vitest';
import { ChainReads, NodeUnusable } from '../../src/verify/chain-reads.ts';

const HEAD = 100_000;
const MADE_IN = 61_803;
const CONTRACT = `0x${'c0'.repeat(20)}`;
const EVENT = `0x${'e0'.repeat(32)}`;
const PLACES = [61_803, 61_804, 70_001, 99_999, 100_000];

interface Node {
  /** Blocks in one answer; more are refused. */
  readonly most?: number;
  /** Every so many questions it is busy. */
  readonly busyEvery?: number;
  readonly isPruned?: boolean;
}

function openNode({ most = Number.POSITIVE_INFINITY, busyEvery = Number.POSITIVE_INFINITY, isPruned }: Node = {}) {
  const asked: string[] = [];
  const answer = (method: string, params: readonly unknown[]): object => {
    asked.push(method);
    if (asked.length % busyEvery === 0) return { error: { code: -32_005, message: 'busy' } };
    if (method === 'eth_getCode') {
      const block = Number(params[1]);
      if (isPruned && block < HEAD) return { error: { code: -32_000, message: 'missing trie node' } };
      return { result: block < MADE_IN ? '0x' : '0x60' };
    }
    const [{ address, topics, fromBlock, toBlock }] = params as [Record<string, unknown>];
    expect({ address, topics }).toEqual({ address: [CONTRACT], topics: [[EVENT]] });
    const [from, to] = [Number(fromBlock), Number(toBlock)];
    if (to - from >= most) return { error: { code: -32_600, message: `at most ${most} blocks` } };
    const found = PLACES.filter((block) => block >= from && block <= to);
    return { result: found.map((block) => ({ blockNumber: `0x${block.toString(16)}` })) };
  };
  const chain = new ChainReads('http://node', {
    fetch: async (_, init) => {
      const { method, params } = JSON.parse(String(init?.body)) as { method: string; params: unknown[] };
      return Response.json(answer(method, params));
    },
  });
  const read = async (fromBlock = 0) => {
    const blocks: number[] = [];
    const query = { addresses: [CONTRACT], topics: [EVENT], fromBlock, toBlock: HEAD };
    for await (const { blockNumber } of chain.logs(query)) blocks.push(Number(blockNumber));
    return blocks;
  };
  return { chain, asked, read };
}

it.each([
  ['gives everything at once', {}, 11],
  ['gives few blocks at once', { most: 2_000 }, 120],
  ['is busy now and then', { busyEvery: 5 }, 40],
] as const)('every log once and in order from a node that %s, in few questions', async (_, node, mostAsked) => {
  const { asked, read } = openNode(node);
  expect(await read()).toEqual(PLACES);
  expect(asked.length).toBeLessThanOrEqual(mostAsked);
});

it('nothing from a node that gives no logs at all', async () => {
  await expect(openNode({ most: 0 }).read()).rejects.toThrow(NodeUnusable);
});

it('a contract is searched for from the block that made it, or from the first where the node has forgotten', async () => {
  const { chain, asked } = openNode();
  expect(await chain.madeIn(CONTRACT, HEAD)).toBe(MADE_IN);
  expect(asked.length).toBeLessThan(20);
  expect(await chain.madeIn(CONTRACT, MADE_IN - 1)).toBe(0);
  expect(await openNode({ isPruned: true }).chain.madeIn(CONTRACT, HEAD)).toBe(0);
});
