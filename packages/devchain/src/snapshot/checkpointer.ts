// Writes snapshots beside the running chain: for a busy one only its state, for a quiet one also a node that continues
// from it.
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '@presage/runtime';
import { collectGarbage } from '@presage/runtime/node';
import { type Ledger, type LedgerBlock, MAX_REORG_DEPTH } from '../ledger.ts';
import type { ChainPast } from './chain-past.ts';
import { LEAST_ORIGIN_NUMBER } from './least-origin.ts';
import { type RebasedLedger, rebase, type TakenState, takeState } from './rebase.ts';
import type { Snapshot } from './snapshot-file.ts';

/** Half a second of execution on an otherwise idle machine. */
export const SNAPSHOT_GAS = 50_000_000;
/** Cost of a slot when a node begins from it, so that a large state is not written for a few blocks. */
const SLOT_WORK = 1_000;
const QUIET_MS = 2_000;
/** A quiet chain saves after this share of the work: nobody waits for it then, and a start after a kill executes less. */
const QUIET_SHARE = 0.2;
/**
 * Tracing costs the node as much again as the blocks did, and more if many transactions share one. It waits until the
 * chain is quiet, unless so many times the due work has accumulated that a start would be noticeably slower.
 */
const LOOK_MS = 50;
const MOST_WAITING = 3;
/** Most blocks that may be executed again while the chain waits for the switch. */
const SMALL_GAP = 1;

/** The part of a snapshot that only the chain knows, at the moment of switching. */
export type ChainMoment = Pick<Snapshot, 'seq' | 'branch' | 'offsetSeconds' | 'waiting' | 'blocks' | 'segments'>;

export interface CheckpointHost {
  ledger(): Ledger;
  branch(): number;
  /** Runs a task while nothing else runs. */
  run<T>(task: () => Promise<T>): Promise<T>;
  /** Switches to the new ledger, durably; called inside the queue. */
  adopt(rebased: RebasedLedger): Promise<ChainMoment>;
  /** Records that the state of a block was taken, durably; called inside the queue. */
  name(taken: TakenState): Promise<ChainMoment>;
}

/** The last state taken from the running node. */
interface LastTaken {
  readonly taken: TakenState;
  readonly ledger: Ledger;
  readonly branch: number;
  /** Work of the node up to that state. */
  readonly work: number;
}

class GaveUp extends Error {}

export class Checkpointer {
  readonly #past: ChainPast;
  readonly #host: CheckpointHost;
  readonly #snapshotGas: number;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #last: LastTaken | undefined;
  #slots = 0;
  #failures = 0;
  #touchedMs = Number.NEGATIVE_INFINITY;
  #closed = false;

  constructor(past: ChainPast, host: CheckpointHost, snapshotGas = SNAPSHOT_GAS) {
    this.#past = past;
    this.#host = host;
    this.#snapshotGas = snapshotGas;
  }

