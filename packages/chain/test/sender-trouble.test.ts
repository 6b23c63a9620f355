// Stuck, displaced, foreign and missing transactions: what the sender does about each, on a real chain.
import type { Hex } from '@presage/protocol';
import { parseTransaction } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NodeReader } from '../src/node-reader.ts';
import { toQuantity } from '../src/quantity.ts';
import { RpcError } from '../src/rpc.ts';
import { isSizeRefusal } from '../src/sender/nonce-broadcaster.ts';
import { SenderState } from '../src/sender/sender-state.ts';
import { amountOf, ChainFixture } from './chain-fixture.ts';
import { LaggingRpc } from './lagging-rpc.ts';
import { CHAIN_ID, SETTLER } from './sandbox-accounts.ts';
import { SenderBench } from './sender-bench.ts';

let chain: ChainFixture;
let index = 0;
beforeAll(async () => {
  chain = await ChainFixture.open();
});
afterAll(() => chain.close());

/** Makes the node pretend to hold what it was sent, as one does that gossips badly. */
function holdBack(bench: SenderBench): Hex[] {
  const held: Hex[] = [];
  bench.rpc.on('eth_sendRawTransaction', async ([raw]) => {
    held.push(raw as Hex);
    return bench.records('transaction-signed').find((record) => record.raw === raw)!.hash;
  });
  bench.rpc.on('eth_getTransactionByHash', async () => ({}));
  return held;
}

function letGo(bench: SenderBench): void {
  bench.rpc.off('eth_sendRawTransaction');
  bench.rpc.off('eth_getTransactionByHash');
}

async function countOf(): Promise<number> {
  return Number(await chain.rpc.request('eth_getTransactionCount', [SETTLER.address, 'latest']));
}

describe('a stuck transaction', () => {
  it('is replaced with fees at least a tenth higher, and any of its hashes settles it', async () => {
    const bench = new SenderBench(chain, { replaceAfterBlocks: 2 });
    const held = holdBack(bench);
    const request = chain.mint(++index);
    const first = await bench.sender.send(request);
    await bench.until(request.operationId, ({ hashes }) => hashes.length === 3);
    const fees = bench.records('transaction-signed').map(({ maxFeePerGas }) => BigInt(maxFeePerGas));
    expect(fees[1]! * 100n).toBeGreaterThanOrEqual(fees[0]! * 110n);
    expect(fees[2]! * 100n).toBeGreaterThanOrEqual(fees[1]! * 110n);
    // The very first one turns up in a block after all.
    await chain.rpc.request('eth_sendRawTransaction', [held[0]]);
    const done = await bench.until(request.operationId, ({ stage }) => stage === 'confirmed');
    expect(done.hash).toBe(first.hash);
    expect(await chain.mintedBy(index)).toBe(amountOf(index));
  });

  it('is given up after the permitted replacements, and a self-transfer frees its nonce', async () => {
    const bench = new SenderBench(chain, { replaceAfterBlocks: 1, maxReplacements: 1 });
    holdBack(bench);
    const request = chain.mint(++index);
    await bench.sender.send(request);
    await bench.until(request.operationId, ({ reason }) => reason !== null);
    letGo(bench);
    const done = await bench.until(request.operationId, ({ stage }) => stage === 'abandoned');
    expect(done.hashes).toHaveLength(2);
    expect(bench.alarmTypes()).toEqual(['given-up']);
    expect(await chain.mintedBy(index)).toBe(0n);
  });

  it('is not raised beyond the fee cap', async () => {
    const fees = () => ({ maxFeePerGas: 100n, maxPriorityFeePerGas: 1n });
    const bench = new SenderBench(chain, { replaceAfterBlocks: 1, maxFeePerGasCap: 105n, fees });
    holdBack(bench);
    const request = chain.mint(++index);
    await bench.sender.send(request);
    for (let round = 0; round < 4; round += 1) {
      await chain.mine();
      await bench.sender.advance();
    }
    expect(bench.records('transaction-signed')).toHaveLength(1);
    expect(bench.alarmTypes()).toEqual(['fee-cap']);
    letGo(bench);
    await bench.until(request.operationId, ({ stage }) => stage === 'confirmed');
  });
});

