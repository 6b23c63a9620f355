// Signature checks with a known outcome: good ones, and bad ones of every kind a client may send.
import { createRequire } from 'node:module';
import { type Address, fromHex } from '@presage/protocol';
import type { SeededRandom } from '@presage/testkit';
import { privateKeyToAddress } from 'viem/accounts';
import type { SignaturePool } from '../src/signature-pool.ts';

const { ecdsaSign } = createRequire(import.meta.url)('secp256k1') as {
  ecdsaSign(digest: Uint8Array, key: Uint8Array): { signature: Uint8Array; recid: number };
};

export interface KnownCheck {
  readonly digest: Uint8Array;
  readonly signature: Uint8Array;
  /** Undefined when nobody can be recovered. */
  readonly signer: Address | undefined;
}

type Spoil = (check: KnownCheck) => KnownCheck;

const SPOILS: readonly Spoil[] = [
  (check) => check,
  (check) => ({ ...check, signature: withByte(check.signature, 64, check.signature[64]! - 27) }),
  (check) => ({ ...check, signature: withByte(check.signature, 64, 29), signer: undefined }),
  (check) => ({ ...check, signature: Uint8Array.from(check.signature).fill(0, 0, 32), signer: undefined }),
  (check) => ({ ...check, signature: withByte(check.signature, 32, 0xff), signer: undefined }),
];

export function ask(pool: SignaturePool, checks: readonly KnownCheck[]): Promise<(Address | undefined)[]> {
  return Promise.all(checks.map(({ digest, signature }) => pool.recover(digest, signature)));
}

export function signersOf(checks: readonly KnownCheck[]): (Address | undefined)[] {
  return checks.map(({ signer }) => signer);
}

export function drawChecks(random: SeededRandom, count: number): KnownCheck[] {
  const keys = Array.from({ length: 8 }, () => random.hex(32));
  const wallets = keys.map((key) => ({
    key: fromHex(key),
    address: privateKeyToAddress(key).toLowerCase() as Address,
  }));
  return Array.from({ length: count }, () => {
    const { key, address } = random.pick(wallets);
    return random.pick(SPOILS)(signDigest(fromHex(random.hex(32)), key, address));
  });
}

function signDigest(digest: Uint8Array, key: Uint8Array, signer: Address): KnownCheck {
  const { signature, recid } = ecdsaSign(digest, key);
  return { digest, signature: Uint8Array.from([...signature, recid + 27]), signer };
}

function withByte(bytes: Uint8Array, at: number, byte: number): Uint8Array {
  const changed = Uint8Array.from(bytes);
  changed[at] = byte;
  return changed;
}
