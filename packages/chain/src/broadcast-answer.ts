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
 * - `refused`: it will never take these bytes.
 */
export type BroadcastAnswer = 'accepted' | 'maybe' | 'unreachable' | 'underpriced' | 'unfunded' | 'refused';

// The wordings of geth, erigon, nethermind, reth, besu, anvil and EDR. Order matters: the first match decides.
const WORDINGS: readonly (readonly [RegExp, BroadcastAnswer])[] = [
  [/already ?known|known transaction|already imported|already in (the )?(tx)?pool/i, 'maybe'],
  [/nonce (is )?too (low|high)|old ?nonce|nonce gap|invalid nonce/i, 'maybe'],
  [/underpriced|fee too low|feetoolow|less than block base fee|gas price (is )?(too low|below)/i, 'underpriced'],
  [/insufficient (funds|balance)|doesn't have enough funds/i, 'unfunded'],
  [
    /exceeds (the )?(block|transaction) gas (limit|cap)|gas limit exceeds|intrinsic gas|gas (limit )?too low/i,
    'refused',
  ],
  [/oversized data|transaction too large|(exceeds|exceeded) max(imum)? (transaction )?size|max initcode/i, 'refused'],
  [/invalid (sender|signature|chain id)|tx ?type not supported|priority fee .*higher than max fee/i, 'refused'],
];

export function readBroadcastAnswer(outcome: RpcOutcome, hash: Hex): BroadcastAnswer {
  if (outcome.ok) return isHash(outcome.result, hash) ? 'accepted' : 'maybe';
  if (outcome.error instanceof RpcUnavailable) return 'unreachable';
  const { message } = outcome.error;
  return WORDINGS.find(([wording]) => wording.test(message))?.[1] ?? 'maybe';
}

function isHash(result: unknown, hash: Hex): boolean {
  return typeof result === 'string' && result.toLowerCase() === hash;
}
