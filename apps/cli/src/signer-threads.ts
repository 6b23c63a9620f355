// Recovers the signers of orders in as many threads as there are processors; a handful is recovered in this one.
import { availableParallelism } from 'node:os';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { openSignerRecovery } from '@presage/protocol/signer';
import { type RecoverSigners, recoverHere } from '@presage/sdk/verify';

type Batch = Parameters<RecoverSigners>[0];
type Signers = Awaited<ReturnType<RecoverSigners>>;

/** A thread takes a tenth of a second to start, in which this one recovers about a thousand. */
const BATCHES_HERE = 4;

interface Waiting {
  readonly resolve: (signers: Signers) => void;
  readonly reject: (error: Error) => void;
}

export class SignerThreads {
  readonly #threads: SignerThread[] = [];
  readonly #here: RecoverSigners;
  readonly #count: number;
  #batches = 0;

  private constructor(here: RecoverSigners, count: number) {
    this.#here = here;
    this.#count = count;
  }

  static async open(count = availableParallelism()): Promise<SignerThreads> {
    return new SignerThreads(recoverHere(await openSignerRecovery()), count);
  }

  readonly recover: RecoverSigners = (batch) => {
    if (this.#batches++ < BATCHES_HERE) return this.#here(batch);
    while (this.#threads.length < this.#count) this.#threads.push(new SignerThread());
    const [first, ...others] = this.#threads as [SignerThread, ...SignerThread[]];
    return others.reduce((idlest, each) => (each.load < idlest.load ? each : idlest), first).recover(batch);
  };

  async close(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.close()));
  }
}

class SignerThread {
  readonly #worker = new Worker(programOf(import.meta.url), { execArgv: [] });
  /** Answers come in the order of the questions. */
  #waiting: Waiting[] = [];

  constructor() {
    this.#worker.on('message', (signers: Signers) => this.#waiting.shift()?.resolve(signers));
    this.#worker.on('error', (error) => this.#fail(error));
    this.#worker.on('exit', () => this.#fail(new Error('a thread that recovers signers ended')));
  }

  get load(): number {
    return this.#waiting.length;
  }

  recover(batch: Batch): Promise<Signers> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#worker.postMessage(batch);
    });
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  #fail(error: Error): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { reject } of waiting) reject(error);
  }
}

/** The program in a thread: it answers batches, and does nothing else. */
export async function serveSigners(): Promise<void> {
  const recover = recoverHere(await openSignerRecovery());
  parentPort?.on('message', (batch: Batch) => void recover(batch).then((signers) => parentPort?.postMessage(signers)));
}

export const isSignerThread = !isMainThread;

/** A thread runs the whole program: as published it is one file; from its sources, what starts it. */
function programOf(place: string): URL {
  return place.endsWith('.ts') ? new URL('../bin/presage.mjs', place) : new URL(place);
}
