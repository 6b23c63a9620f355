// The chain of blocks: adds blocks to the inner node, removes the newest, and keeps the contents of recent ones.
import { createHash } from 'node:crypto';
import type { Hex } from '@presage/protocol';
import type { BlockRecord, StoredTransaction } from './chain-record.ts';
import type { EdrNode } from './edr-node.ts';
import { placeTransaction, withdrawTransaction } from './placement.ts';
import { RpcError } from './rpc/rpc-error.ts';

export const MAX_REORG_DEPTH = 64;

/**
 * The node never frees a snapshot, and each takes as much memory as its pool ever held. One in 32 blocks keeps that
 * small, at the price of executing up to 31 blocks again on a rewind.
 */
const SNAPSHOT_EVERY = 32;
const REMEMBERED_BLOCKS = MAX_REORG_DEPTH + SNAPSHOT_EVERY;
/** Overhead of a block in gas: about the time of a block without transactions. */
const BLOCK_WORK = 100_000;

export type LedgerBlock = Omit<BlockRecord, 'transactions'> & { readonly transactions: readonly StoredTransaction[] };

export interface BlockPlan extends Pick<LedgerBlock, 'time' | 'branch' | 'transactions'> {
  /** Whether a block without transactions may be mined. */
  readonly allowEmpty: boolean;
}

/** A block as clients see it, without the contents of its transactions. */
export interface BlockView {
  readonly number: Hex;
  readonly hash: Hex;
  readonly timestamp: Hex;
  readonly gasUsed: Hex;
  readonly transactions: readonly Hex[];
}

export interface Extension {
  readonly block: LedgerBlock | undefined;
  readonly refused: readonly StoredTransaction[];
}

/** A node that begins at an earlier block than the running one. */
export interface PastNode {
  readonly node: EdrNode;
  /** The block at which the node begins. */
  readonly base: LedgerBlock;
}

/** Blocks before the one that the running node began from. */
export interface LedgerPast {
  blocks(first: number, last: number): Promise<readonly LedgerBlock[]>;
  openAt(number: number): Promise<PastNode>;
  /** Removes blocks above this number from the past: the ledger holds them again. */
  forgetAbove(number: number): void;
}

export class Ledger {
  readonly #past: LedgerPast | undefined;
  #node: EdrNode;
  /** The block that the node began from and later ones: all of them if there is a past, else the newest. */
  #recent: LedgerBlock[];
  #snapshots: { readonly height: number; readonly id: string }[] = [];
  #base: number;
  #work = 0;
  /** The last executed block. */
  #view: BlockView | undefined;

  private constructor({ node, base }: PastNode, past: LedgerPast | undefined) {
    this.#node = node;
    this.#past = past;
    this.#recent = [base];
    this.#base = base.number;
  }

  static async open(node: EdrNode, past?: LedgerPast): Promise<Ledger> {
    const { number, hash, time } = toHead(await readHead(node));
    return Ledger.resume({ node, base: { number, hash, time, branch: 0, transactions: [] } }, past);
  }

  /** Resumes at the block that a node began from. */
  static async resume(start: PastNode, past?: LedgerPast): Promise<Ledger> {
    const ledger = new Ledger(start, past);
    await ledger.#snapshot();
    return ledger;
  }

  get node(): EdrNode {
    return this.#node;
  }

  get head(): LedgerBlock {
    return this.#recent[this.#recent.length - 1]!;
  }

  /** The newest block as the node reports it; undefined before one is executed. */
  get headView(): BlockView | undefined {
    return this.#view?.hash === this.head.hash ? this.#view : undefined;
  }

  /** Number of the block that the node began from; it has no state of earlier blocks. */
  get base(): number {
    return this.#base;
  }

  /** Rough cost in gas of executing the blocks since the base again. */
  get work(): number {
    return this.#work;
  }

  /** The block that the node began from and later ones, oldest first. */
  get known(): readonly LedgerBlock[] {
    return this.#recent;
  }

  /** The blocks after the given one, oldest first; undefined if the node has not executed that one. */
  after(hash: Hex): readonly LedgerBlock[] | undefined {
    const index = this.#recent.findIndex((block) => block.hash === hash);
    return index < 0 ? undefined : this.#recent.slice(index + 1);
  }

