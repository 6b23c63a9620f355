// Recognizes the published accounts of development chains: anybody can sign with them, so a live service must not use them.
import { mnemonicToAccount } from 'viem/accounts';

const PUBLISHED_MNEMONIC = 'test test test test test test test test test test test junk';
const PUBLISHED_ACCOUNTS = 10;

let addresses: ReadonlySet<string> | undefined;

/** Whether an account belongs to the published mnemonic, wherever its key is kept. */
export function isPublishedKey(address: string | undefined): boolean {
  // Computed on first use: a sandbox never asks, and each key takes a millisecond.
  addresses ??= new Set(
    Array.from({ length: PUBLISHED_ACCOUNTS }, (_, addressIndex) =>
      mnemonicToAccount(PUBLISHED_MNEMONIC, { addressIndex }).address.toLowerCase(),
    ),
  );
  return address !== undefined && addresses.has(address.toLowerCase());
}
