// Typed, strictly checked reads of a node: headers, receipts, nonces, pool membership. All followers of a chain share one, so that a header is fetched once.
import { type CursorBlock, type Hex, isHex, isObject, toLowerHex } from '@presage/protocol';
import type { Address } from 'viem';
import { type BlockHeader, HeaderMemory } from './header-memory.ts';
import { garbage, parseHash, parseIndex, parseQuantity, toQuantity } from './quantity.ts';
import { isRpcFailure, type Rpc, type RpcCall, type RpcOutcome, RpcUnavailable } from './rpc.ts';

export interface Receipt {
  readonly hash: Hex;
  readonly blockNumber: number;
  readonly blockHash: Hex;
  readonly status: 'success' | 'reverted';
}

export interface BlockTransaction {
  readonly hash: Hex;
  readonly from: Address;
  readonly nonce: number;
}

const LATEST = { method: 'eth_getBlockByNumber', params: ['latest', false] } as const;

/** One answer of a batch; undefined if the node did not answer, or answered nonsense. */
export type Answered<T> = T | undefined;

/** Blocks deeper than this are read by height alone, one by one. */
const FOLLOWED_DOWN = 128;
/**
 * After this long without an answer that names the newest block, the chain itself was set back, as test chains can be.
 */
const SET_BACK_MS = 60_000;

export class NodeReader {
  readonly #rpc: Rpc;
  readonly #memory = new HeaderMemory();
  /** The newest head answered so far, and when. */
  #newest: { readonly header: BlockHeader; readonly seenMs: number } | undefined;
  /** Blocks that an earlier process saw. */
  readonly #seenBefore: readonly CursorBlock[];
  #behindSinceMs: number | undefined;

  constructor(rpc: Rpc, seenBefore: readonly CursorBlock[] = []) {
    this.#rpc = rpc;
    this.#seenBefore = seenBefore;
  }

  /**
   * The head, never older than an earlier answer: behind a load balancer some nodes lag, and reads at this block fail
   * there instead of being out of date. Throws `RpcUnavailable` if it is older than what an earlier process saw.
   */
  async head(): Promise<BlockHeader> {
    const head = parseHead(await this.#rpc.request(LATEST.method, LATEST.params));
    return this.#rememberHead(head);
  }

  /**
   * The latest block and the account's number of mined transactions, in one batch because every round of a sender needs
   * both. Throws `RpcUnavailable` if the node lags: what it lacks would look as if it had left the chain.
   */
  async standing(account: Address): Promise<{ head: BlockHeader; transactionCount: number }> {
    const count = { method: 'eth_getTransactionCount', params: [account, 'latest'] };
    const [block, mined] = await this.#rpc.batch([LATEST, count]);
    const head = this.#requireNewest(block);
    return { head, transactionCount: parseIndex(resultOf(mined)) };
  }

  /** Headers of these heights as the node sees them now; null for a height that it does not have. */
  async headers(numbers: readonly number[]): Promise<Answered<BlockHeader | null>[]> {
    const calls = numbers.map((number) => ({ method: 'eth_getBlockByNumber', params: [toQuantity(number), false] }));
    const headers = await this.#each(calls, (result, index) => parseHeaderOf(result, numbers[index]!));
    for (const header of headers) if (header) this.#memory.add(header);
    return headers;
  }

  /** Like `headers`, on the chain that ends in this head; only unknown headers are fetched. A node that lacks a block below the head lags, and counts as not answering. */
  async headersUnder(head: BlockHeader, numbers: readonly number[]): Promise<Answered<BlockHeader | null>[]> {
    const near = numbers.filter((number) => number <= head.number && head.number - number < FOLLOWED_DOWN);
    const found = await this.#followDown(head, Math.min(head.number, ...near));
    const others = numbers.filter((number) => !found.has(number));
    const asked = await this.headers(others);
    const byNumber = new Map(others.map((number, index) => [number, asked[index]]));
    return numbers.map((number) => {
      const header = found.get(number) ?? byNumber.get(number);
      return header === null && number <= head.number ? undefined : header;
    });
  }

  /**
   * Follows parents down from the head; ends early if the node has another chain by now. Each range is twice as long as
   * the previous one: most reorgs are shallow.
   */
  async #followDown(head: BlockHeader, lowest: number): Promise<ReadonlyMap<number, BlockHeader>> {
    let lastMissing = Number.POSITIVE_INFINITY;
    for (let runs = 0; ; runs++) {
      const { found, missing } = this.#memory.below(head, lowest);
      // A node that names one hash at two heights would be asked forever.
      if (missing === undefined || missing.number >= lastMissing) return found;
      lastMissing = missing.number;
      const left = missing.number - lowest + 1;
      const count = Math.min(left, Math.max(2 ** runs, this.#memory.unseenFrom(missing.number, left)));
      const [newest] = await this.headers(Array.from({ length: count }, (_, index) => missing.number - index));
      if (newest?.hash !== missing.hash) return found;
    }
  }

  #requireNewest(answer: RpcOutcome | undefined): BlockHeader {
    const head = parseHead(resultOf(answer));
    const { number, hash } = this.#rememberHead(head);
    if (hash !== head.hash) throw behind(head.number, number);
    return head;
  }

  /** Remembers the header and returns the newest head: an earlier one, if the node's head is one of its ancestors. */
  #rememberHead(header: BlockHeader): BlockHeader {
    this.#memory.add(header);
    const newest = this.#newest;
    if (newest === undefined) this.#requireSeenBefore(header);
    const isBehind = newest !== undefined && this.#standsBelow(newest.header, header);
    if (isBehind && Date.now() - newest.seenMs < SET_BACK_MS) return newest.header;
    this.#newest = { header, seenMs: Date.now() };
    return header;
  }