  /** The newest `depth` blocks without genesis, oldest first. */
  async newest(depth: number): Promise<readonly LedgerBlock[]> {
    const first = Math.max(1, this.head.number - depth + 1);
    const here = this.#recent.filter((block) => block.number >= first && block.number > this.#base);
    if (!this.#past || first > this.#base) return here;
    return [...(await this.#past.blocks(first, this.#base)), ...here];
  }

  async extend(plan: BlockPlan): Promise<Extension> {
    const { placed, refused } = await this.#place(plan.transactions);
    if (placed.length === 0 && !plan.allowEmpty) return { block: undefined, refused };
    const mined = await this.#execute(plan, placed.length > 0);
    const included = new Set(mined?.transactions);
    const left = placed.filter(({ hash }) => !included.has(hash));
    for (const { hash } of left) await withdrawTransaction(this.#node, hash);
    if (!mined) return this.#extendWithFirst(plan, placed, refused);
    const byHash = new Map(placed.map((transaction) => [transaction.hash, toStored(transaction)]));
    const transactions = mined.transactions.map((hash) => byHash.get(hash)!);
    const { number, time, hash } = mined;
    const block = { number, time, branch: plan.branch, hash, transactions };
    this.#work += BLOCK_WORK + mined.gasUsed;
    await this.#remember(block);
    return { block, refused: [...refused, ...left] };
  }

  /** Removes the newest `depth` blocks and returns them, oldest first. */
  async rewind(depth: number): Promise<readonly LedgerBlock[]> {
    const target = this.head.number - depth;
    const removed = await this.newest(depth);
    if (removed.length !== depth || depth > MAX_REORG_DEPTH) throw new Error(`cannot take ${depth} blocks back`);
    if (target < this.#base) await this.#beginEarlier(target);
    else await this.#revertTo(target);
    return removed;
  }

  async #revertTo(target: number): Promise<void> {
    const base = this.#snapshots.findLast(({ height }) => height <= target);
    if (!base) throw new Error(`no snapshot at or below block ${target}`);
    const again = this.#recent.filter(({ number }) => number > base.height && number <= target);
    await this.#node.request('evm_revert', [base.id]);
    this.#snapshots.splice(this.#snapshots.indexOf(base));
    this.#recent.splice(this.#recent.findIndex(({ number }) => number === base.height) + 1);
    await this.#snapshot();
    for (const block of again) await this.extendTo(block);
  }

  async #beginEarlier(target: number): Promise<void> {
    if (!this.#past) throw new Error(`the node has nothing before block ${this.#base}`);
    const { node, base } = await this.#past.openAt(target);
    const again = await this.#past.blocks(base.number + 1, target);
    this.#past.forgetAbove(base.number);
    this.#node = node;
    this.#recent = [base];
    this.#base = base.number;
    this.#snapshots = [];
    this.#work = 0;
    await this.#snapshot();
    for (const block of again) await this.extendTo(block);
  }

  /** Executes a recorded block again; a different hash means that the record cannot be trusted. */
  async extendTo(expected: LedgerBlock): Promise<void> {
    const { block } = await this.extend({ ...expected, allowEmpty: true });
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

  /** Mines the placed transactions; returns undefined if the node refused the block because of one of them. */
  async #execute(plan: BlockPlan, mayRefuse: boolean): Promise<ReturnType<typeof toHead> | undefined> {
    const number = this.head.number + 1;
    await this.#node.request('hardhat_setPrevRandao', [toRandomness(plan.branch, number)]);
    try {
      await this.#node.request('evm_mine', [`0x${plan.time.toString(16)}`]);
    } catch (error) {
      if (error instanceof RpcError && mayRefuse) return undefined;
      throw error;
    }
    this.#view = await readHead(this.#node);
    return toHead(this.#view);
  }

  /** A single transaction that cannot pay makes the node refuse a whole block: finds that one by bisection. */
  async #extendWithFirst(
    plan: BlockPlan,
    placed: readonly StoredTransaction[],
    refused: readonly StoredTransaction[],
  ): Promise<Extension> {
    const isLast = placed.length === 1;
    const rest = await this.extend({ ...plan, transactions: isLast ? [] : placed.slice(0, 1) });
    return { block: rest.block, refused: [...refused, ...(isLast ? placed : rest.refused)] };
  }

  async #remember(block: LedgerBlock): Promise<void> {
    this.#recent.push(block);
    if (!this.#past && this.#recent.length > REMEMBERED_BLOCKS + 1) this.#recent.shift();
    if (block.number % SNAPSHOT_EVERY === 0) await this.#snapshot();
  }

  async #snapshot(): Promise<void> {
    const id = await this.#node.read<string>('evm_snapshot');
    this.#snapshots.push({ height: this.head.number, id });
    while ((this.#snapshots[1]?.height ?? Number.POSITIVE_INFINITY) <= this.head.number - MAX_REORG_DEPTH) {
      this.#snapshots.shift();
    }
  }
}

/** Drops the pool's view of a transaction, which is not needed once it is mined. */
function toStored({ hash, from, nonce, body }: StoredTransaction): StoredTransaction {
  return { hash, from, nonce, body };
}

function readHead(node: EdrNode): Promise<BlockView> {
  return node.read<BlockView>('eth_getBlockByNumber', ['latest', false]);
}

function toHead(block: BlockView) {
  const { hash, transactions } = block;
  const [number, time, gasUsed] = [Number(block.number), Number(block.timestamp), Number(block.gasUsed)];
  return { number, time, gasUsed, hash, transactions };
}

function toRandomness(branch: number, number: number): Hex {
  return `0x${createHash('sha256').update(`presage sandbox chain, branch ${branch}, block ${number}`).digest('hex')}`;
}
