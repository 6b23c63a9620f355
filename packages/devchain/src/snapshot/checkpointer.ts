// Decides when the chain goes on from a snapshot, prepares that beside the running chain, and writes the snapshot down.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { messageOf } from '@presage/runtime';
import { type Ledger, type LedgerBlock, MAX_REORG_DEPTH } from '../ledger.ts';
import type { ChainPast } from './chain-past.ts';
import { type RebasedLedger, rebase } from './rebase.ts';
import { LEAST_ORIGIN_NUMBER } from './seeded-node.ts';
import type { Snapshot } from './snapshot-file.ts';

/** Half a second of executing again, on a machine with nothing else to do. */
export const SNAPSHOT_GAS = 50_000_000;
/** What a slot costs when a node begins from it, so that a large state is not written for a few blocks. */
const SLOT_WORK = 1_000;
/** A chain that is never quiet gets its snapshot at this many times the work: taking one executes everything again, more than once, beside what is waiting. */
const PATIENCE = 10;
const QUIET_MS = 2_000;
/** So few blocks are executed again while everybody waits. */
const SMALL_GAP = 1;

/** The part of a snapshot that only the chain knows, at the moment at which it goes on from it. */
export type ChainMoment = Pick<Snapshot, 'seq' | 'branch' | 'offsetSeconds' | 'waiting' | 'blocks' | 'segments'>;

export interface CheckpointHost {
  ledger(): Ledger;
  branch(): number;
  /** Runs a task when nothing else runs. */
  run<T>(task: () => Promise<T>): Promise<T>;
  /** Goes on with the new ledger, durably; called inside the line. */
  adopt(rebased: RebasedLedger): Promise<ChainMoment>;
}

class GaveUp extends Error {}

export class Checkpointer {
  readonly #past: ChainPast;
  readonly #host: CheckpointHost;
  readonly #snapshotGas: number;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #slots = 0;
  #failures = 0;
  #closed = false;

  constructor(past: ChainPast, host: CheckpointHost, snapshotGas = SNAPSHOT_GAS) {
    this.#past = past;
    this.#host = host;
    this.#snapshotGas = snapshotGas;
  }

  /** A block was added. */
  touch(): void {
    const { head, work } = this.#host.ledger();
    const due = Math.max(this.#snapshotGas, this.#slots * SLOT_WORK) * 2 ** this.#failures;
    if (this.#closed || this.#running || work < due || head.number < LEAST_ORIGIN_NUMBER) return;
    clearTimeout(this.#timer);
    if (work >= due * PATIENCE) this.#start();
    else this.#timer = setTimeout(() => this.#start(), QUIET_MS).unref();
  }

  /** Takes a snapshot now; resolves when it is written or given up. */
  async take(): Promise<void> {
    this.#start();
    await this.#running;
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  #start(): void {
    if (this.#closed || this.#running) return;
    this.#running = this.#take()
      .catch((error: unknown) => this.#onFailure(error))
      .finally(() => {
        this.#running = undefined;
        collectGarbage();
      });
  }

  /** Without snapshots the chain is only slower to start: no reason to stop, but to report it and retry less often. */
  #onFailure(error: unknown): void {
    if (error instanceof GaveUp) return;
    this.#failures += 1;
    this.#past.store.onDamage(`no snapshot was taken: ${messageOf(error)}`);
  }

  async #take(): Promise<void> {
    const [branch, ledger] = [this.#host.branch(), this.#host.ledger()];
    const ask = <T>(question: () => Promise<T>): Promise<T> =>
      this.#host.run(async () => {
        if (this.#closed || this.#host.branch() !== branch) throw new GaveUp('the chain was reorganised or closed');
        return question();
      });
    const block = ledger.head;
    if (block.number < LEAST_ORIGIN_NUMBER || block.number === ledger.base) return;
    const rebased = await rebase({ past: this.#past, ledger, block, ask });
    while (this.#gap(rebased).length > SMALL_GAP) await catchUp(rebased, this.#gap(rebased));
    const moment = await ask(async () => {
      await catchUp(rebased, this.#gap(rebased));
      return this.#host.adopt(rebased);
    });
    this.#slots = rebased.state.slotCount;
    this.#failures = 0;
    await writeSnapshot(this.#past, rebased, moment);
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

export async function writeSnapshot(past: ChainPast, rebased: RebasedLedger, moment: ChainMoment): Promise<void> {
  const { origin, state } = rebased;
  await past.store.write({ ...moment, genesis: past.genesis, origin, state });
  const head = origin.number + moment.blocks.length;
  await past.store.prune(head - MAX_REORG_DEPTH, moment.segments);
}

/** Frees the memory of a node that is no longer used: the collector does not see what a node holds outside its heap. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect === 'function') collect();
}
