// The blocks themselves: adds one to the node inside, takes the newest back, and knows the recent ones by content.
import { createHash } from 'node:crypto';
import type { Hex } from '@presage/protocol';
import type { BlockRecord, StoredTransaction } from './chain-record.ts';
import type { EdrNode } from './edr-node.ts';
import { placeTransaction, withdrawTransaction } from './placement.ts';
import { RpcError } from './rpc-error.ts';

export const MAX_REORG_DEPTH = 64;

/**
 * The node never frees a snapshot, and one costs as much memory as its pool ever held; one in 32 blocks keeps that
 * small, at the price of executing up to 31 blocks again when the chain is rewound.
 */
const SNAPSHOT_EVERY = 32;
const REMEMBERED_BLOCKS = MAX_REORG_DEPTH + SNAPSHOT_EVERY;

export interface LedgerBlock {
  readonly number: number;
  readonly time: number;
  readonly branch: number;
  readonly hash: Hex;
  readonly transactions: readonly StoredTransaction[];
}

export interface BlockPlan {
  readonly time: number;
  readonly branch: number;
  readonly transactions: readonly StoredTransaction[];
  /** Whether a block without transactions is wanted. */
  readonly allowEmpty: boolean;
}

export interface Extension {
  readonly block: LedgerBlock | undefined;
  readonly refused: readonly StoredTransaction[];
}

export class Ledger {
  readonly #node: EdrNode;
  readonly #recent: LedgerBlock[];
  readonly #snapshots: { readonly height: number; readonly id: string }[] = [];

  private constructor(node: EdrNode, genesis: LedgerBlock) {
    this.#node = node;
    this.#recent = [genesis];
  }

  static async open(node: EdrNode): Promise<Ledger> {
    const { number, hash, time } = await readHead(node);
    const ledger = new Ledger(node, { number, hash, time, branch: 0, transactions: [] });
    await ledger.#snapshot();
    return ledger;
  }

  get head(): LedgerBlock {
    return this.#recent[this.#recent.length - 1]!;
  }

  /** The newest `depth` blocks, oldest first; genesis is never among them. */
  newest(depth: number): readonly LedgerBlock[] {
    return this.#recent.filter((block) => block.number > Math.max(0, this.head.number - depth));
  }

  async extend(plan: BlockPlan): Promise<Extension> {
    const { placed, refused } = await this.#place(plan.transactions);
    if (placed.length === 0 && !plan.allowEmpty) return { block: undefined, refused };
    const mined = await this.#execute(plan, placed.length > 0);
    const included = new Set(mined?.transactions);
    const left = placed.filter(({ hash }) => !included.has(hash));
    for (const { hash } of left) await withdrawTransaction(this.#node, hash);
    if (!mined) return this.#extendWithFirst(plan, placed, refused);
    const byHash = new Map(placed.map((transaction) => [transaction.hash, transaction]));
    const transactions = mined.transactions.map((hash) => byHash.get(hash)!);
    const block = { ...mined, branch: plan.branch, transactions };
    await this.#remember(block);
    return { block, refused: [...refused, ...left] };
  }

  /** Takes the newest `depth` blocks back and answers them, oldest first. */
  async rewind(depth: number): Promise<readonly LedgerBlock[]> {
    const target = this.head.number - depth;
    const removed = this.newest(depth);
    if (removed.length !== depth || depth > MAX_REORG_DEPTH) throw new Error(`cannot take ${depth} blocks back`);
    const base = this.#snapshots.findLast(({ height }) => height <= target);
    if (!base) throw new Error(`no snapshot at or below block ${target}`);
    const again = this.#recent.filter(({ number }) => number > base.height && number <= target);
    await this.#node.request('evm_revert', [base.id]);
    this.#snapshots.splice(this.#snapshots.indexOf(base));
    this.#recent.splice(this.#recent.findIndex(({ number }) => number === base.height) + 1);
    await this.#snapshot();
    for (const block of again) await this.extendTo(block, block.transactions);
    return removed;
  }

  /** Executes a block that is already on record; anything but the recorded hash means the record cannot be trusted. */
  async extendTo(
    expected: Omit<BlockRecord, 'transactions'>,
    transactions: readonly StoredTransaction[],
  ): Promise<void> {
    const { time, branch } = expected;
    const { block } = await this.extend({ time, branch, transactions, allowEmpty: true });
    if (block?.hash === expected.hash && block.number === expected.number) return;
    throw new Error(
      `block ${expected.number} was recorded as ${expected.hash} but executes to ${block?.hash ?? 'nothing'}: ` +
        'the log was written by another version of the chain or has been altered',
    );
  }

  async #place(transactions: readonly StoredTransaction[]) {
    const placed: StoredTransaction[] = [];
    const refused: StoredTransaction[] = [];
    for (const transaction of transactions) {
      const accepted = await this.#tryPlace(transaction);
      (accepted ? placed : refused).push(transaction);
    }
    return { placed, refused };
  }