  #requireSeenBefore({ number, hash }: BlockHeader): void {
    const newest = Math.max(...this.#seenBefore.map((block) => block.number));
    const isForeign = this.#seenBefore.some((block) => block.number === number && block.hash !== hash);
    if (number >= newest || isForeign) return;
    this.#behindSinceMs ??= Date.now();
    if (Date.now() - this.#behindSinceMs < SET_BACK_MS) throw behind(number, newest);
  }

  /**
   * Whether a lower head is an ancestor. It counts as one unless another block is known at its height: only some heads
   * are seen, so the blocks between may be unknown.
   */
  #standsBelow(head: BlockHeader, { number, hash }: BlockHeader): boolean {
    if (number >= head.number) return false;
    const known = this.#memory.below(head, number).found.get(number);
    return known === undefined || known.hash === hash;
  }

  receipts(hashes: readonly Hex[]): Promise<Answered<Receipt | null>[]> {
    const calls = hashes.map((hash) => ({ method: 'eth_getTransactionReceipt', params: [hash] }));
    return this.#each(calls, (result, index) => parseReceipt(result, hashes[index]!));
  }

  /** Whether the node knows these transactions, pending or mined. */
  knows(hashes: readonly Hex[]): Promise<Answered<boolean>[]> {
    const calls = hashes.map((hash) => ({ method: 'eth_getTransactionByHash', params: [hash] }));
    return this.#each(calls, (result) => result !== null);
  }

