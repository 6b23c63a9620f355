// Alarms about what happened on chain: a reorganization of confirmed blocks, and a key of the service that somebody else uses.
import { keyOf } from '@presage/devchain';
import { waitFor } from '@presage/testkit';
import { createWalletClient, http } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Exchange } from './exchange.ts';

let exchange: Exchange;
beforeAll(async () => {
  exchange = await Exchange.open();
});
afterAll(() => exchange?.close());

const degraded = async () => (await exchange.client.read<{ degraded: string[] }>('/ready')).degraded;
const isRaised = (alarm: string) =>
  waitFor(`${alarm} stands in /ready`, async () => (await degraded()).includes(alarm));
const metric = async (name: string) => {
  const text = await exchange.client.read<string>('/metrics');
  return new RegExp(`^${name}\\S* (\\d+)$`, 'm').exec(text)?.[1];
};

it('a reorganization of confirmed blocks stands in /ready and in the metrics', async () => {
  await exchange.newMarket('Does the chain turn back far?');
  expect(await degraded()).toEqual([]);
  expect(await exchange.client.post('/sandbox/faults', { reorgDepth: 3 })).toMatchObject({ status: 200 });
  await isRaised('deep_reorg');
  expect(await metric('presage_alarm_deep_reorg')).toBe('1');
  expect(await metric('presage_alarm_key_shared')).toBe('0');
});

it('a transaction of the settler that the service did not send is told', async () => {
  const account = privateKeyToAccount(keyOf('settler').privateKey);
  const wallet = createWalletClient({ account, transport: http(exchange.sandbox.rpcUrl) });
  await wallet.sendTransaction({ to: account.address, value: 0n, chain: null });
  await isRaised('key_shared');
  expect(await metric('presage_alarm_key_shared')).toBe('1');
});
