// A key in the environment, in a file or at an external signer signs the same; a signer that answers something else is not believed.
import { recoverTypedDataAddress } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { describe, expect, it, onTestFinished } from 'vitest';
import { RpcUnavailable } from '../../src/rpc.ts';
import { readKey } from '../../src/setup/key-source.ts';
import { listSignerAccounts, toSigningAccount } from '../../src/setup/signing-account.ts';
import { type Answer, openSigner, signAs } from './local-signer.ts';

const KEY = `0x${'61'.repeat(32)}` as const;
const holder = privateKeyToAccount(KEY);
const TRANSACTION = {
  type: 'eip1559',
  chainId: 137,
  nonce: 7,
  to: '0x00000000000000000000000000000000005a3e00',
  data: '0x1234',
  value: 0n,
  gas: 90_000n,
  maxFeePerGas: 40_000_000_000n,
  maxPriorityFeePerGas: 30_000_000_000n,
} as const;
const TYPED = {
  domain: { name: 'USD Coin', version: '2', chainId: 137, verifyingContract: TRANSACTION.to },
  types: { Permit: [{ name: 'value', type: 'uint256' }] },
  primaryType: 'Permit',
  message: { value: 12n },
} as const;

async function openUrl(answer: Answer): Promise<string> {
  const signer = await openSigner(answer);
  onTestFinished(() => signer.close());
  return signer.url;
}

async function openAccount(answer: Answer) {
  const url = await openUrl(answer);
  return toSigningAccount(readKey(`signer:${url}#${holder.address}`, { env: {} }));
}

describe('an external signer', () => {
  it('signs transactions and typed data as the key itself would', async () => {
    const account = await openAccount(signAs(holder));
    expect(await account.signTransaction(TRANSACTION)).toBe(await holder.signTransaction(TRANSACTION));
    const signature = await account.signTypedData(TYPED);
    expect(await recoverTypedDataAddress({ ...TYPED, signature })).toBe(holder.address);
    expect(await listSignerAccounts(await openUrl(signAs(holder)))).toEqual([holder.address.toLowerCase()]);
  });

  it('may answer an object that holds the bytes, as geth does', async () => {
    const account = await openAccount(async (method, params) => ({
      raw: await signAs(holder)(method, params),
      tx: {},
    }));
    expect(await account.signTransaction(TRANSACTION)).toBe(await holder.signTransaction(TRANSACTION));
  });

  it.each([
    ['another account', signAs(privateKeyToAccount(`0x${'62'.repeat(32)}`), {})],
    ['another value', signAs(holder, { value: 1n })],
    ['another receiver', signAs(holder, { to: '0x00000000000000000000000000000000005a3e01' })],
    ['another nonce', signAs(holder, { nonce: 8 })],
    ['nonsense', async () => 'yes'],
  ])('that signs for %s counts as unreachable', async (_, answer) => {
    const account = await openAccount(answer);
    await expect(account.signTransaction(TRANSACTION)).rejects.toBeInstanceOf(RpcUnavailable);
  });

  it('that does not answer is an unreachable node to whoever sends', async () => {
    const account = toSigningAccount(readKey(`signer:http://127.0.0.1:1#${holder.address}`, { env: {} }));
    await expect(account.signTransaction(TRANSACTION)).rejects.toBeInstanceOf(RpcUnavailable);
  });
});

it('a key of the environment signs by itself, with or without 0x', async () => {
  for (const text of [KEY, KEY.slice(2), ` ${KEY}\n`]) {
    expect(toSigningAccount(readKey('env:K', { env: { K: text } })).address).toBe(holder.address);
  }
});

it('a key of this process signs the same bytes as the wallet library', async () => {
  const account = toSigningAccount(readKey('env:K', { env: { K: KEY } }));
  for (const nonce of [0, 1, 2, 3, 4, 5, 6, 7]) {
    const transaction = { ...TRANSACTION, nonce };
    expect(await account.signTransaction(transaction)).toBe(await holder.signTransaction(transaction));
  }
  expect(await account.signTypedData(TYPED)).toBe(await holder.signTypedData(TYPED));
  expect(await account.signMessage({ message: 'hello' })).toBe(await holder.signMessage({ message: 'hello' }));
});

it('a key outside the curve is refused', () => {
  const order = 'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141';
  for (const text of ['0'.repeat(64), order, 'f'.repeat(64)]) {
    expect(() => readKey('env:K', { env: { K: text } })).toThrow('does not hold a private key');
  }
});
