// How two nodes prove to each other that they know the shared secret, without sending it, and say which key they sign receipts with.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { isObject, RECORD_VERSION } from '@presage/protocol';

/**
 * The first number changes when messages of the link do, the second with the version of records, which nodes have each other append:
 * an owner could not read those of a newer node. Nodes of another version are refused, and wait for their own kind.
 */
export const LINK_VERSION = `3.${RECORD_VERSION}`;

/** Settings that all nodes of a cluster have in common. */
export interface SharedSettings {
  readonly secret: string;
  /** Public half of the key that receipts are signed with. */
  readonly receiptKey: string;
}

/** `receiptKey` is that of the side that proves. */
interface Terms extends SharedSettings {
  /** What the listening side drew. */
  readonly challenge: string;
  /** What the calling side drew. */
  readonly nonce: string;
  /** How the calling side calls itself. */
  readonly node: string;
}

export function drawNonce(): string {
  return randomBytes(32).toString('hex');
}

/** The two sides prove with different words: neither answer can be sent back as the other. */
export function proofOf(side: 'caller' | 'listener', { secret, receiptKey, challenge, nonce, node }: Terms): string {
  const text = JSON.stringify([LINK_VERSION, side, receiptKey, challenge, nonce, node]);
  return createHmac('sha256', secret).update(text).digest('hex');
}

/** What a stranger sends: its members may be anything. */
export function readHandshake(bytes: Buffer): Readonly<Record<string, unknown>> {
  const read: unknown = JSON.parse(bytes.toString('utf8'));
  if (!isObject(read)) throw new Error('a handshake that is no object');
  return read;
}

export function isProof(side: 'caller' | 'listener', terms: Terms, mac: unknown): boolean {
  if (typeof mac !== 'string') return false;
  const [given, expected] = [Buffer.from(mac), Buffer.from(proofOf(side, terms))];
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** A signature travels with its frame, and whoever follows it passes it on: with two keys, receipts would fail at clients. */
export function describeOtherKey(here: string, there: string): string {
  return `it signs receipts with another key (${there}, this node with ${here}). Set PRESAGE_RECEIPT_KEY to the same value on all nodes.`;
}
