// A key in the environment, in a file or at an external signer signs the same; a signer that answers something else is not believed.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { recoverTypedDataAddress } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { describe, expect, it, onTestFinished } from 'vitest';
import { RpcUnavailable } from '../../src/rpc-errors.ts';
import { readKey } from '../../src/setup/key-source.ts';
import { listSignerAccounts, toSigningAccount } from '../../src/setup/signing-account.ts';

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

type Parameters = readonly [Record<string, string>] & readonly [string, string];
type Answer = (method: string, params: Parameters) => unknown;

/** A signer as Web3Signer is one; `change` spoils what it is asked to sign. */
function signAs(account = holder, change: object = {}): Answer {
  return async (method, params) => {
    if (method === 'eth_accounts') return [account.address.toLowerCase()];
    if (method === 'eth_signTypedData') {
      const { types, ...typed } = JSON.parse(params[1]) as { types: Record<string, unknown> };
      expect(types.EIP712Domain).toHaveLength(4);
      return account.signTypedData({ ...typed, types } as never);
    }
    const [{ from, ...fields }] = params;
    expect(from).toBe(holder.address);
    const number = (name: string) => Number(fields[name]);
    const wei = (name: string) => BigInt(fields[name] as string);
    return account.signTransaction({
      type: 'eip1559',
      chainId: number('chainId'),
      nonce: number('nonce'),
      to: fields.to as `0x${string}`,
      data: fields.data as `0x${string}`,
      value: wei('value'),
      gas: wei('gas'),
      maxFeePerGas: wei('maxFeePerGas'),
      maxPriorityFeePerGas: wei('maxPriorityFeePerGas'),
      ...change,
    });
  };
}

async function openSigner(answer: Answer): Promise<string> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString()) as {
      id: number;
      method: string;
      params: Parameters;
    };
    const result = await answer(method, params);
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function openAccount(answer: Answer) {
  const url = await openSigner(answer);
  return toSigningAccount(readKey(`signer:${url}#${holder.address}`, { env: {} }));
}

describe('an external signer', () => {
  it('signs transactions and typed data as the key itself would', async () => {
    const account = await openAccount(signAs());
    expect(await account.signTransaction(TRANSACTION)).toBe(await holder.signTransaction(TRANSACTION));
    const signature = await account.signTypedData(TYPED);
    expect(await recoverTypedDataAddress({ ...TYPED, signature })).toBe(holder.address);
    expect(await listSignerAccounts(await openSigner(signAs()))).toEqual([holder.address.toLowerCase()]);
  });

  it('may answer an object that holds the bytes, as geth does', async () => {
    const account = await openAccount(async (method, params) => ({ raw: await signAs()(method, params), tx: {} }));
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