  /** Reports a new block. */
  touch(): void {
    const { head, work } = this.#host.ledger();
    this.#touchedMs = performance.now();
    if (this.#closed || this.#running || head.number < LEAST_ORIGIN_NUMBER) return;
    clearTimeout(this.#timer);
    if (work - (this.#current?.work ?? 0) >= this.#due) this.#start(() => this.#save());
    else if (work >= this.#toDue(this.#snapshotGas * QUIET_SHARE))
      this.#timer = setTimeout(() => this.#start(() => this.#take()), QUIET_MS).unref();
  }

  /** Takes a snapshot now; resolves when it is written or given up. */
  async take(): Promise<void> {
    while (this.#running) await this.#running;
    this.#start(() => this.#take());
    await this.#running;
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  /** Work that makes a snapshot of a busy chain worth its cost. */
  get #due(): number {
    return this.#toDue(this.#snapshotGas);
  }

  #toDue(gas: number): number {
    return Math.max(gas, this.#slots * SLOT_WORK) * 2 ** this.#failures;
  }

  /** The last taken state, unless the chain has another node or another branch by now. */
  get #current(): LastTaken | undefined {
    const last = this.#last;
    return last?.ledger === this.#host.ledger() && last.branch === this.#host.branch() ? last : undefined;
  }

  #start(work: () => Promise<void>): void {
    if (this.#closed || this.#running) return;
    this.#running = work()
      .catch((error: unknown) => this.#onFailure(error))
      .finally(() => {
        this.#running = undefined;
        // Frees the memory of the replaced node: the collector does not see what a node holds outside the heap.
        collectGarbage();
      });
  }

  /** Without snapshots the chain only starts more slowly: the failure is reported, and retried less often. */
  #onFailure(error: unknown): void {
    if (error instanceof GaveUp) return;
    this.#failures += 1;
    this.#past.store.onDamage(`no snapshot was taken: ${messageOf(error)}`);
  }

  /**
   * Saves the state while the node continues, so that a chain that is never quiet need not be executed again. Each
   * transaction is traced once.
   */
  async #save(): Promise<void> {
    const question = this.#question();
    if (!question) return;
    const { ledger, branch, work, workBefore } = question;
    const taken = await takeState({ ...question.params, rest: () => this.#pause(ledger, workBefore) });
    const moment = await question.params.ask(() => this.#host.name(taken));
    this.#last = { taken, ledger, branch, work };
    this.#slots = taken.state.slotCount;
    this.#failures = 0;
    await writeSnapshot(this.#past, taken, { ...moment, base: ledger.base });
    // Blocks added meanwhile may be enough for the next snapshot, or be the last before the chain is quiet.
    setImmediate(() => this.touch());
  }

  /** Waits until no block has arrived for a while, or too many have. */
  async #pause(ledger: Ledger, workBefore: number): Promise<void> {
    const isWaiting = () => performance.now() - this.#touchedMs < QUIET_MS;
    const isBehind = () => ledger.work - workBefore >= MOST_WAITING * this.#due;
    while (!this.#closed && isWaiting() && !isBehind()) await sleep(LOOK_MS, undefined, { ref: false });
  }

  async #take(): Promise<void> {
    const question = this.#question();
    if (!question) return;
    const rebased = await rebase(question.params);
    while (this.#gap(rebased).length > SMALL_GAP) await catchUp(rebased, this.#gap(rebased));
    const moment = await question.params.ask(async () => {
      await catchUp(rebased, this.#gap(rebased));
      return this.#host.adopt(rebased);
    });
    this.#slots = rebased.state.slotCount;
    this.#failures = 0;
    await writeSnapshot(this.#past, rebased, { ...moment, base: rebased.ledger.base });
  }

  /** What to save of the current node; undefined if there is nothing. */
  #question() {
    const [branch, ledger] = [this.#host.branch(), this.#host.ledger()];
    const { head: block, base, work } = ledger;
    if (block.number < LEAST_ORIGIN_NUMBER || block.number === base) return undefined;
    const ask = <T>(question: () => Promise<T>): Promise<T> =>
      this.#host.run(async () => {
        if (this.#closed || this.#host.branch() !== branch) throw new GaveUp('the chain was reorganised or closed');
        return question();
      });
    const { taken: earlier, work: workBefore = 0 } = this.#current ?? {};
    // Its state changes during the save: after a failure it matches no block.
    this.#last = undefined;
    return { params: { past: this.#past, ledger, block, earlier, ask }, branch, ledger, work, workBefore };
  }

  #gap({ ledger }: RebasedLedger): readonly LedgerBlock[] {
    const blocks = this.#host.ledger().after(ledger.head.hash);
    if (!blocks || this.#closed) throw new GaveUp('the chain was reorganised or closed');
    return blocks;
  }
}

async function catchUp({ ledger }: RebasedLedger, blocks: readonly LedgerBlock[]): Promise<void> {
  for (const block of blocks) {
    await ledger.extendTo(block);
    await nextTurn();
  }
}

/** `base` is the block from which the running node began. */
export async function writeSnapshot(
  { store, genesis }: ChainPast,
  { origin, state }: TakenState,
  { base, ...moment }: ChainMoment & { readonly base: number },
): Promise<void> {
  await store.write({ ...moment, genesis, origin, state });
  const lowest = origin.number + moment.blocks.length - MAX_REORG_DEPTH;
  await store.prune({ lowest, base, segments: moment.segments });
}
