// The pool's side of one signature thread: sends batches, receives answers in the same order, and reports its end once.
import { Worker } from 'node:worker_threads';
import type { Address } from '@presage/protocol';
import type { SignerKind } from '@presage/protocol/signer';
import { decodeSigners, encodeChecks, type SignatureCheck } from './signature-batch.ts';

export interface PendingCheck extends SignatureCheck {
  readonly resolve: (signer: Address | undefined) => void;
  readonly reject: (cause: Error) => void;
  /** How often the check was sent to a thread. */
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
    // Without an explicit execArgv the thread would inherit the process's flags, among them a loader that it cannot
    // use.
    this.#worker = new Worker(options.entry, { execArgv: [] });
    this.#worker.on('message', (message: SignerKind | Uint8Array) => this.#receive(message));
    this.#worker.on('error', (cause) => this.#fail(cause));
    this.#worker.on('messageerror', (cause) => this.#fail(cause));
    this.#worker.on('exit', () => options.onExit(this, this.#cause));
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  /** True after an invalid answer; the thread is being terminated. */
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

  /** Takes the checks that will never be answered, oldest first: for the pool, once the thread has exited. */
  takeUnanswered(): PendingCheck[] {
    return this.#batches.splice(0).flat();
  }

  async stop(): Promise<void> {
    await this.#worker.terminate();
  }

  /** Messages after an invalid answer are ignored: one could be taken for the answer to another batch. */
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

  /** After an invalid answer the thread is terminated; its end returns its batches to the pool. */
  #fail(cause: unknown): void {
    this.#isFailing = true;
    this.#cause = cause instanceof Error ? cause : new Error(String(cause));
    void this.#worker.terminate();
  }
}
