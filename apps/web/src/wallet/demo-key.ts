// Creates and opens the key of a demo wallet; a separate file so that it is loaded only when needed.
import { asHex } from '@presage/protocol/browser';
import type { ProviderAccount } from '@presage/sdk';
import { generatePrivateKey, privateKeyToAddress, sign, signMessage } from 'viem/accounts';
import { type FlatTypedData, hashFlatTypedData } from './typed-data-hash.ts';

export { generatePrivateKey };

/** An account that signs like a browser wallet. viem's own account would double the script size. */
export function openKey(privateKey: `0x${string}`): ProviderAccount {
  const request: ProviderAccount['provider']['request'] = async ({ method, params }) => {
    const [first, second] = Array.isArray(params) ? params.map(String) : [];
    if (method === 'personal_sign') return signMessage({ message: { raw: asHex(first) }, privateKey });
    if (method !== 'eth_signTypedData_v4') throw new Error('A demo wallet sends no transactions: the relayer does.');
    // The SDK has written this JSON.
    const data = JSON.parse(second ?? '') as FlatTypedData;
    return sign({ hash: hashFlatTypedData(data), privateKey, to: 'hex' });
  };
  return { address: privateKeyToAddress(privateKey), provider: { request } };
}
