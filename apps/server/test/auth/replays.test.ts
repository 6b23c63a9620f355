// What is signed once is good once and in one place: a table of everything that is signed, and of everywhere else it could be brought.
import { DOMAIN_OF_TYPE, listSignedTypes, OPERATION_TYPES, ORDER_TYPES } from '@presage/protocol';
import { walletOf } from '@presage/testkit';
import { hashTypedData, recoverMessageAddress, recoverTypedDataAddress } from 'viem';
import { describe, expect, it } from 'vitest';

const signer = walletOf('signs once');
const TYPES = { ...ORDER_TYPES, ...OPERATION_TYPES } as Readonly<
  Record<string, readonly { name: string; type: string }[]>
>;
const HERE = {
  name: 'PresageSettlement',
  version: '1',
  chainId: 31_337,
  verifyingContract: `0x${'11'.repeat(20)}`,
} as const;
const ELSEWHERE = [
  ['another chain', { ...HERE, chainId: 31_338 }],
  ['another contract, or market', { ...HERE, verifyingContract: `0x${'12'.repeat(20)}` }],
  ['another service', { ...HERE, name: 'OtherSettlement' }],
  ['another version', { ...HERE, version: '2' }],
] as const;

function sampleOf(type: string, byte: number): unknown {
  if (type.endsWith('[]')) return [sampleOf(type.slice(0, -2), byte)];
  if (type === 'address') return `0x${String(byte).repeat(40)}`;
  if (type === 'bytes32') return `0x${String(byte).repeat(64)}`;
  if (type === 'bool') return byte === 1;
  return BigInt(byte);
}

const messageOf = (name: string, byte = 1): Record<string, unknown> =>
  Object.fromEntries(TYPES[name]!.map((field) => [field.name, sampleOf(field.type, byte)]));

const NAMES = Object.keys(DOMAIN_OF_TYPE).filter((name) => name !== 'ApiKeyMessage');

describe.each(NAMES)('a signed %s', (primaryType) => {
  const typed = (domain: object, message: Record<string, unknown>) => ({ domain, types: TYPES, primaryType, message });

  it('is valid for no other service, chain or contract', async () => {
    const message = messageOf(primaryType);
    const signature = await signer.signTypedData(typed(HERE, message));
    const recover = (domain: object) => recoverTypedDataAddress({ ...typed(domain, message), signature });
    expect(await recover(HERE)).toBe(signer.address);
    for (const [where, domain] of ELSEWHERE)
      expect([where, await recover(domain)]).not.toEqual([where, signer.address]);
  });

  it('is another with any field changed, its wallet, market and nonce among them', () => {
    const message = messageOf(primaryType);
    const digests = TYPES[primaryType]!.map(({ name, type }) =>
      hashTypedData(typed(HERE, { ...message, [name]: sampleOf(type, 2) })),
    );
    expect(new Set([hashTypedData(typed(HERE, message)), ...digests]).size).toBe(digests.length + 1);
  });

  it('says what it cannot be used twice for: a nonce, or an order that is cancelled once', () => {
    const names = TYPES[primaryType]!.map(({ name }) => name);
    expect(names.some((name) => /nonce/i.test(name))).toBe(true);
  });
});

describe('a registration of an API key', () => {
  it('is of one wallet at one service', async () => {
    const textOf = (service: string, address: string) =>
      String(listSignedTypes(service).ApiKeyMessage).replace('{address}', address);
    const signature = await signer.signMessage({ message: textOf('Mine', signer.address) });
    const recover = (message: string) => recoverMessageAddress({ message, signature });
    expect(await recover(textOf('Mine', signer.address))).toBe(signer.address);
    expect(await recover(textOf('Theirs', signer.address))).not.toBe(signer.address);
    expect(await recover(textOf('Mine', walletOf('another').address))).not.toBe(signer.address);
  });
});