  async transactionCount(account: Address, block: number | 'latest' | 'pending'): Promise<number> {
    const tag = typeof block === 'number' ? toQuantity(block) : block;
    return parseIndex(await this.#rpc.request('eth_getTransactionCount', [account, tag]));
  }

  async blockTransactions(number: number): Promise<{ blockHash: Hex; transactions: BlockTransaction[] } | null> {
    const block = await this.#rpc.request('eth_getBlockByNumber', [toQuantity(number), true]);
    if (block === null) return null;
    const fields = toFields(block);
    const transactions = fields.transactions;
    if (!Array.isArray(transactions)) throw garbage('transactions of a block', transactions);
    return { blockHash: parseHash(fields.hash), transactions: transactions.map(parseTransaction) };
  }

  /** Throws `RpcUnavailable` if the node lags: it may lack the contract, and then almost no gas seems to be enough. */
  async estimateGas(call: { from: Address; to: Address; data: Hex; value: bigint }): Promise<bigint> {
    const transaction = { from: call.from, to: call.to, data: call.data, value: toQuantity(call.value) };
    const estimate = { method: 'eth_estimateGas', params: [transaction] };
    const [block, gas] = await this.#rpc.batch([LATEST, estimate]);
    this.#requireNewest(block);
    return parseQuantity(resultOf(gas));
  }

  /** Sends signed transactions to the node in order; each gets its own outcome. */
  sendRaw(raws: readonly Hex[]): Promise<RpcOutcome[]> {
    return this.#rpc.batch(raws.map((raw) => ({ method: 'eth_sendRawTransaction', params: [raw] })));
  }

  async #each<T>(calls: readonly RpcCall[], parse: (result: unknown, index: number) => T): Promise<Answered<T>[]> {
    if (calls.length === 0) return [];
    const outcomes = await this.#rpc.batch(calls);
    return outcomes.map((outcome, index) =>
      outcome.ok ? readOrUnknown(() => parse(outcome.result, index)) : undefined,
    );
  }
}

function behind(number: number, newest: number): RpcUnavailable {
  return new RpcUnavailable('behind', `block ${number} is the newest of the node, not ${newest}`);
}

function readOrUnknown<T>(read: () => T): Answered<T> {
  try {
    return read();
  } catch (error) {
    if (isRpcFailure(error)) return undefined;
    throw error;
  }
}

function resultOf(outcome: RpcOutcome | undefined): unknown {
  if (outcome?.ok) return outcome.result;
  throw outcome?.error ?? garbage('an answer to every call', undefined);
}

function parseHead(value: unknown): BlockHeader {
  const header = parseHeader(value);
  if (header === null) throw garbage('the latest block', null);
  return header;
}

function parseHeaderOf(value: unknown, number: number): BlockHeader | null {
  const header = parseHeader(value);
  if (header !== null && header.number !== number) throw garbage(`block ${number}`, header.number);
  return header;
}

function parseHeader(value: unknown): BlockHeader | null {
  if (value === null) return null;
  const fields = toFields(value);
  return {
    number: parseIndex(fields.number),
    hash: parseHash(fields.hash),
    parentHash: parseHash(fields.parentHash),
    timestamp: parseIndex(fields.timestamp),
    baseFeePerGas: parseQuantity(fields.baseFeePerGas ?? '0x0'),
    logsBloom: isHex(fields.logsBloom) ? toLowerHex(fields.logsBloom) : '0x',
  };
}

function parseReceipt(value: unknown, hash: Hex): Receipt | null {
  if (value === null) return null;
  const fields = toFields(value);
  // Some nodes answer a receipt without a block for a pending transaction.
  if (fields.blockHash === null || fields.blockNumber === null) return null;
  if (parseHash(fields.transactionHash) !== hash) throw garbage(`the receipt of ${hash}`, fields.transactionHash);
  return {
    hash,
    blockNumber: parseIndex(fields.blockNumber),
    blockHash: parseHash(fields.blockHash),
    status: parseQuantity(fields.status) === 1n ? 'success' : 'reverted',
  };
}

function parseTransaction(value: unknown): BlockTransaction {
  const fields = toFields(value);
  const from = toLowerHex(String(fields.from));
  return { hash: parseHash(fields.hash), from, nonce: parseIndex(fields.nonce) };
}

function toFields(value: unknown): Readonly<Record<string, unknown>> {
  if (!isObject(value)) throw garbage('an object', value);
  return value;
}
