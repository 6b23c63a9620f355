// Building the chain again from its log at start, and refusing when the outcome is not what was recorded.
import type { Hex } from '@presage/protocol';
import type { ChainLog } from './chain-log.ts';
import type { BlockRecord, ChainRecord, GenesisRecord, StoredTransaction } from './chain-record.ts';
import { EdrNode } from './edr-node.ts';
import { Ledger } from './ledger.ts';

const PROGRESS_EVERY_MS = 250;

export interface RecoveredChain {
  readonly node: EdrNode;
  readonly ledger: Ledger;
  readonly genesis: GenesisRecord;
  readonly branch: number;
  readonly offsetSeconds: number;
  readonly replayedBlocks: number;
  /** Accepted before the restart and in no block, in order of arrival. */
  readonly waiting: readonly StoredTransaction[];
}

export interface RecoveryOptions {
  readonly log: ChainLog;
  /** Used, and recorded, when the log is empty. */
  readonly newGenesis: GenesisRecord;
  readonly onProgress: (done: number, total: number) => void;
}

export async function recoverChain(options: RecoveryOptions): Promise<RecoveredChain> {
  const { log, newGenesis } = options;
  if (log.count === 0) {
    await log.append(newGenesis);
    return (await Replay.open(newGenesis)).result();
  }
  const progress = new Progress(log.count, options.onProgress);
  let replay: Replay | undefined;
  for await (const record of log.read()) {
    if (!replay) replay = await Replay.open(toGenesis(record));
    else await replay.apply(record);
    progress.step();
  }
  if (!replay) throw new Error('the chain log lost its records while it was read');
  return replay.result();
}

function toGenesis(record: ChainRecord): GenesisRecord {
  if (record.type !== 'genesis') throw new Error(`the chain log begins with a ${record.type} record, not with genesis`);
  return record;
}

class Replay {
  readonly #genesis: GenesisRecord;
  readonly #node: EdrNode;
  readonly #ledger: Ledger;
  readonly #waiting = new Map<Hex, StoredTransaction>();
  /** The waiting transaction of each sender and nonce: a later one with the same pair has replaced it. */
  readonly #slots = new Map<string, Hex>();
  #branch = 0;
  #offsetSeconds = 0;
  #replayedBlocks = 0;

  private constructor(genesis: GenesisRecord, node: EdrNode, ledger: Ledger) {
    this.#genesis = genesis;
    this.#node = node;
    this.#ledger = ledger;
  }

  static async open(genesis: GenesisRecord): Promise<Replay> {
    const { chainId, blockGasLimit, time } = genesis;
    const node = await EdrNode.open({ chainId, blockGasLimit, genesisTime: time });
    return new Replay(genesis, node, await Ledger.open(node));
  }

  async apply(record: ChainRecord): Promise<void> {
    switch (record.type) {
      case 'genesis':
        throw new Error('the chain log holds a second genesis record');
      case 'transaction':
        return this.#accept(record.transaction);
      case 'block':
        await this.#extend(record.block, this.#waiting);
        return this.#forget(record.refused);
      case 'reorg':
        return this.#reorganise(record.depth, record.blocks);
      case 'forgotten':
        return this.#forget(record.hashes);
      case 'offset':
        this.#offsetSeconds = record.seconds;
    }
  }

  result(): RecoveredChain {
    return {
      node: this.#node,
      ledger: this.#ledger,
      genesis: this.#genesis,
      branch: this.#branch,
      offsetSeconds: this.#offsetSeconds,
      replayedBlocks: this.#replayedBlocks,
      waiting: [...this.#waiting.values()],
    };
  }

  #accept(transaction: StoredTransaction): void {
    const slot = toSlot(transaction);
    const replaced = this.#slots.get(slot);
    if (replaced) this.#waiting.delete(replaced);
    this.#slots.set(slot, transaction.hash);
    this.#waiting.set(transaction.hash, transaction);
  }

  async #extend(block: BlockRecord, available: ReadonlyMap<Hex, StoredTransaction>): Promise<void> {
    const transactions = block.transactions.map((hash) => {
      const transaction = available.get(hash);
      if (!transaction)
        throw new Error(`block ${block.number} holds transaction ${hash}, which the log never accepted`);
      return transaction;
    });
    await this.#ledger.extendTo(block, transactions);
    this.#forget(block.transactions);
    this.#replayedBlocks += 1;
  }

  async #reorganise(depth: number, blocks: readonly BlockRecord[]): Promise<void> {
    const removed = (await this.#ledger.rewind(depth)).flatMap((block) => block.transactions);
    const available = new Map([
      ...this.#waiting,
      ...removed.map((transaction) => [transaction.hash, transaction] as const),
    ]);
    for (const block of blocks) await this.#extend(block, available);
    this.#branch += 1;
  }

  #forget(hashes: readonly Hex[]): void {
    for (const hash of hashes) {
      const transaction = this.#waiting.get(hash);
      if (!transaction) continue;
      this.#waiting.delete(hash);
      if (this.#slots.get(toSlot(transaction)) === hash) this.#slots.delete(toSlot(transaction));
    }
  }
}

function toSlot({ from, nonce }: StoredTransaction): string {
  return `${from}:${nonce}`;
}

class Progress {
  readonly #total: number;
  readonly #report: (done: number, total: number) => void;
  #done = 0;
  #reportedAt = performance.now();

  constructor(total: number, report: (done: number, total: number) => void) {
    this.#total = total;
    this.#report = report;
    report(0, total);
  }

  step(): void {
    this.#done += 1;
    const now = performance.now();
    if (this.#done < this.#total && now - this.#reportedAt < PROGRESS_EVERY_MS) return;
    this.#reportedAt = now;
    this.#report(this.#done, this.#total);
  }
}
