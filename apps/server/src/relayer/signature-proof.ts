// Converts the signature of a request to the forms that the functions of the contracts take.
import type { Hex } from '@presage/protocol';
import { concatHex, numberToHex } from 'viem';
import type { Signature } from './operations/request-reader.ts';

/** A key's signature in three parts, as the cheaper functions take it, or a contract wallet's as one piece. */
export function proofOf({ deadline, v, r, s, walletSignature }: Signature) {
  if (walletSignature !== undefined) return [deadline, walletSignature] as const;
  return [deadline, v, r, s] as const;
}

/** A contract wallet's signature, or a key's r, s and v concatenated without checks: the signer is checked later. */
export function toSignatureBytes({ v, r, s, walletSignature }: Signature): Hex {
  return walletSignature ?? concatHex([r, s, numberToHex(v, { size: 1 })]);
}
