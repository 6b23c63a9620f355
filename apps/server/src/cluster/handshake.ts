// Handshake of two nodes: each proves that it knows the shared secret without sending it, and states its receipt key.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { isObject, RECORD_VERSION } from '@presage/protocol';

/**
 * The first number changes with the messages of the link, the second with the version of records: nodes have each other append records, and
 * an owner could not read those of a newer node. Nodes of other versions are refused and wait for nodes of their own.
 */
export const LINK_VERSION = `3.${RECORD_VERSION}`;

/** Settings that must be the same on all nodes of a cluster. */
export interface SharedSettings {
  readonly secret: string;
  /** Public key of receipts. */
  readonly receiptKey: string;
}

/** Inputs of a proof; `receiptKey` is the key of the side that proves. */
interface Terms extends SharedSettings {
  /** Random value of the listening side. */
  readonly challenge: string;
  /** Random value of the calling side. */
  readonly nonce: string;
  /** Name of the calling node. */
  readonly node: string;
}

export function drawNonce(): string {
  return randomBytes(32).toString('hex');
}

/** The text names the side, so that neither proof can be sent back as the other. */
export function proofOf(side: 'caller' | 'listener', { secret, receiptKey, challenge, nonce, node }: Terms): string {
  const text = JSON.stringify([LINK_VERSION, side, receiptKey, challenge, nonce, node]);
  return createHmac('sha256', secret).update(text).digest('hex');
}

/** Parses a message of an unproved peer; its members may have any type. */
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

/** Nodes pass on frames with their signatures; with two keys, receipts would fail at clients. */
export function describeOtherKey(here: string, there: string): string {
  return `it signs receipts with another key (${there}, this node with ${here}). Set PRESAGE_RECEIPT_KEY to the same value on all nodes.`;
}
