// One signature thread as the pool sees it: batches go in, answers come back in the same order, and its end is reported once.
import { Worker } from 'node:worker_threads';
import type { Address } from '@presage/protocol';
import type { SignerKind } from '@presage/protocol/signer';
import { decodeSigners, encodeChecks, type SignatureCheck } from './signature-batch.ts';

export interface PendingCheck extends SignatureCheck {
  readonly resolve: (signer: Address | undefined) => void;
  readonly reject: (cause: Error) => void;
  /** How often it was sent to a thread. */
  attempts: number;
}

export interface LaneOptions {
  readonly entry: URL;
  readonly onReady: (kind: SignerKind) => void;
  readonly onAnswer: (answered: number) => void;
  readonly onExit: (lane: SignatureLane, cause: Error) => void;
}

export class SignatureLane {
  readonly #worker: Worker;
  readonly #options: LaneOptions;
  readonly #batches: PendingCheck[][] = [];
  #isReady = false;
  #isFailing = false;
  #cause = new Error('a signature thread ended');

  constructor(options: LaneOptions) {
    this.#options = options;
    // Without execArgv the flags of the process would be run again in the thread, among them a loader it cannot use.
    this.#worker = new Worker(options.entry, { execArgv: [] });
    this.#worker.on('message', (message: SignerKind | Uint8Array) => this.#receive(message));
    this.#worker.on('error', (cause) => this.#fail(cause));
    this.#worker.on('messageerror', (cause) => this.#fail(cause));
    this.#worker.on('exit', () => options.onExit(this, this.#cause));
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  /** It said something wrong and is being ended. */
  get isFailing(): boolean {
    return this.#isFailing;
  }

  get batchesInFlight(): number {
    return this.#batches.length;
  }

  send(batch: PendingCheck[]): void {
    for (const check of batch) check.attempts++;
    this.#batches.push(batch);
    this.#worker.postMessage(encodeChecks(batch));
  }

  /** What it owes and will never answer, oldest first: for the pool, once it has exited. */
  takeUnanswered(): PendingCheck[] {
    return this.#batches.splice(0).flat();
  }

  async stop(): Promise<void> {
    await this.#worker.terminate();
  }

  /** What comes after a wrong answer is not believed either: it could be taken for the answer to another batch. */
  #receive(message: SignerKind | Uint8Array): void {
    if (this.#isFailing) return;
    try {
      if (typeof message === 'string') this.#becomeReady(message);
      else this.#answer(message);
    } catch (cause) {
      this.#fail(cause);
    }
  }

  #becomeReady(kind: SignerKind): void {
    this.#isReady = true;
    this.#options.onReady(kind);
  }

  #answer(results: Uint8Array): void {
    const batch = this.#batches[0] ?? [];
    const signers = decodeSigners(results, batch.length);
    this.#batches.shift();
    for (const [index, check] of batch.entries()) check.resolve(signers[index]);
    this.#options.onAnswer(batch.length);
  }

  /** A thread that said something wrong is not asked again: its end hands its batches back. */
  #fail(cause: unknown): void {
    this.#isFailing = true;
    this.#cause = cause instanceof Error ? cause : new Error(String(cause));
    void this.#worker.terminate();
  }
}
