// A call that is sent until one of its transactions is executed, on a real chain.
import type { Hex } from '@presage/protocol';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sendOnce } from '../src/sender/send-once.ts';
import { amountOf, ChainFixture } from './chain-fixture.ts';
import { SenderBench } from './sender-bench.ts';

let chain: ChainFixture;
beforeAll(async () => {
  chain = await ChainFixture.open();
});
afterAll(() => chain.close());

it('is sent again after its transaction was given up, and not after it was executed', async () => {
  const bench = new SenderBench(chain, { replaceAfterBlocks: 1, maxReplacements: 0 });
  const { operationId: _, ...call } = chain.mint(1);
  const nameOf = (attempt: number) => `mint-once-${attempt}`;
  const send = () => sendOnce(bench.sender, { nameOf, ...call });
  // A node that takes transactions and tells nobody of them.
  bench.rpc.on('eth_sendRawTransaction', async ([raw]) => {
    return bench.records('transaction-signed').find((record) => record.raw === (raw as Hex))!.hash;
  });
  bench.rpc.on('eth_getTransactionByHash', async () => ({}));
  await send();
  await bench.until(nameOf(1), ({ reason }) => reason !== null);
  bench.rpc.off('eth_sendRawTransaction');
  bench.rpc.off('eth_getTransactionByHash');
  await bench.until(nameOf(1), ({ stage }) => stage === 'abandoned');
  expect((await send()).operationId).toBe(nameOf(2));
  const done = await bench.until(nameOf(2), ({ stage }) => stage === 'confirmed');
  expect(await send()).toEqual(done);
  expect(await chain.mintedBy(1)).toBe(amountOf(1));
});