describe('a transaction priced out by a rise of the base fee', () => {
  it('is sent again when the fee falls, if the cap allows no higher one', async () => {
    const fees = () => ({ maxFeePerGas: 100n, maxPriorityFeePerGas: 1n });
    const bench = new SenderBench(chain, { maxFeePerGasCap: 105n, fees });
    bench.rpc.on('eth_sendRawTransaction', async () => {
      throw new RpcError(-32000, 'max fee per gas less than block base fee: maxFeePerGas: 100, baseFee: 200');
    });
    const request = chain.mint(++index);
    await bench.sender.enqueue(request);
    for (let round = 0; round < 3; round += 1) await bench.sender.advance();
    expect(bench.alarmTypes()).toEqual(['fee-cap']);
    bench.rpc.off('eth_sendRawTransaction');
    await bench.until(request.operationId, ({ stage }) => stage === 'confirmed');
    expect(bench.records('transaction-signed')).toHaveLength(1);
  });
});

describe('a base fee above half of the fee cap', () => {
  it('is paid as long as it leaves room for the tip: the room for later blocks is what the cap limits', async () => {
    const fees = () => ({ maxFeePerGas: 200n, maxPriorityFeePerGas: 1n });
    const bench = new SenderBench(chain, { maxFeePerGasCap: 105n, fees });
    const request = chain.mint(++index);
    await bench.sender.enqueue(request);
    await bench.until(request.operationId, ({ stage }) => stage === 'confirmed');
    expect(bench.records('transaction-signed')).toMatchObject([{ maxFeePerGas: '105', maxPriorityFeePerGas: '1' }]);
    expect(bench.alarms).toEqual([]);
  });
});

describe('a pool with a minimum tip', () => {
  it('costs one more signature: the tip it names is offered at once, and to all later transactions from the start', async () => {
    const least = 25_000_000_000n;
    const bench = new SenderBench(chain);
    bench.rpc.on('eth_sendRawTransaction', async ([raw], pass) => {
      const { maxPriorityFeePerGas = 0n } = parseTransaction(raw as Hex);
      if (maxPriorityFeePerGas >= least) return pass();
      const words = `gas tip cap ${maxPriorityFeePerGas}, minimum needed ${least}`;
      throw new RpcError(-32000, `transaction underpriced: ${words}`);
    });
    for (const signatures of [2, 3]) {
      const request = chain.mint(++index);
      await bench.sender.enqueue(request);
      await bench.until(request.operationId, ({ stage }) => stage === 'confirmed');
      expect(bench.records('transaction-signed')).toHaveLength(signatures);
    }
    expect(bench.alarms).toEqual([]);
  });
});

describe('a transaction that is too large for the node', () => {
  it('is given up with the node’s message, and its nonce freed', async () => {
    const bench = new SenderBench(chain);
    const request = { ...chain.mint(++index), gasLimit: 2n ** 24n + 1n };
    await bench.sender.enqueue(request);
    const done = await bench.until(request.operationId, ({ stage }) => stage === 'abandoned');
    expect(done.reason).toBe('transaction gas limit too high (cap: 16777216, tx: 16777217)');
    expect(isSizeRefusal(done.reason)).toBe(true);
    expect(bench.alarmTypes()).toEqual(['refused']);
    const next = chain.mint(++index);
    await bench.sender.enqueue(next);
    await bench.until(next.operationId, ({ stage }) => stage === 'confirmed');
  });
});

describe('a chain where a transfer takes more than 21,000 gas', () => {
  it('has the nonce of an operation that was given up freed all the same', async () => {
    const needed = 400_000n;
    const bench = new SenderBench(chain);
    bench.rpc.on('eth_estimateGas', async () => toQuantity(needed));
    bench.rpc.on('eth_sendRawTransaction', async ([raw], pass) => {
      if ((parseTransaction(raw as Hex).gas ?? 0n) >= needed) return pass();
      throw new RpcError(-32000, 'intrinsic gas too low');
    });
    const request = chain.mint(++index);
    await bench.sender.enqueue(request);
    const done = await bench.until(request.operationId, ({ stage }) => stage === 'abandoned');
    expect(done.reason).toBe('intrinsic gas too low');
  });
});

