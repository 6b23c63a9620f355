// Wallets with real keys for tests.
import { type HDAccount, mnemonicToAccount } from 'viem/accounts';

export type Account = HDAccount;

/** Public, and known to every sandbox: never a wallet of value. */
const TEST_MNEMONIC = 'test test test test test test test test test test test junk';

/** Wallets of people begin past the sandbox's own roles (keys 0 to 6). */
const PEOPLE_FROM = 20;
const PEOPLE = ['alice', 'bob', 'carol', 'dave', 'erin', 'frank'] as const;
export type PersonName = (typeof PEOPLE)[number];

/** Kept: from the words to a key takes longer than many a test. */
const known = new Map<PersonName, Account>();

export function person(name: PersonName): Account {
  const addressIndex = PEOPLE_FROM + PEOPLE.indexOf(name);
  const account = known.get(name) ?? mnemonicToAccount(TEST_MNEMONIC, { addressIndex });
  known.set(name, account);
  return account;
}
