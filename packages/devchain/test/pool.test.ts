// Waiting transactions follow a real node's rules: nonces, gaps, replacement, what the sender can pay.
import type { Hex } from '@presage/protocol';
import { describe, expect, it } from 'vitest';
import { keyOf } from '../src/sandbox-keys.ts';
import { ask, askForFault, readBlock, readReceipt, SOMEBODY, sendAs, signAs, startChain } from './chain-client.ts';

const owner = keyOf('owner').address;
const GWEI = 10n ** 9n;

describe('the pool', () => {
  it('words its refusals as geth does', async () => {
    const { url } = await startChain();
    await ask(url, 'presage_faults', { mining: 'held' });
    const refusal = async (params: Parameters<typeof signAs>[1]) =>
      (await askForFault(url, 'eth_sendRawTransaction', await signAs('owner', { to: SOMEBODY, ...params }))).message;
    const first = await signAs('owner', { nonce: 0, to: SOMEBODY, feeWei: 100n });
    await ask(url, 'eth_sendRawTransaction', first);
    expect((await askForFault(url, 'eth_sendRawTransaction', first)).message).toBe('already known');
    expect(await refusal({ nonce: 0, feeWei: 100n, value: 1n })).toBe('replacement transaction underpriced');
    expect(await refusal({ nonce: 0, feeWei: 109n, value: 1n })).toBe('replacement transaction underpriced');
    expect(await refusal({ nonce: 1, value: 10n ** 25n })).toMatch(/^insufficient funds for gas \* price \+ value/);
    expect(await refusal({ nonce: 1, gas: 20_000n })).toMatch(/^intrinsic gas too low/);
    expect(await refusal({ nonce: 1, gas: 61_000_000n })).toBe('exceeds block gas limit');
    await ask(url, 'presage_mine');
    expect(await refusal({ nonce: 0 })).toBe('nonce too low: next nonce 1, tx nonce 0');
    expect((await askForFault(url, 'eth_sendRawTransaction', first)).message).toMatch(/^nonce too low/);
  });

  it('mines the replacement that pays a tenth more and drops what it replaced', async () => {
    const { url } = await startChain();
    await ask(url, 'presage_faults', { mining: 'held' });
    const stuck = await sendAs(url, 'owner', { nonce: 0, to: SOMEBODY, value: 1n, feeWei: 10n * GWEI });
    const better = await sendAs(url, 'owner', { nonce: 0, to: SOMEBODY, value: 2n, feeWei: 11n * GWEI });
    expect(await ask(url, 'eth_getTransactionByHash', stuck)).toBeNull();
    expect(await ask(url, 'eth_getTransactionByHash', better)).toMatchObject({ blockHash: null, nonce: '0x0' });
    expect(await readReceipt(url, better)).toBeNull();
    await ask(url, 'presage_faults', { mining: 'auto' });
    expect(await readReceipt(url, better)).toMatchObject({ status: '0x1', blockNumber: '0x1' });
    expect(await ask(url, 'eth_getBalance', SOMEBODY, 'latest')).toBe('0x2');
  });

  it('lets any raise above zero replace a free transaction', async () => {
    const { url } = await startChain();
    await ask(url, 'presage_faults', { mining: 'held' });
    await sendAs(url, 'owner', { nonce: 0, to: SOMEBODY, value: 1n });
    const better = await sendAs(url, 'owner', { nonce: 0, to: SOMEBODY, value: 2n, feeWei: 1n });
    await ask(url, 'presage_mine');
    expect((await readBlock(url)).transactions).toEqual([better]);
  });

  it('mines a large transaction without waiting for the rhythm of blocks, and what came before it as well', async () => {
    const { url } = await startChain({ blockIntervalMs: 60_000, lingerMs: 10 });
    // The first block comes at once, and sets the rhythm.
    await readReceipt(url, await sendAs(url, 'owner', { nonce: 0, to: SOMEBODY }));
    const small = await sendAs(url, 'owner', { nonce: 1, to: SOMEBODY });
    const large = await sendAs(url, 'owner', { nonce: 2, to: SOMEBODY, gas: 4_000_000n });
    const blockOf = async (hash: string) =>
      Number((await ask<{ blockNumber: string | null }>(url, 'eth_getTransactionByHash', hash)).blockNumber);
    await expect.poll(() => blockOf(large), { timeout: 20_000 }).toBeGreaterThan(1);
    expect(await blockOf(small)).toBeGreaterThan(1);
    expect(await blockOf(small)).toBeLessThanOrEqual(await blockOf(large));
  });

  it('keeps a transaction with a nonce gap until the gap is filled', async () => {
    const { url } = await startChain();
    const third = await sendAs(url, 'owner', { nonce: 2, to: SOMEBODY });
    const second = await sendAs(url, 'owner', { nonce: 1, to: SOMEBODY });
    expect(await readReceipt(url, third)).toBeNull();
    expect(await ask(url, 'eth_getTransactionCount', owner, 'pending')).toBe('0x0');
    await ask(url, 'presage_mine');
    expect((await readBlock(url)).transactions).toEqual([]);
    const first = await sendAs(url, 'owner', { nonce: 0, to: SOMEBODY });
    await readReceipt(url, third);
    expect((await readBlock(url)).transactions).toEqual([first, second, third]);
    expect(await ask(url, 'eth_getTransactionCount', owner, 'pending')).toBe('0x3');
  });

  it('counts waiting transactions in the pending nonce only', async () => {
    const { url } = await startChain();
    await ask(url, 'presage_faults', { mining: 'held' });
    for (const nonce of [0, 1, 3]) await sendAs(url, 'owner', { nonce, to: SOMEBODY });
    expect(await ask(url, 'eth_getTransactionCount', owner, 'latest')).toBe('0x0');
    expect(await ask(url, 'eth_getTransactionCount', owner, 'pending')).toBe('0x2');
    expect(await ask(url, 'eth_pendingTransactions')).toHaveLength(3);
    expect(await ask(url, 'presage_dropPool')).toHaveLength(3);
    expect(await ask(url, 'eth_getTransactionCount', owner, 'pending')).toBe('0x0');
  });

  it('drops what its sender can no longer pay for and mines everybody else', async () => {
    const { url } = await startChain();
    await ask(url, 'presage_faults', { mining: 'held' });
    const rich = 6n * 10n ** 23n;
    const paid = await sendAs(url, 'owner', { nonce: 0, to: SOMEBODY, value: rich });
    const unpaid = await sendAs(url, 'owner', { nonce: 1, to: SOMEBODY, value: rich });
    const other = await sendAs(url, 'settler', { nonce: 0, to: SOMEBODY, value: 1n });
    await ask(url, 'presage_mine', 3);
    expect((await readBlock(url, 1)).transactions).toEqual([paid, other]);
    expect(await ask(url, 'eth_getTransactionByHash', unpaid)).toBeNull();
    expect(await ask(url, 'eth_pendingTransactions')).toEqual([]);
  });

  it('packs a burst into few blocks and splits it where the gas limit demands', async () => {
    const { url } = await startChain();
    const raws = await Promise.all(
      Array.from({ length: 100 }, (_, nonce) => signAs('owner', { nonce, to: SOMEBODY, value: 1n })),
    );
    const hashes = await Promise.all(raws.map((raw) => ask<Hex>(url, 'eth_sendRawTransaction', raw)));
    await readReceipt(url, hashes.at(-1)!);
    expect(await ask(url, 'eth_getBalance', SOMEBODY, 'latest')).toBe('0x64');
    expect((await readBlock(url)).number).toBeLessThan(20);
    await ask(url, 'presage_faults', { mining: 'held' });
    for (const nonce of [100, 101, 102, 103, 104]) {
      await sendAs(url, 'owner', { nonce, to: SOMEBODY, gas: 16_000_000n });
    }
    await ask(url, 'presage_mine', 2);
    const { number } = await readBlock(url);
    expect((await readBlock(url, number - 1)).transactions).toHaveLength(3);
    expect((await readBlock(url, number)).transactions).toHaveLength(2);
  });

  it('takes no transaction of more gas than the chain’s rules allow', async () => {
    const { url } = await startChain();
    const signed = await signAs('owner', { nonce: 0, to: SOMEBODY, gas: 2n ** 24n + 1n });
    const { message } = await askForFault(url, 'eth_sendRawTransaction', signed);
    expect(message).toBe('transaction gas limit too high (cap: 16777216, tx: 16777217)');
    await sendAs(url, 'owner', { nonce: 0, to: SOMEBODY, gas: 2n ** 24n });
  });

  it('sends in the name of a wallet whose key it does not have and that holds no gas money', async () => {
    const { url } = await startChain();
    const first = await ask<Hex>(url, 'presage_sendAs', { from: SOMEBODY, to: owner });
    const second = await ask<Hex>(url, 'presage_sendAs', { from: SOMEBODY, to: owner, data: '0x1234' });
    expect(await readReceipt(url, second)).toMatchObject({ status: '0x1', from: SOMEBODY, effectiveGasPrice: '0x0' });
    expect(await ask(url, 'eth_getTransactionByHash', first)).toMatchObject({ from: SOMEBODY, nonce: '0x0' });
    expect(await ask(url, 'eth_getTransactionCount', SOMEBODY, 'latest')).toBe('0x2');
    expect(await ask(url, 'eth_accounts')).toEqual([]);
  });
});
