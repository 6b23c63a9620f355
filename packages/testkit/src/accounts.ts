// Wallets with real keys for tests.
import { type HDAccount, mnemonicToAccount } from 'viem/accounts';

export type Account = HDAccount;

/** Public, and known to every sandbox: never a wallet of value. */
const TEST_MNEMONIC = 'test test test test test test test test test test test junk';

/** Wallets of people begin past the sandbox's own roles (keys 0 to 6). */
const PEOPLE_FROM = 20;
const PEOPLE = ['alice', 'bob', 'carol', 'dave', 'erin', 'frank'] as const;
export type PersonName = (typeof PEOPLE)[number];

export function person(name: PersonName): Account {
  return mnemonicToAccount(TEST_MNEMONIC, { addressIndex: PEOPLE_FROM + PEOPLE.indexOf(name) });
}
