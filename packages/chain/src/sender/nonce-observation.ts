// Reads everything that a round of decisions needs from the node, in a handful of batches.
import type { Hex } from '@presage/protocol';
import type { Address } from 'viem';
import type { BlockHeader } from '../header-memory.ts';
import type { Answered, NodeReader, Receipt } from '../node-reader.ts';
import { isMined } from './nonce-decision.ts';
import { hashesOf, type Slot } from './nonce-slot.ts';

export interface Observation {
  readonly head: BlockHeader;
  readonly chainNonce: number;
  /** Canonical receipt per nonce; absent if unknown. */
  readonly receipts: ReadonlyMap<number, Receipt | null>;
  /** Canonical block hash per height; absent if unknown. */
  readonly blockHashes: ReadonlyMap<number, Hex | null>;
  /** Whether the node holds the newest attempt, per nonce; absent if unknown. */
  readonly inPool: ReadonlyMap<number, boolean>;
}

export interface ObservationRequest {
  readonly account: Address;
  readonly slots: readonly Slot[];
  /** The head at which every mined transaction was found in place: while it is canonical, so is everything below it. */
  readonly checkedHead: Hex | null;
}

/** Throws `RpcUnavailable` if not even the head can be read; any other failure leaves its fact unknown. */
export async function observeNonces(node: NodeReader, request: ObservationRequest): Promise<Observation> {
  const { head, transactionCount: chainNonce } = await node.standing(request.account);
  const mined = head.hash === request.checkedHead ? [] : request.slots.filter(isMined);
  const heights = mined.map((slot) => slot.mined.blockNumber);
  const blockHashes = await readBlockHashes(node, head, heights);
  const uncertain = request.slots.filter((slot) => needsReceipts(slot, chainNonce, blockHashes));
  const receipts = await readReceipts(node, head, uncertain);
  const inPool = await readPool(
    node,
    request.slots.filter((slot) => !isMined(slot) && slot.nonce >= chainNonce && slot.attempts.length > 0),
  );
  return { head, chainNonce, receipts, blockHashes, inPool };
}

function needsReceipts(slot: Slot, chainNonce: number, blockHashes: ReadonlyMap<number, Hex | null>): boolean {
  if (!isMined(slot)) return slot.nonce < chainNonce;
  const there = blockHashes.get(slot.mined.blockNumber);
  return there !== undefined && there !== slot.mined.blockHash;
}

async function readBlockHashes(
  node: NodeReader,
  head: BlockHeader,
  numbers: readonly number[],
): Promise<Map<number, Hex | null>> {
  const distinct = [...new Set(numbers)];
  const headers = await node.headersUnder(head, distinct);
  return toKnown(
    distinct,
    headers.map((header) => (header === undefined ? undefined : (header?.hash ?? null))),
  );
}

async function readPool(node: NodeReader, slots: readonly Slot[]): Promise<Map<number, boolean>> {
  const nonces = slots.map(({ nonce }) => nonce);
  return toKnown(nonces, await node.knows(slots.map((slot) => slot.attempts.at(-1)!.hash)));
}

/** A receipt counts only if the chain has its block at that height now. */
async function readReceipts(
  node: NodeReader,
  head: BlockHeader,
  slots: readonly Slot[],
): Promise<Map<number, Receipt | null>> {
  const found = await readAllReceipts(node, slots);
  const heights = [...found.values()].flat().flatMap((receipt) => (receipt ? [receipt.blockNumber] : []));
  const canonical = await readBlockHashes(node, head, heights);
  const known = new Map<number, Receipt | null>();
  for (const slot of slots) {
    const judged = judge(found.get(slot.nonce) ?? [], canonical);
    if (judged !== undefined) known.set(slot.nonce, judged);
  }
  return known;
}

async function readAllReceipts(node: NodeReader, slots: readonly Slot[]) {
  const hashes = slots.map(hashesOf);
  const answers = await node.receipts(hashes.flat());
  const byNonce = new Map<number, Answered<Receipt | null>[]>();
  let taken = 0;
  slots.forEach((slot, index) => {
    const count = hashes[index]!.length;
    byNonce.set(slot.nonce, answers.slice(taken, taken + count));
    taken += count;
  });
  return byNonce;
}

function judge(
  answers: readonly Answered<Receipt | null>[],
  canonical: ReadonlyMap<number, Hex | null>,
): Answered<Receipt | null> {
  const mined = answers.find((receipt) => receipt && canonical.get(receipt.blockNumber) === receipt.blockHash);
  if (mined) return mined;
  const isUnknown = answers.some(
    (receipt) => receipt === undefined || (receipt && !canonical.has(receipt.blockNumber)),
  );
  return isUnknown ? undefined : null;
}

function toKnown<K, V>(keys: readonly K[], values: readonly Answered<V>[]): Map<K, V> {
  const known = new Map<K, V>();
  keys.forEach((key, index) => {
    const value = values[index];
    if (value !== undefined) known.set(key, value);
  });
  return known;
}

/** Counts in how many rounds in a row a key was observed: a single odd answer of a node proves nothing. */
export class ConsecutiveCounter {
  readonly #rounds = new Map<number, number>();

  of(key: number): number {
    return this.#rounds.get(key) ?? 0;
  }

  count(key: number): number {
    const rounds = this.of(key) + 1;
    this.#rounds.set(key, rounds);
    return rounds;
  }

  reset(key: number): number {
    this.#rounds.delete(key);
    return 0;
  }

  /** Counts these keys, resets all others, and returns those observed in at least so many rounds. */
  observe(keys: readonly number[], leastRounds: number): number[] {
    const present = new Set(keys);
    for (const key of this.#rounds.keys()) if (!present.has(key)) this.#rounds.delete(key);
    return keys.filter((key) => this.count(key) >= leastRounds);
  }
}

export interface NonceQuestion {
  readonly account: Address;
  readonly nonce: number;
  readonly headNumber: number;
}

/**
 * Finds the transaction that used a nonce of an account: the only evidence on which an operation may be moved. Searches
 * for the first block after which the account's count exceeds the nonce and reads the transaction from it. Returns null
 * if nothing was found: a missing receipt proves nothing, so the caller must keep waiting.
 */
export async function findNonceUse(node: NodeReader, question: NonceQuestion): Promise<Omit<Receipt, 'status'> | null> {
  const { account, nonce } = question;
  const number = await findBlock(node, question);
  if (number === null) return null;
  const block = await node.blockTransactions(number);
  const user = block?.transactions.find((candidate) => candidate.from === account && candidate.nonce === nonce);
  return block && user ? { hash: user.hash, blockNumber: number, blockHash: block.blockHash } : null;
}

async function findBlock(node: NodeReader, { account, nonce, headNumber }: NonceQuestion): Promise<number | null> {
  const isUsedAt = async (number: number) => (await node.transactionCount(account, number)) > nonce;
  if (!(await isUsedAt(headNumber))) return null;
  // Steps double from the head down, because pruned nodes have the counts of recent blocks only.
  let high = headNumber;
  let low = headNumber - 1;
  for (let step = 1; low >= 0 && (await isUsedAt(low)); step *= 2) {
    high = low;
    low = Math.max(low - step, low === 0 ? -1 : 0);
  }
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (await isUsedAt(middle)) high = middle;
    else low = middle;
  }
  return high;
}
