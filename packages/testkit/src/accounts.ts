// Wallets with real keys for tests.
import { type HDAccount, mnemonicToAccount } from 'viem/accounts';

export type Account = HDAccount;

/** A public mnemonic that every sandbox knows: never use its wallets for value. */
const TEST_MNEMONIC = 'test test test test test test test test test test test junk';

/** Wallets of people start after the sandbox's own roles (keys 0 to 6). */
const PEOPLE_FROM = 20;
const PEOPLE = ['alice', 'bob', 'carol', 'dave', 'erin', 'frank'] as const;
export type PersonName = (typeof PEOPLE)[number];

/** Cached, because deriving a key from the mnemonic takes longer than many a test. */
const known = new Map<PersonName, Account>();

export function person(name: PersonName): Account {
  const addressIndex = PEOPLE_FROM + PEOPLE.indexOf(name);
  const account = known.get(name) ?? mnemonicToAccount(TEST_MNEMONIC, { addressIndex });
  known.set(name, account);
  return account;
}
