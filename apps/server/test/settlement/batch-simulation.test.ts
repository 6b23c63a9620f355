// How a batch is simulated behind others, by what the node can do.
import { type Contracts, createContracts, type Rpc, RpcError, type SettleBatchArguments } from '@presage/chain';
import { presageSettlementAbi } from '@presage/contracts';
import { encodeFunctionResult } from 'viem';
import { describe, expect, it } from 'vitest';
import { openSimulator } from '../../src/settlement/batch-simulation.ts';

const GAS = 2n ** 24n;
const SETTLER = `0x${'5e'.repeat(20)}` as const;
const ADDRESS = `0x${'11'.repeat(20)}` as const;
const batchOf = (digit: string): SettleBatchArguments => [[], `0x${digit.repeat(2)}`, '0x'];
const codes = encodeFunctionResult({ abi: presageSettlementAbi, functionName: 'settleBatch', result: '0x0025' });

type Answer = (params: readonly unknown[]) => unknown;

/** A node of these methods only, and what it was asked. */
function node(methods: Record<string, Answer>) {
  const asked: { method: string; params: readonly unknown[] }[] = [];
  const rpc: Rpc = {
    request: async (method, params = []) => {
      asked.push({ method, params });
      const answer = methods[method];
      if (answer === undefined) throw new RpcError(-32601, `the method ${method} does not exist/is not available`);
      return answer(params);
    },
    batch: () => Promise.reject(new Error('no batch is asked')),
  };
  return { rpc, contracts: contractsOf(rpc), asked };
}

function contractsOf(rpc: Rpc): Contracts {
  const names = ['settlement', 'conditionalTokens', 'stablecoin', 'marketFactory', 'oracle', 'multicall'] as const;
  const deployment = Object.fromEntries(names.map((name) => [name, ADDRESS])) as Record<
    (typeof names)[number],
    typeof ADDRESS
  >;
  return createContracts({ rpc, deployment });
}

function simulateV1([request]: readonly unknown[]) {
  const { blockStateCalls } = request as { blockStateCalls: { calls: unknown[] }[] };
  return blockStateCalls.map(({ calls }) => ({
    calls: calls.map(() => ({ status: '0x1', returnData: codes, gasUsed: '0x7' })),
  }));
}

function open(asked: Pick<Parameters<typeof openSimulator>[0], 'rpc' | 'contracts'>) {
  return openSimulator({ ...asked, settler: SETTLER, gas: GAS, gasPrice: async () => 9n });
}

describe('a node without eth_simulateV1', () => {
  it('is asked on its pending state, which must hold the predecessors', async () => {
    const { rpc, contracts, asked } = node({ eth_call: () => codes });
    const simulator = await open({ rpc, contracts });
    expect(simulator.needsPredecessorsAtNode).toBe(true);
    const simulation = await simulator.simulate(batchOf('a'), () => []);
    expect(simulation).toEqual({ kind: 'codes', codes: Uint8Array.of(0, 0x25) });
    expect(asked.at(-1)).toMatchObject({
      method: 'eth_call',
      params: [{ from: SETTLER, gas: '0x1000000', gasPrice: '0x9' }, 'pending'],
    });
  });
});

describe('a node with eth_simulateV1', () => {
  const predecessors = () => [
    { nonce: 6, batch: batchOf('b') },
    { nonce: 7, batch: batchOf('c') },
  ];

  it('executes the predecessors that are not mined in front of the batch', async () => {
    const { rpc, contracts, asked } = node({ eth_simulateV1: simulateV1, eth_getTransactionCount: () => '0x7' });
    const simulator = await open({ rpc, contracts });
    expect(simulator.needsPredecessorsAtNode).toBe(false);
    const simulation = await simulator.simulate(batchOf('a'), predecessors);
    expect(simulation).toEqual({ kind: 'codes', codes: Uint8Array.of(0, 0x25), gasUsed: 7n });
    const [{ blockStateCalls }] = asked.findLast(({ method }) => method === 'eth_simulateV1')!.params as [
      { blockStateCalls: unknown[] },
    ];
    expect(blockStateCalls).toHaveLength(2);
  });

  it('is asked again when a predecessor was mined meanwhile', async () => {
    const counts = ['0x6', '0x7', '0x7'];
    const methods = { eth_simulateV1: simulateV1, eth_getTransactionCount: () => counts.shift() };
    const { rpc, contracts, asked } = node(methods);
    const simulator = await open({ rpc, contracts });
    await simulator.simulate(batchOf('a'), predecessors);
    const sizes = asked
      .filter(({ method }) => method === 'eth_simulateV1')
      .map(({ params }) => (params[0] as { blockStateCalls: unknown[] }).blockStateCalls.length);
    expect(sizes).toEqual([1, 3, 2]);
  });

  it('says why the whole batch would be refused', async () => {
    const refused = { status: '0x0', returnData: '0x', error: { message: 'SettlementPaused' } };
    let isProbe = true;
    const answer: Answer = (params) => {
      if (!isProbe) return [{ calls: [refused] }];
      isProbe = false;
      return simulateV1(params);
    };
    const { rpc, contracts } = node({ eth_simulateV1: answer, eth_getTransactionCount: () => '0x0' });
    const simulator = await open({ rpc, contracts });
    expect(await simulator.simulate(batchOf('a'), () => [])).toEqual({ kind: 'refused', reason: 'SettlementPaused' });
  });
});
