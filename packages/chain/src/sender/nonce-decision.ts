// Decides what to do about one nonce, given the state of the chain. Pure, so that every case can be put in a table.
import type { Hex } from '@presage/protocol';
import type { Answered, Receipt } from '../node-reader.ts';
import type { Slot } from './nonce-slot.ts';

export interface NoncePolicy {
  readonly confirmations: number;
  /** Mined transactions are re-checked until they are this deep. */
  readonly finalityDepth: number;
  /** A transaction that could be mined but has not been for this many blocks is replaced. */
  readonly replaceAfterBlocks: number;
  /** After this many replacements the payload is given up and the nonce is freed. */
  readonly maxReplacements: number;
  /** Rounds without a receipt for a used nonce before another sender is suspected. */
  readonly receiptRounds: number;
}

export interface NonceFacts {
  readonly headNumber: number;
  /** The account's transaction count at the head: every lower nonce is used. */
  readonly chainNonce: number;
  /** The only receipt among our hashes whose block is on the chain; null: none; undefined: unknown. */
  readonly receipt: Answered<Receipt | null>;
  /**
   * The chain's block hash at the height where this nonce was mined; null: no block; undefined: not asked or not
   * answered.
   */
  readonly blockHashThere: Answered<Hex | null>;
  /** Whether the node holds the newest attempt. */
  readonly inPool: Answered<boolean>;
  /** Head number when the newest attempt was last sent to the node; null: not by this process. */
  readonly sentAt: number | null;
  readonly underpriced: boolean;
  readonly roundsWithoutReceipt: number;
}

export type NonceDecision =
  | { readonly act: 'wait' }
  | { readonly act: 'sign'; readonly kind: 'payload' | 'free' }
  | { readonly act: 'broadcast' }
  | { readonly act: 'note-broadcast' }
  | { readonly act: 'mine'; readonly receipt: Receipt }
  | { readonly act: 'unmine' }
  | { readonly act: 'move'; readonly receipt: Receipt }
  | { readonly act: 'confirm' }
  | { readonly act: 'finalize' }
  | { readonly act: 'investigate' };

export type MinedSlot = Slot & { readonly mined: NonNullable<Slot['mined']> };

export function decideNonce(slot: Slot, facts: NonceFacts, policy: NoncePolicy): NonceDecision {
  if (isMined(slot)) return decideMined(slot, facts, policy);
  if (facts.receipt) return { act: 'mine', receipt: facts.receipt };
  if (slot.nonce < facts.chainNonce) return decideUsed(facts, policy);
  return decideOpen(slot, facts, policy);
}

export function isMined(slot: Slot): slot is MinedSlot {
  return slot.mined !== null;
}

function decideMined(slot: MinedSlot, facts: NonceFacts, policy: NoncePolicy): NonceDecision {
  if (facts.blockHashThere === undefined) return { act: 'wait' };
  if (facts.blockHashThere !== slot.mined.blockHash) return decideDisplaced(slot, facts);
  const depth = facts.headNumber - slot.mined.blockNumber + 1;
  if (!slot.confirmed) return { act: depth >= policy.confirmations ? 'confirm' : 'wait' };
  return { act: depth > policy.finalityDepth ? 'finalize' : 'wait' };
}

function decideDisplaced(slot: MinedSlot, facts: NonceFacts): NonceDecision {
  if (facts.receipt === undefined) return { act: 'wait' };
  if (facts.receipt === null) return { act: 'unmine' };
  // Header and receipt contradict each other: one is stale, and the next round will show which.
  if (facts.receipt.blockHash === slot.mined.blockHash) return { act: 'wait' };
  return { act: 'move', receipt: facts.receipt };
}

/** The nonce is used, but none of our hashes is found on the chain. */
function decideUsed(facts: NonceFacts, policy: NoncePolicy): NonceDecision {
  if (facts.receipt === undefined) return { act: 'wait' };
  return { act: facts.roundsWithoutReceipt >= policy.receiptRounds ? 'investigate' : 'wait' };
}

function decideOpen(slot: Slot, facts: NonceFacts, policy: NoncePolicy): NonceDecision {
  const newest = slot.attempts.at(-1);
  // A nonce that another sender's transaction used and released again must not carry the payload: its operation has
  // another nonce by now.
  const unwanted = slot.freeing || slot.lostTo !== null;
  if (newest === undefined || (unwanted && newest.kind === 'payload')) {
    return { act: 'sign', kind: unwanted ? 'free' : 'payload' };
  }
  if (facts.underpriced) return { act: 'sign', kind: newest.kind };
  if (facts.inPool === undefined) return { act: 'wait' };
  if (!facts.inPool) return { act: 'broadcast' };
  if (isStuck(slot, facts, policy)) return { act: 'sign', kind: toReplacementKind(slot, policy) };
  return { act: slot.submitted === newest.hash ? 'wait' : 'note-broadcast' };
}

/** Only the lowest open nonce can be stuck; higher ones wait for it, not for better fees. */
function isStuck(slot: Slot, facts: NonceFacts, policy: NoncePolicy): boolean {
  if (slot.nonce !== facts.chainNonce || facts.sentAt === null) return false;
  return facts.headNumber - facts.sentAt >= policy.replaceAfterBlocks;
}

function toReplacementKind(slot: Slot, policy: NoncePolicy): 'payload' | 'free' {
  const payloads = slot.attempts.filter(({ kind }) => kind === 'payload').length;
  return slot.attempts.at(-1)?.kind === 'free' || payloads > policy.maxReplacements ? 'free' : 'payload';
}

/** Nonces below our highest that are not known to be used and for which we hold nothing. */
export function findGaps(slots: readonly Slot[], chainNonce: number): number[] {
  const held = new Set(slots.map(({ nonce }) => nonce));
  const highest = slots.at(-1)?.nonce ?? -1;
  const gaps: number[] = [];
  for (let nonce = chainNonce; nonce < highest; nonce += 1) {
    if (!held.has(nonce)) gaps.push(nonce);
  }
  return gaps;
}
