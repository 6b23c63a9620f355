// Rebuilds the chain from its log at start, and fails if the result differs from the record.
import type { Hex } from '@presage/protocol';
import { messageOf } from '@presage/runtime';
import type { ChainLog } from './chain-log.ts';
import {
  type BlockRecord,
  type ChainRecord,
  type GenesisRecord,
  hardforkOf,
  type StoredTransaction,
} from './chain-record.ts';
import { EdrNode } from './edr-node.ts';
import { Ledger } from './ledger.ts';
import { BlockArchive } from './snapshot/block-archive.ts';
import { ChainPast } from './snapshot/chain-past.ts';
import { writeSnapshot } from './snapshot/checkpointer.ts';
import { rebase } from './snapshot/rebase.ts';
import { openNodeAt } from './snapshot/seeded-node.ts';
import type { Snapshot } from './snapshot/snapshot-file.ts';
import type { SnapshotStore } from './snapshot/snapshot-store.ts';

const PROGRESS_EVERY_MS = 250;

export interface RecoveredChain {
  readonly ledger: Ledger;
  /** Present for a chain that keeps snapshots. */
  readonly past: ChainPast | undefined;
  readonly genesis: GenesisRecord;
  readonly branch: number;
  readonly offsetSeconds: number;
  readonly replayedBlocks: number;
  /** Transactions accepted before the restart and not mined, in order of arrival. */
  readonly waiting: readonly StoredTransaction[];
}

export interface RecoveryOptions {
  readonly log: ChainLog;
  /** If absent, every block is executed again. */
  readonly store?: SnapshotStore | undefined;
  /** Used and recorded if the log is empty. */
  readonly newGenesis: GenesisRecord;
  readonly onProgress: (done: number, total: number) => void;
}

export async function recoverChain(options: RecoveryOptions): Promise<RecoveredChain> {
  const { log, store, newGenesis } = options;
  if (log.count === 0) {
    await store?.clear();
    await log.append(newGenesis);
    return (await Replay.open(newGenesis, store)).result();
  }
  const genesis = toGenesis(await readRecord(log, 1));
  for (const name of (await store?.list()) ?? []) {
    const snapshot = name.seq <= log.count ? await store?.read(name, genesis) : undefined;
    const recovered = snapshot && store && (await tryRecover(options, { snapshot, store }));
    if (recovered) return recovered;
  }
  return replayFrom(await Replay.open(genesis, store), options);
}

interface StartPoint {
  readonly snapshot: Snapshot;
  readonly store: SnapshotStore;
}

/**
 * Returns undefined, and logs it, if the chain cannot resume from the snapshot: the caller tries an older one or
 * genesis.
 */
async function tryRecover(options: RecoveryOptions, start: StartPoint): Promise<RecoveredChain | undefined> {
  const { snapshot, store } = start;
  try {
    const record = await readRecord(options.log, snapshot.seq);
    const isNamed = record?.type === 'rebased' || record?.type === 'saved';
    if (!isNamed || record.hash !== snapshot.origin.hash) throw new Error('the log does not name it');
    const replay = await Replay.resume(start, record.type === 'rebased');
    const recovered = await replayFrom(replay, options);
    const { number, hash } = snapshot.origin;
    // This node executes the later blocks, so a replay without snapshots must switch to a node that begins here, too.
    const isBase = recovered.ledger.known[0]?.hash === hash;
    if (isBase && !replay.isBaseRecorded) await options.log.append({ type: 'rebased', number, hash });
    return recovered;
  } catch (error) {
    store.onDamage(`the snapshot of block ${snapshot.origin.number} was passed over: ${messageOf(error)}`);
    return undefined;
  }
}

async function replayFrom(replay: Replay, { log, onProgress }: RecoveryOptions): Promise<RecoveredChain> {
  const step = countProgress(log.count - replay.seq, onProgress);
  for await (const record of log.read(replay.seq + 1)) {
    await replay.apply(record);
    step();
  }
  if (replay.seq !== log.count) throw new Error('the chain log lost its records while it was read');
  return replay.result();
}

async function readRecord(log: ChainLog, seq: number): Promise<ChainRecord | undefined> {
  for await (const record of log.read(seq)) return record;
  return undefined;
}

function toGenesis(record: ChainRecord | undefined): GenesisRecord {
  if (record?.type !== 'genesis')
    throw new Error(`the chain log begins with a ${record?.type} record, not with genesis`);
  return record;
}

