// Checks that a repeated request gets the same answer, and is not sent again unless its transaction reverted.
import type { RelayedAgain } from '../actors/client-log.ts';
import type { KeptRecord } from './kept-journal.ts';

/** Also reads the chain's records: a transaction may have been replaced by another one of the same nonce, for the same request. */
export function* checkRelayed(
  relayedAgain: readonly RelayedAgain[],
  records: readonly KeptRecord[],
): Generator<string> {
  const nonces = new Map<string, number>();
  const reverted = new Set<number>();
  for (const { record } of records) {
    if (record.type !== 'chain-noted' || record.topic !== 'relay-sender') continue;
    const { body } = record;
    if (body.type === 'transaction-signed') nonces.set(body.hash, body.nonce);
    // A reverted request is checked anew: it is sent again, or refused for the reason of the revert.
    if (body.type === 'transaction-mined' && body.status === 'reverted') reverted.add(body.nonce);
  }
  for (const { hash, otherHash, answer } of relayedAgain) {
    const nonce = nonces.get(hash);
    const isReplaced = otherHash !== undefined && nonces.get(otherHash) === nonce;
    if (nonce === undefined || !(isReplaced || reverted.has(nonce)))
      yield `a relayed request was answered with ${hash}, and again: ${answer}`;
  }
}
