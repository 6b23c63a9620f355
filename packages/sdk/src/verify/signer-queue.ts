// The signers of orders, recovered in batches by whoever is quickest at it, while the journal is read on.
import { fromHex } from '@presage/protocol';
import { openWasmRecovery, type SignerRecovery } from '@presage/protocol/signer-wasm';
import { compareSigner, type SignedDigest } from './checks/order-signatures.ts';

interface SignatureToCheck {
  readonly digest: Uint8Array;
  readonly signature: Uint8Array;
}

/** Who signed each, in the same order; undefined where nobody did. A pool of threads, or one recovery in this one. */
export type RecoverSigners = (batch: readonly SignatureToCheck[]) => Promise<readonly (string | undefined)[]>;

/** Large enough that a message to a thread costs nothing. */
const BATCH = 256;
/** Some for every thread of a large machine; more would only be held in memory. */
const MOST_BATCHES = 64;

export class SignerQueue {
  readonly #recover: RecoverSigners;
  #waiting: SignedDigest[] = [];
  /** In the order of the journal, so that the first violation is reported. */
  #checking: Promise<number>[] = [];
  /** How many were found to be their owners'. */
  count: number;

  constructor(recover: RecoverSigners, count = 0) {
    this.#recover = recover;
    this.count = count;
  }

  add(order: SignedDigest): void {
    this.#waiting.push(order);
    if (this.#waiting.length >= BATCH) this.#send();
  }

  /** Waits while the recovery is far behind. Throws what it found. */
  async pace(): Promise<void> {
    while (this.#checking.length > MOST_BATCHES) await this.#settleOne();
  }

  /** Until every order was checked. */
  async settle(): Promise<void> {
    this.#send();
    while (this.#checking.length > 0) await this.#settleOne();
  }

  #send(): void {
    const batch = this.#waiting;
    if (batch.length === 0) return;
    this.#waiting = [];
    const checking = this.#check(batch);
    // It is awaited in its turn; until then its failure is not unhandled.
    checking.catch(() => undefined);
    this.#checking.push(checking);
  }

  async #settleOne(): Promise<void> {
    this.count += (await this.#checking.shift()) ?? 0;
  }

  async #check(batch: readonly SignedDigest[]): Promise<number> {
    const signers = await this.#recover(
      batch.map(({ digest, signature }) => ({ digest, signature: fromHex(signature) })),
    );
    for (const [index, order] of batch.entries()) compareSigner(order, signers[index]);
    return batch.length;
  }
}

/** In this thread, one after another. */
export function recoverHere({ recover }: SignerRecovery): RecoverSigners {
  return async (batch) => batch.map(({ digest, signature }) => recover(digest, signature));
}

export async function recoverByWasm(): Promise<RecoverSigners> {
  return recoverHere(await openWasmRecovery());
}