class Replay {
  readonly #genesis: GenesisRecord;
  readonly #past: ChainPast | undefined;
  #ledger: Ledger;
  readonly #waiting = new Map<Hex, StoredTransaction>();
  /** The waiting transaction of each sender and nonce; a later one with the same pair replaces it. */
  readonly #slots = new Map<string, Hex>();
  #branch = 0;
  #offsetSeconds = 0;
  #replayedBlocks = 0;
  /** Sequence of the last applied record. */
  seq = 1;
  /** Whether the log has a record of the block at which the node began. */
  isBaseRecorded = true;

  private constructor(genesis: GenesisRecord, ledger: Ledger, past: ChainPast | undefined) {
    this.#genesis = genesis;
    this.#ledger = ledger;
    this.#past = past;
  }

  static async open(genesis: GenesisRecord, store: SnapshotStore | undefined): Promise<Replay> {
    const { chainId, blockGasLimit, time } = genesis;
    const hardfork = hardforkOf(genesis);
    const past = store && new ChainPast(store, genesis, new BlockArchive());
    const node = await EdrNode.open({ chainId, hardfork, blockGasLimit, genesisTime: time });
    return new Replay(genesis, await Ledger.open(node, past), past);
  }

  /** Resumes at a snapshot. */
  static async resume({ snapshot, store }: StartPoint, isBaseRecorded: boolean): Promise<Replay> {
    const { genesis, origin } = snapshot;
    const past = new ChainPast(store, genesis, await store.openArchive(snapshot.segments));
    const node = await openNodeAt(origin, snapshot.state);
    const [base] = await past.blocks(origin.number, origin.number);
    if (base === undefined || base.hash !== origin.hash) throw new Error('the archive of blocks is of another chain');
    const replay = new Replay(genesis, await Ledger.resume({ node, base }, past), past);
    for (const block of snapshot.blocks) await replay.#ledger.extendTo(block);
    for (const transaction of snapshot.waiting) replay.#accept(transaction);
    replay.#branch = snapshot.branch;
    replay.#offsetSeconds = snapshot.offsetSeconds;
    replay.#replayedBlocks = snapshot.blocks.length;
    replay.seq = snapshot.seq;
    replay.isBaseRecorded = isBaseRecorded;
    return replay;
  }

  async apply(record: ChainRecord): Promise<void> {
    this.seq += 1;
    switch (record.type) {
      case 'genesis':
        throw new Error('the chain log holds a second genesis record');
      case 'transaction':
        return this.#accept(record.transaction);
      case 'block':
        await this.#extend(record.block, this.#waiting);
        return this.#drop(record.refused);
      case 'reorg':
        return this.#reorganise(record.depth, record.blocks);
      case 'forgotten':
        return this.#drop(record.hashes);
      case 'offset':
        this.#offsetSeconds = record.seconds;
        return;
      case 'saved':
        return;
      case 'rebased':
        return this.#rebase(record.hash);
    }
  }

  result(): RecoveredChain {
    return {
      ledger: this.#ledger,
      past: this.#past,
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
    await this.#ledger.extendTo({ ...block, transactions });
    this.#drop(block.transactions);
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

  /** Switches nodes where the running chain did, so that every later block is executed by the same node. */
  async #rebase(hash: Hex): Promise<void> {
    const past = this.#past;
    // A chain without snapshots keeps one node for its whole life.
    if (!past) return;
    this.isBaseRecorded = true;
    const [base] = this.#ledger.known;
    // After a start from a saved state the node begins there already.
    if (base?.hash === hash) return;
    const block = this.#ledger.known.find((known) => known.hash === hash);
    if (!block) throw new Error(`the log goes on from block ${hash}, which is not known`);
    const ask = <T>(question: () => Promise<T>) => question();
    const rebased = await rebase({ past, ledger: this.#ledger, block, ask });
    const blocks = this.#ledger.after(hash) ?? [];
    for (const later of blocks) await rebased.ledger.extendTo(later);
    for (const segment of rebased.segments) past.archive.add(segment);
    this.#ledger = rebased.ledger;
    const [branch, offsetSeconds, waiting] = [this.#branch, this.#offsetSeconds, [...this.#waiting.values()]];
    const moment = { seq: this.seq, branch, offsetSeconds, waiting, blocks, segments: past.archive.segmentNames };
    await writeSnapshot(past, rebased, { ...moment, base: rebased.ledger.base });
  }

  #drop(hashes: readonly Hex[]): void {
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

/** Reports the first step, the last, and some in between. */
function countProgress(total: number, report: (done: number, total: number) => void): () => void {
  let [done, reportedAt] = [0, performance.now()];
  if (total > 0) report(0, total);
  return () => {
    done += 1;
    const now = performance.now();
    if (done < total && now - reportedAt < PROGRESS_EVERY_MS) return;
    reportedAt = now;
    report(done, total);
  };
}