describe('a nonce that does not move', () => {
  it('is reported once, and no longer when it moves', async () => {
    let nowMs = 0;
    const bench = new SenderBench(chain, { nowMs: () => nowMs, stuckAfterMs: 60_000 });
    bench.rpc.on('eth_sendRawTransaction', async () => {
      throw new RpcError(-32000, 'an unknown message');
    });
    const request = chain.mint(++index);
    await bench.sender.enqueue(request);
    for (const passedMs of [30_000, 29_999]) {
      await bench.sender.advance();
      nowMs += passedMs;
    }
    expect([bench.sender.stuckNonce, bench.alarmTypes()]).toEqual([null, []]);
    nowMs += 1;
    for (let round = 0; round < 3; round += 1) await bench.sender.advance();
    const { nonce } = bench.sender.status(request.operationId)!;
    expect([bench.sender.stuckNonce, bench.alarmTypes()]).toEqual([nonce, ['stuck-nonce']]);
    bench.rpc.off('eth_sendRawTransaction');
    await bench.until(request.operationId, ({ stage }) => stage === 'confirmed');
    await bench.sender.advance();
    expect(bench.sender.stuckNonce).toBeNull();
  });
});

describe('a signer that is unreachable', () => {
  it('leaves the operation reserved until it is back', async () => {
    let isAway = true;
    const signTransaction: typeof SETTLER.signTransaction = (transaction) => {
      if (isAway) throw new Error('the vault is sealed');
      return SETTLER.signTransaction(transaction);
    };
    const bench = new SenderBench(chain, { account: { ...SETTLER, signTransaction } });
    const request = chain.mint(++index);
    await bench.sender.enqueue(request);
    await bench.sender.advance();
    expect(bench.sender.status(request.operationId)?.stage).toBe('reserved');
    expect(bench.alarmTypes()).toEqual(['unsigned']);
    isAway = false;
    await bench.until(request.operationId, ({ stage }) => stage === 'confirmed');
  });
});

describe('a reorg', () => {
  it('moves a mined transaction back and forth without executing it twice', async () => {
    const bench = new SenderBench(chain, { confirmations: 5 });
    const request = chain.mint(++index);
    await bench.sender.send(request);
    const mined = await bench.until(request.operationId, ({ stage }) => stage === 'mined');
    await chain.reorg((await chain.head()) - mined.blockNumber! + 1, 'drop');
    await bench.sender.advance();
    expect(bench.stages.at(-1)).toBe(`mint-${index} retrying`);
    await bench.sender.advance();
    expect(bench.stages.at(-1)).toBe(`mint-${index} submitted`);
    await bench.until(request.operationId, ({ stage }) => stage === 'confirmed');
    expect(bench.alarms).toEqual([]);
    expect(await chain.mintedBy(index)).toBe(amountOf(index));
  });

  it('deeper than the confirmations takes a confirmed operation back, with an alarm', async () => {
    const bench = new SenderBench(chain, { confirmations: 1 });
    const request = chain.mint(++index);
    await bench.sender.send(request);
    const before = await bench.until(request.operationId, ({ stage }) => stage === 'confirmed');
    await chain.reorg((await chain.head()) - before.blockNumber! + 1, 'drop');
    await bench.sender.advance();
    expect(bench.alarmTypes()).toEqual(['deep-reorg']);
    expect(bench.stages).toContain(`mint-${index} retrying`);
    const after = await bench.until(request.operationId, ({ stage }) => stage === 'confirmed');
    expect(after.blockHash).not.toBe(before.blockHash);
    expect(await chain.mintedBy(index)).toBe(amountOf(index));
  });

  it('that keeps the transaction in another block is noticed as a move', async () => {
    const bench = new SenderBench(chain, { confirmations: 4 });
    const request = chain.mint(++index);
    await bench.sender.send(request);
    const before = await bench.until(request.operationId, ({ stage }) => stage === 'mined');
    await chain.reorg(2, 'keep');
    const after = await bench.until(request.operationId, ({ stage }) => stage === 'confirmed');
    expect(after.hash).toBe(before.hash);
    expect(after.blockHash).not.toBe(before.blockHash);
    expect(bench.records('transaction-unmined')).toHaveLength(1);
  });
});

