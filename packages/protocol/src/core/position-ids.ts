// The ids of shares, bit for bit those of the Gnosis conditional tokens (`PositionIds.sol`).
import { keccak_256 } from '@noble/hashes/sha3';
import { fromHex, toHex } from './hex.ts';
import type { Address, Bytes32 } from './ids.ts';
import { fullIndexSet } from './index-sets.ts';

/** The field of alt_bn128, y^2 = x^3 + 3. P = 3 (mod 4), so a square root is a power of (P + 1) / 4. */
const P = 21888242871839275222246405745257275088696311157297823662689037894645226208583n;
const ROOT_EXPONENT = (P + 1n) / 4n;
const ODD_BIT = 1n << 254n;
const WORD_DIGITS = 64;

/**
 * Id of the share that pays if the result of the condition is in the index set. The condition has no parent condition.
 */
export function toShareId(collateral: Address, conditionId: Bytes32, indexSet: bigint): string {
  const collection = toWord(collectionOf(conditionId, indexSet));
  return hash(`${collateral.slice(2)}${collection}`).toString();
}

/** YES pays for one outcome of `count`, NO for all others. */
export function toOutcomeShareIds(collateral: Address, conditionId: Bytes32, index: number, count: number) {
  const yes = 1n << BigInt(index);
  return {
    yesTokenId: toShareId(collateral, conditionId, yes),
    noTokenId: toShareId(collateral, conditionId, fullIndexSet(count) ^ yes),
  };
}

/** The point of condition and index set, compressed. Parity of y follows from the hash, and is kept in a bit above x. */
function collectionOf(conditionId: Bytes32, indexSet: bigint): bigint {
  let x = hash(`${conditionId.slice(2)}${toWord(indexSet)}`);
  const parity = x >> 255n;
  for (;;) {
    x = (x + 1n) % P;
    const square = (x * x * x + 3n) % P;
    const root = power(square, ROOT_EXPONENT);
    if ((root * root) % P !== square) continue;
    const y = (root & 1n) === parity ? root : P - root;
    return (y & 1n) === 1n ? x ^ ODD_BIT : x;
  }
}

function power(base: bigint, exponent: bigint): bigint {
  let [result, square] = [1n, base];
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if ((rest & 1n) === 1n) result = (result * square) % P;
    square = (square * square) % P;
  }
  return result;
}

function hash(digits: string): bigint {
  return BigInt(toHex(keccak_256(fromHex(`0x${digits}`))));
}

function toWord(value: bigint): string {
  return value.toString(16).padStart(WORD_DIGITS, '0');
}
