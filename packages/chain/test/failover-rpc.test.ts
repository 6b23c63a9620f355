// Several nodes of a chain: the next is asked when one fails, and nobody is asked who is behind, elsewhere or of another opinion.
import type { Hex } from '@presage/protocol';
import { describe, expect, it } from 'vitest';
import { FailoverRpc, judgeHeads } from '../src/failover-rpc.ts';
import { type Rpc, type RpcCall, RpcError, type RpcOutcome, RpcUnavailable } from '../src/rpc.ts';

/** A node in this process, whose answers can be changed while it is used. */
class LocalNode implements Rpc {
  readonly name: string;
  chainId = 137;
  head = 100;
  fork = 'a';
  isDown = false;
  /** Methods that it leaves unanswered. */
  unanswered: readonly string[] = [];
  asked = 0;

  constructor(name: string) {
    this.name = name;
  }

  async request(method: string, params: readonly unknown[] = []): Promise<unknown> {
    this.asked += 1;
    if (this.isDown || this.unanswered.includes(method)) throw new RpcUnavailable('timeout', this.name);
    if (method === 'eth_chainId') return `0x${this.chainId.toString(16)}`;
    if (method === 'eth_blockNumber') return `0x${this.head.toString(16)}`;
    if (method === 'eth_getBlockByNumber') return { hash: `0x${this.fork}${Number(params[0])}` };
    if (method === 'eth_call') throw new RpcError(3, 'execution reverted');
    return this.name;
  }

  batch(calls: readonly RpcCall[]): Promise<RpcOutcome[]> {
    const outcomes = calls.map(async ({ method, params }): Promise<RpcOutcome> => {
      try {
        return { ok: true, result: await this.request(method, params) };
      } catch (error) {
        return { ok: false, error: error as RpcError };
      }
    });
    return Promise.all(outcomes);
  }

  close(): void {
    this.isDown = true;
  }
}

function open(names: readonly string[]) {
  const nodes = names.map((name) => new LocalNode(name));
  const said: string[] = [];
  const rpc = new FailoverRpc({
    chainId: 137,
    nodes: nodes.map((node) => ({ label: node.name, rpc: node })),
    onVerdict: (label, verdict) => said.push(`${label} ${verdict}`),
  });
  return { rpc, nodes: nodes as [LocalNode, LocalNode, LocalNode], said };
}

describe('several nodes', () => {
  it('answer as the first of them until it fails, then as the next, and as the first when it is back', async () => {
    const { rpc, nodes, said } = open(['one', 'two']);
    expect(await rpc.request('who')).toBe('one');
    nodes[0].isDown = true;
    expect(await rpc.request('who')).toBe('two');
    const before = nodes[0].asked;
    expect(await rpc.batch([{ method: 'who' }])).toEqual([{ ok: true, result: 'two' }]);
    expect(nodes[0].asked).toBe(before);
    nodes[0].isDown = false;
    await rpc.probe();
    expect(await rpc.request('who')).toBe('one');
    expect(said).toEqual(['one unreachable', 'one good']);
  });

  it('pass on what a node refuses: another would refuse it too', async () => {
    const { rpc, nodes } = open(['one', 'two']);
    await expect(rpc.request('eth_call')).rejects.toThrow('execution reverted');
    expect(nodes[1].asked).toBe(0);
    expect(await rpc.batch([{ method: 'eth_call' }])).toMatchObject([{ ok: false }]);
    expect(nodes[1].asked).toBe(0);
  });

  it('fail when none answers, and are asked in turn again', async () => {
    const { rpc, nodes } = open(['one', 'two']);
    for (const node of nodes) node.isDown = true;
    await expect(rpc.request('who')).rejects.toBeInstanceOf(RpcUnavailable);
    expect(await rpc.batch([{ method: 'who' }])).toMatchObject([{ ok: false }]);
    nodes[1].isDown = false;
    expect(await rpc.request('who')).toBe('two');
  });

  it('answer a batch as the first of them that answers all of it, since its calls may belong together', async () => {
    const { rpc, nodes, said } = open(['one', 'two', 'three']);
    nodes[0].unanswered = ['which'];
    nodes[1].unanswered = ['who'];
    const batch = () => rpc.batch([{ method: 'who' }, { method: 'eth_call' }, { method: 'which' }]);
    const all = [{ ok: true, result: 'three' }, { ok: false, error: expect.any(RpcError) }, { ok: true }];
    expect(await batch()).toMatchObject(all);
    expect(said).toEqual(['one unreachable', 'two unreachable']);
  });

  it('answer as much of a batch as one of them does', async () => {
    const { rpc, nodes } = open(['one', 'two', 'three']);
    nodes[0].isDown = true;
    nodes[1].unanswered = ['which'];
    nodes[2].unanswered = ['who', 'which'];
    const methods = ['who', 'where', 'which'];
    expect(await rpc.batch(methods.map((method) => ({ method })))).toMatchObject([
      { ok: true, result: 'two' },
      { ok: true, result: 'two' },
      { ok: false },
    ]);
  });

  it('are not asked where they are behind, of another chain, or of another opinion', async () => {
    const { rpc, nodes, said } = open(['one', 'two', 'three']);
    nodes[0].head = 90;
    await rpc.probe();
    expect(await rpc.request('who')).toBe('two');
    nodes[0].head = 100;
    nodes[1].chainId = 1;
    await rpc.probe();
    expect(await rpc.request('who')).toBe('one');
    nodes[1].chainId = 137;
    nodes[0].fork = 'b';
    await rpc.probe();
    expect(await rpc.request('who')).toBe('two');
    expect(said).toEqual(['one behind', 'one good', 'two other-chain', 'one disagrees', 'two good']);
    expect(rpc.verdicts[0]).toEqual({ label: 'one', verdict: 'disagrees' });
  });
});

describe('heads', () => {
  const judge = (heads: readonly (number | undefined)[], hashes: readonly (Hex | undefined)[]) =>
    judgeHeads({
      heads: heads.map((number) => (number === undefined ? undefined : { chainId: 1, number })),
      hashes,
      chainId: 1,
      maxLagBlocks: 5,
    });

  it('of as many nodes on both sides are believed as the first has them', () => {
    expect(judge([10, 10], ['0xa', '0xb'])).toEqual(['good', 'disagrees']);
    expect(judge([10, 10, 10], ['0xa', '0xb', '0xb'])).toEqual(['disagrees', 'good', 'good']);
  });

  it('may be a few blocks apart', () => {
    expect(judge([10, 5, 4], ['0xa', '0xa', undefined])).toEqual(['good', 'good', 'behind']);
    expect(judge([undefined, 3], [undefined, undefined])).toEqual(['unreachable', 'good']);
  });
});