describe('a node that is behind', () => {
  it('takes nothing back that a newer block holds, and makes no alarm', async () => {
    const rpc = new LaggingRpc(chain.rpc);
    const bench = new SenderBench(chain, { rpc, confirmations: 1 });
    const request = chain.mint(++index);
    await bench.sender.send(request);
    const done = await bench.until(request.operationId, ({ stage }) => stage === 'confirmed');
    rpc.newest = done.blockNumber! - 1;
    for (let round = 0; round < 3; round += 1) await bench.sender.advance();
    expect(bench.sender.status(request.operationId)).toEqual(done);
    expect([bench.alarms, bench.records('transaction-unmined')]).toEqual([[], []]);
    rpc.newest = undefined;
    await chain.mine();
    expect(await bench.sender.advance()).toBe(true);
  });

  it('takes nothing back that an earlier process saw mined', async () => {
    const before = new SenderBench(chain, { confirmations: 1 });
    const request = chain.mint(++index);
    await before.sender.send(request);
    const done = await before.until(request.operationId, ({ stage }) => stage === 'confirmed');
    const state = new SenderState({ retainFinalized: 1 });
    for (const record of before.memory.records) state.apply(record);
    const rpc = new LaggingRpc(chain.rpc);
    const node = new NodeReader(rpc, [{ number: done.blockNumber!, hash: done.blockHash! }]);
    const bench = new SenderBench(chain, { rpc, node, snapshot: state.snapshot(), confirmations: 1 });
    rpc.newest = done.blockNumber! - 1;
    expect(await bench.sender.advance()).toBe(false);
    expect([bench.alarms, bench.memory.records]).toEqual([[], []]);
    rpc.newest = undefined;
    expect(await bench.sender.advance()).toBe(true);
  });

  it('is not asked for the gas of a call: without the contract it would need almost none', async () => {
    const rpc = new LaggingRpc(chain.rpc);
    const bench = new SenderBench(chain, { rpc });
    const { gasLimit: _, ...request } = chain.mint(++index);
    await bench.sender.send(chain.mint(++index));
    rpc.newest = 0;
    await expect(bench.sender.send(request)).rejects.toThrow('behind');
    rpc.newest = undefined;
    await bench.sender.send(request);
    await bench.until(request.operationId, ({ stage }) => stage === 'confirmed');
  });
});

