// Creates and opens the key of a demo wallet; a separate file so that it is loaded only when needed.
import type { LocalAccount } from 'viem';
import { generatePrivateKey, privateKeyToAddress, signMessage, signTypedData, toAccount } from 'viem/accounts';

export { generatePrivateKey };

/** Signs what the exchange asks for. viem's own account also encodes transactions, which takes a third more script. */
export function openKey(privateKey: `0x${string}`): LocalAccount {
  return toAccount({
    address: privateKeyToAddress(privateKey),
    signMessage: ({ message }) => signMessage({ message, privateKey }),
    signTypedData: (data) => signTypedData({ ...data, privateKey }),
    signTransaction: () => Promise.reject(new Error('A demo wallet sends no transactions: the relayer does.')),
  });
}
