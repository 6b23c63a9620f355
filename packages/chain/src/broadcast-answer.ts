// Reads a node's answer to eth_sendRawTransaction: what it proves, and what it merely claims.
import type { Hex } from '@presage/protocol';
import type { RpcOutcome } from './rpc.ts';
import { RpcUnavailable } from './rpc-errors.ts';

/**
 * - `accepted`: the node named our hash.
 * - `maybe`: it may hold ours or may not ("already known", "nonce too low", nonsense): ask for our hashes.
 * - `unreachable`: no answer; the bytes may have arrived.
 * - `underpriced`: it will not take these fees.
 * - `unfunded`: the account cannot pay; nothing to change but its balance.
 * - `oversized`: it will never take so much gas or so many bytes; a smaller transaction it might.
 * - `refused`: it will never take these bytes.
 */
export type BroadcastAnswer =
  | 'accepted'
  | 'maybe'
  | 'unreachable'
  | 'underpriced'
  | 'unfunded'
  | 'oversized'
  | 'refused';

// The wordings of geth (Polygon's, BNB's and OP's too), reth, erigon, nethermind, besu, nitro, anvil and EDR, as they stand in their
// sources; the table of them, with the files, is the test of this file. Order matters: the first match decides.
const WORDINGS: readonly (readonly [RegExp, BroadcastAnswer])[] = [
  [/already ?known|known transaction|already imported|already in (the )?(tx)?pool|same hash/i, 'maybe'],
  [/nonce (is )?too (low|high)|old ?nonce|nonce gap|invalid nonce|invalid transaction nonce/i, 'maybe'],
  [
    /gas limit (is )?too high|intrinsic gas too high|gas ?limit(cap)?exceeded|transaction gas limit .*greater than the cap|exceed(s|ed)? (the )?max(imum)? (transaction|tx) gas/i,
    'oversized',
  ],
  [
    /exceeds (the )?(block|transaction)('s)? gas ?(limit|cap)|gas limit (of \d+ )?exceeds|gas limit reached/i,
    'oversized',
  ],
  // A node's own limit on the fee of one transaction: with less gas it is less.
  [/tx fee .*exceeds the configured cap/i, 'oversized'],
  [
    /oversized data|(transaction|tx) (is )?too (large|long|big)|rlp ?too ?long|(exceeds|exceeded) max(imum)? (transaction |tx )?size|max ?tx ?size ?exceeded/i,
    'oversized',
  ],
  [
    /underpriced|fee too low|feetoolow|less than block base fee|gas price (is )?(too low|below)|gas tip cap|priority fee below|could not replace existing|gas price to replace/i,
    'underpriced',
  ],
  [/insufficient ?(funds|balance)|doesn't have enough funds|not enough funds|upfront cost exceeds/i, 'unfunded'],
  [/intrinsic ?gas|gas (limit )?too low|floor data gas|max initcode|initcode too large/i, 'refused'],
  [/invalid (sender|signature|chain id)|type not supported|priority fee .*higher than max fee/i, 'refused'],
];

/** Whether an operation was given up because no node takes a transaction of its size. */
export function isSizeRefusal(reason: string | null): boolean {
  return reason !== null && readWording(reason) === 'oversized';
}

const DEMANDED_TIP = /(?:tip cap \d+, minimum needed|tip needed|below minimum required priority fee) (\d+)/i;

/** The tip that a pool demands, in wei, where it says so: "gas tip cap 1000000000, minimum needed 25000000000". */
export function demandedTip(message: string): bigint | undefined {
  const [, wei] = DEMANDED_TIP.exec(message) ?? [];
  return wei === undefined ? undefined : BigInt(wei);
}

export function readBroadcastAnswer(outcome: RpcOutcome, hash: Hex): BroadcastAnswer {
  if (outcome.ok) return isHash(outcome.result, hash) ? 'accepted' : 'maybe';
  if (outcome.error instanceof RpcUnavailable) return 'unreachable';
  return readWording(outcome.error.message) ?? 'maybe';
}

function readWording(message: string): BroadcastAnswer | undefined {
  return WORDINGS.find(([wording]) => wording.test(message))?.[1];
}

function isHash(result: unknown, hash: Hex): boolean {
  return typeof result === 'string' && result.toLowerCase() === hash;
}
