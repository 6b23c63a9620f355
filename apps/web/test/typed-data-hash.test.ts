// What a demo wallet signs is what viem would: every type of the service, with random values.
import { OPERATION_TYPES, ORDER_TYPES, SPONSORED_PROPOSAL_TYPES } from '@presage/protocol';
import { SeededRandom, seedFromEnv } from '@presage/testkit';
import { hashTypedData, recoverMessageAddress, recoverTypedDataAddress } from 'viem';
import { describe, expect, it } from 'vitest';
import { generatePrivateKey, openKey } from '../src/wallet/demo-key.ts';
import { type FlatTypedData, hashFlatTypedData } from '../src/wallet/typed-data-hash.ts';

const SEED = seedFromEnv(31);
const ROUNDS = 20;
const random = new SeededRandom(SEED);
const EIP712Domain = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
];

/** Large integers as text, as wallets get them. */
function drawValue(type: string): unknown {
  if (type.endsWith('[]')) return [drawValue(type.slice(0, -2)), drawValue(type.slice(0, -2))];
  if (type === 'address') return random.hex(20);
  if (type === 'bytes32') return random.hex(32);
  if (type === 'bool') return random.chance(0.5);
  return BigInt(random.hex(Number(type.slice(4)) / 8)).toString();
}

function dataOf(primaryType: string, fields: readonly { readonly name: string; readonly type: string }[]) {
  const domain = {
    name: 'Prägung “1”',
    version: '2',
    chainId: random.int(1, 1_000_000),
    verifyingContract: random.hex(20),
  };
  const message = Object.fromEntries(fields.map(({ name, type }) => [name, drawValue(type)]));
  return { types: { EIP712Domain, [primaryType]: fields }, domain, primaryType, message };
}

/** viem derives the type of a message from a literal. */
function asViem(data: FlatTypedData) {
  return data as unknown as Parameters<typeof hashTypedData>[0];
}

describe('a demo wallet', () => {
  const all = [ORDER_TYPES, OPERATION_TYPES, SPONSORED_PROPOSAL_TYPES].flatMap((types) => Object.entries(types));

  it.each(all)('hashes %s as viem does', (name, fields) => {
    for (let round = 0; round < ROUNDS; round++) {
      const data = dataOf(name, fields);
      expect(hashFlatTypedData(data), `seed ${SEED}`).toBe(hashTypedData(asViem(data)));
    }
  });

  it('signs typed data and messages by its address', async () => {
    const { address, provider } = openKey(generatePrivateKey());
    const data = dataOf('Order', ORDER_TYPES.Order);
    const signature = await provider.request({
      method: 'eth_signTypedData_v4',
      params: [address, JSON.stringify(data)],
    });
    const signed = { ...asViem(data), signature: signature as `0x${string}` };
    expect(await recoverTypedDataAddress(signed as Parameters<typeof recoverTypedDataAddress>[0])).toBe(address);
    const text = `0x${Buffer.from('the name of a key: ü').toString('hex')}`;
    const told = await provider.request({ method: 'personal_sign', params: [text, address] });
    const message = { message: 'the name of a key: ü', signature: told as `0x${string}` };
    expect(await recoverMessageAddress(message)).toBe(address);
  });

  it('refuses what it does not know', async () => {
    const nested = [{ name: 'order', type: 'Order' }];
    expect(() => hashFlatTypedData(dataOf('Order', [{ name: 'a', type: 'uint8' }]))).not.toThrow();
    expect(() =>
      hashFlatTypedData({ ...dataOf('Other', []), types: { EIP712Domain, Other: nested }, message: { order: {} } }),
    ).toThrow('type Order');
    const { provider } = openKey(generatePrivateKey());
    await expect(provider.request({ method: 'eth_sendTransaction', params: [{}] })).rejects.toThrow('the relayer does');
  });
});
