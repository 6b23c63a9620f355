// The signature of a request as the functions of the contracts take it.
import type { Hex } from '@presage/protocol';
import { concatHex, numberToHex } from 'viem';
import type { Signature } from './operations/request-reader.ts';

/** A key's signature in three parts, as the cheaper functions take it, or that of a wallet in one piece. */
export function proofOf({ deadline, v, r, s, walletSignature }: Signature) {
  if (walletSignature !== undefined) return [deadline, walletSignature] as const;
  return [deadline, v, r, s] as const;
}

/** What a wallet that is a contract takes, or a key's r, s and v in a row, whatever they are: who signed is found out later. */
export function toSignatureBytes({ v, r, s, walletSignature }: Signature): Hex {
  return walletSignature ?? concatHex([r, s, numberToHex(v, { size: 1 })]);
}
