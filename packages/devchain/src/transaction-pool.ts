// Accepted transactions that are not mined yet, with a real node's rules for nonces and replacements.
import type { Hex } from '@presage/protocol';
import type { StoredTransaction } from './chain-record.ts';
import { RpcError, rpcCode } from './rpc/rpc-error.ts';

const MAX_TRANSACTIONS = 20_000;
/**
 * Most transactions per block. The node traces a transaction by executing all earlier ones of its block: when the state
 * was saved, the first of 324 fundings in a block took it 0.2 ms and the last 30 to 60.
 */
export const MAX_IN_BLOCK = 50;
/** Price bump of geth: a replacement must pay at least a tenth more, in both fees. */
const REPLACEMENT_PERCENT = 110n;

export interface PooledTransaction extends StoredTransaction {
  readonly gas: number;
  readonly maxCost: bigint;
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
  /** Answer of eth_getTransactionByHash while the transaction is pending. */
  readonly view: unknown;
}

export interface AccountState {
  readonly nonce: number;
  readonly balance: bigint;
}

export class TransactionPool {
  /** In order of arrival, which is the mining order. */
  readonly #byHash = new Map<Hex, PooledTransaction>();
  readonly #bySender = new Map<Hex, Map<number, PooledTransaction>>();

  get size(): number {
    return this.#byHash.size;
  }

  get(hash: Hex): PooledTransaction | undefined {
    return this.#byHash.get(hash);
  }

  values(): IterableIterator<PooledTransaction> {
    return this.#byHash.values();
  }

  senders(): IterableIterator<Hex> {
    return this.#bySender.keys();
  }

  /** Adds a transaction, replacing one with the same sender and nonce, or refuses in geth's words. */
  add(transaction: PooledTransaction): void {
    if (this.#byHash.has(transaction.hash)) throw new RpcError(rpcCode.server, 'already known');
    const rival = this.#bySender.get(transaction.from)?.get(transaction.nonce);
    if (rival && !outbids(transaction, rival)) {
      throw new RpcError(rpcCode.server, 'replacement transaction underpriced');
    }
    if (!rival && this.size >= MAX_TRANSACTIONS) throw new RpcError(rpcCode.server, 'txpool is full');
    if (rival) this.remove(rival.hash);
    this.#byHash.set(transaction.hash, transaction);
    const queue = this.#bySender.get(transaction.from) ?? new Map<number, PooledTransaction>();
    this.#bySender.set(transaction.from, queue.set(transaction.nonce, transaction));
  }

  remove(hash: Hex): void {
    const transaction = this.#byHash.get(hash);
    if (!transaction) return;
    this.#byHash.delete(hash);
    const queue = this.#bySender.get(transaction.from);
    queue?.delete(transaction.nonce);
    if (queue?.size === 0) this.#bySender.delete(transaction.from);
  }

  /** The nonce after the gapless run of pending transactions. */
  nextNonce(from: Hex, stateNonce: number): number {
    const queue = this.#bySender.get(from);
    let nonce = stateNonce;
    while (queue?.has(nonce)) nonce += 1;
    return nonce;
  }

  /**
   * Transactions of the next block: by arrival, without gaps, within the limits of gas and number, and only those that
   * their sender can pay for.
   */
  select(accounts: ReadonlyMap<Hex, AccountState>, gasLimit: number): Pick<BlockDraft, 'chosen' | 'unminable'> {
    const draft = new BlockDraft(accounts, gasLimit);
    for (const transaction of this.#byHash.values()) {
      let next: PooledTransaction | undefined = transaction;
      while (next && draft.offer(next)) next = draft.passedOver(next.from, next.nonce + 1);
    }
    return draft;
  }
}

class BlockDraft {
  readonly chosen: PooledTransaction[] = [];
  /** Transactions that can never be mined: their nonce is used, or their sender cannot pay. */
  readonly unminable: PooledTransaction[] = [];
  readonly #accounts: Map<Hex, { nonce: number; balance: bigint; taken: number }>;
  readonly #skipped = new Map<string, PooledTransaction>();
  #gasLeft: number;

  constructor(accounts: ReadonlyMap<Hex, AccountState>, gasLimit: number) {
    this.#accounts = new Map([...accounts].map(([from, state]) => [from, { ...state, taken: 0 }]));
    this.#gasLeft = gasLimit;
  }

  /** Takes the transaction if it is its sender's next; otherwise keeps it in case an earlier nonce follows. */
  offer(transaction: PooledTransaction): boolean {
    const account = this.#accounts.get(transaction.from);
    if (!account) return false;
    if (transaction.nonce > account.nonce) {
      this.#skipped.set(`${transaction.from}:${transaction.nonce}`, transaction);
      return false;
    }
    if (transaction.nonce < account.nonce || (account.taken === 0 && transaction.maxCost > account.balance)) {
      this.unminable.push(transaction);
      return false;
    }
    if (this.chosen.length >= MAX_IN_BLOCK) return false;
    if (transaction.gas > this.#gasLeft || transaction.maxCost > account.balance) return false;
    account.nonce += 1;
    account.taken += 1;
    account.balance -= transaction.maxCost;
    this.#gasLeft -= transaction.gas;
    this.chosen.push(transaction);
    return true;
  }

  passedOver(from: Hex, nonce: number): PooledTransaction | undefined {
    return this.#skipped.get(`${from}:${nonce}`);
  }
}

function outbids(challenger: PooledTransaction, rival: PooledTransaction): boolean {
  return (
    outbidsBy(challenger.maxFeePerGas, rival.maxFeePerGas) &&
    outbidsBy(challenger.maxPriorityFeePerGas, rival.maxPriorityFeePerGas)
  );
}

function outbidsBy(fee: bigint, rivalFee: bigint): boolean {
  return fee > rivalFee && fee * 100n >= rivalFee * REPLACEMENT_PERCENT;
}