  async #tryPlace(transaction: StoredTransaction): Promise<boolean> {
    try {
      await placeTransaction(this.#node, transaction.body);
      return true;
    } catch (error) {
      if (error instanceof RpcError) return false;
      throw error;
    }
  }

  /** Mines what is placed; answers nothing when the node refused the block because of one of its transactions. */
  async #execute(plan: BlockPlan, mayRefuse: boolean): Promise<Head | undefined> {
    const number = this.head.number + 1;
    await this.#node.request('hardhat_setPrevRandao', [toRandomness(plan.branch, number)]);
    await this.#node.request('evm_setNextBlockTimestamp', [`0x${plan.time.toString(16)}`]);
    try {
      await this.#node.request('evm_mine', []);
    } catch (error) {
      if (error instanceof RpcError && mayRefuse) return undefined;
      throw error;
    }
    return readHead(this.#node);
  }

  /** One transaction that cannot pay when its turn comes makes the node refuse a whole block: narrow it down to one. */
  async #extendWithFirst(
    plan: BlockPlan,
    placed: readonly StoredTransaction[],
    refused: readonly StoredTransaction[],
  ): Promise<Extension> {
    if (placed.length === 1) {
      const rest = await this.extend({ ...plan, transactions: [] });
      return { block: rest.block, refused: [...refused, ...placed] };
    }
    const rest = await this.extend({ ...plan, transactions: placed.slice(0, 1) });
    return { block: rest.block, refused: [...refused, ...rest.refused] };
  }

  async #remember(block: LedgerBlock): Promise<void> {
    this.#recent.push(block);
    if (this.#recent.length > REMEMBERED_BLOCKS + 1) this.#recent.shift();
    if (block.number % SNAPSHOT_EVERY === 0) await this.#snapshot();
  }

  async #snapshot(): Promise<void> {
    const id = await this.#node.requestString('evm_snapshot');
    this.#snapshots.push({ height: this.head.number, id });
    while ((this.#snapshots[1]?.height ?? Number.POSITIVE_INFINITY) <= this.head.number - MAX_REORG_DEPTH) {
      this.#snapshots.shift();
    }
  }
}

interface Head {
  readonly number: number;
  readonly hash: Hex;
  readonly time: number;
  readonly transactions: readonly Hex[];
}

async function readHead(node: EdrNode): Promise<Head> {
  const block = (await node.request('eth_getBlockByNumber', ['latest', false])) as {
    number: string;
    hash: Hex;
    timestamp: string;
    transactions: Hex[];
  };
  const { hash, transactions } = block;
  return { number: Number(block.number), time: Number(block.timestamp), hash, transactions };
}

function toRandomness(branch: number, number: number): Hex {
  return `0x${createHash('sha256').update(`presage sandbox chain, branch ${branch}, block ${number}`).digest('hex')}`;
}