describe('somebody else with the same key', () => {
  async function stealNonce(nonce: number): Promise<Hex> {
    const raw = await SETTLER.signTransaction({
      type: 'eip1559',
      chainId: CHAIN_ID,
      nonce,
      to: SETTLER.address,
      gas: 30_000n,
      data: '0xbeef',
      maxFeePerGas: 10n ** 10n,
      maxPriorityFeePerGas: 10n ** 10n,
    });
    return (await chain.rpc.request('eth_sendRawTransaction', [raw])) as Hex;
  }

  it('makes the operation move to another nonce only when the theft is deep enough', async () => {
    const bench = new SenderBench(chain, { foreignConfirmations: 4 });
    holdBack(bench);
    const request = chain.mint(++index);
    const { nonce } = await bench.sender.send(request);
    const thief = await stealNonce(nonce);
    await chain.mine();
    for (let round = 0; round < 4; round += 1) await bench.sender.advance();
    expect(bench.alarmTypes()).toEqual(['foreign-transaction']);
    expect(bench.sender.status(request.operationId)?.nonce).toBe(nonce);
    letGo(bench);
    const done = await bench.until(request.operationId, ({ stage }) => stage === 'confirmed');
    expect(done.nonce).toBe(nonce + 1);
    expect(bench.records('nonce-lost').map(({ foreignHash }) => foreignHash)).toEqual([thief]);
    expect(await chain.mintedBy(index)).toBe(amountOf(index));
  });

  it('does not hold up later transactions where the node no longer knows who used the nonce', async () => {
    const bench = new SenderBench(chain, { foreignConfirmations: 1 });
    const held = holdBack(bench);
    const lost = chain.mint(++index);
    const { nonce } = await bench.sender.send(lost);
    const next = chain.mint(++index);
    await bench.sender.send(next);
    await stealNonce(nonce);
    await chain.mine();
    bench.rpc.on('eth_getTransactionCount', async ([, block], pass) => {
      if (block === 'latest') return pass();
      throw new RpcError(-32000, 'missing trie node');
    });
    for (let round = 0; round < 4; round += 1) await bench.sender.advance();
    letGo(bench);
    await bench.until(next.operationId, ({ stage }) => stage === 'confirmed');
    expect(held).toHaveLength(2);
    bench.rpc.off('eth_getTransactionCount');
    await bench.until(lost.operationId, ({ stage }) => stage === 'confirmed');
  });

  it('is noticed when they sent while nothing of ours was on its way', async () => {
    const bench = new SenderBench(chain);
    const first = chain.mint(++index);
    const { nonce } = await bench.sender.send(first);
    await chain.mine();
    await bench.until(first.operationId, ({ stage }) => stage === 'confirmed');
    await stealNonce(nonce + 1);
    await chain.mine();
    expect(bench.sender.nextNonce).toBe(nonce + 1);
    const second = chain.mint(++index);
    expect((await bench.sender.send(second)).nonce).toBe(nonce + 2);
    expect(bench.alarms).toMatchObject([{ type: 'foreign-transaction', nonce: nonce + 1 }]);
    await bench.until(second.operationId, ({ stage }) => stage === 'confirmed');
  });

  it('is not suspected while the node merely hides our receipt', async () => {
    const bench = new SenderBench(chain, { foreignConfirmations: 1 });
    const request = chain.mint(++index);
    await bench.sender.send(request);
    bench.rpc.on('eth_getTransactionReceipt', async () => null);
    for (let round = 0; round < 6; round += 1) {
      await chain.mine();
      await bench.sender.advance();
    }
    expect(bench.alarms).toEqual([]);
    expect(bench.records('nonce-reserved')).toHaveLength(1);
    bench.rpc.off('eth_getTransactionReceipt');
    await bench.until(request.operationId, ({ stage }) => stage === 'confirmed');
    expect(await chain.mintedBy(index)).toBe(amountOf(index));
  });

  it('cannot make an operation run twice by vanishing in a reorg', async () => {
    const bench = new SenderBench(chain, { foreignConfirmations: 1 });
    holdBack(bench);
    const request = chain.mint(++index);
    const { nonce } = await bench.sender.send(request);
    await stealNonce(nonce);
    await chain.mine();
    while (bench.records('nonce-lost').length === 0) await bench.sender.advance();
    const { blockNumber } = bench.records('nonce-lost')[0]!;
    await chain.reorg((await chain.head()) - blockNumber + 1, 'drop');
    letGo(bench);
    await bench.until(request.operationId, ({ stage }) => stage === 'confirmed');
    const used = (await chain.transactionsOf(SETTLER.address)).filter((transaction) => transaction.nonce >= nonce);
    expect(used.map((transaction) => transaction.to)).toEqual([
      SETTLER.address.toLowerCase(),
      request.to.toLowerCase(),
    ]);
    expect(await chain.mintedBy(index)).toBe(amountOf(index));
  });
});

describe('a gap', () => {
  it('that an earlier process left behind is filled, and nothing behind it stays stuck', async () => {
    const first = await countOf();
    const request = chain.mint(++index);
    const reservation = {
      v: 1,
      type: 'nonce-reserved',
      operationId: request.operationId,
      nonce: first + 2,
      purpose: 'operation',
      request: { to: request.to.toLowerCase(), data: request.data, value: '0', gasLimit: '100000' },
    };
    const bench = new SenderBench(chain, { records: [reservation] });
    await bench.until(request.operationId, ({ stage }) => stage === 'confirmed');
    expect(bench.alarmTypes()).toEqual(['nonce-gap', 'nonce-gap']);
    expect(await countOf()).toBe(first + 3);
    expect(await chain.mintedBy(index)).toBe(amountOf(index));
  });

  it('is not invented from a stale transaction count', async () => {
    const bench = new SenderBench(chain);
    await chain.holdMining(true);
    await bench.sender.send(chain.mint(++index));
    const truth = await countOf();
    bench.rpc.on('eth_getTransactionCount', async ([, block]) => toQuantity(block === 'latest' ? truth - 2 : truth));
    for (let round = 0; round < 6; round += 1) await bench.sender.advance();
    expect(bench.records('nonce-reserved')).toHaveLength(1);
    bench.rpc.off('eth_getTransactionCount');
    await chain.holdMining(false);
    await bench.until(`mint-${index}`, ({ stage }) => stage === 'confirmed');
  });
});
