// Recovers the signers of orders in batches while the journal is being read.
import { fromHex } from '@presage/protocol';
import { openWasmRecovery, type SignerRecovery } from '@presage/protocol/signer-wasm';
import { compareSigner, type SignedDigest } from './checks/order-signatures.ts';

interface SignatureToCheck {
  readonly digest: Uint8Array;
  readonly signature: Uint8Array;
}

/**
 * Returns the signer of each entry in order; undefined if there is none. Implemented by a pool of threads, or by one
 * recovery in this thread.
 */
export type RecoverSigners = (batch: readonly SignatureToCheck[]) => Promise<readonly (string | undefined)[]>;

/** Large enough that the cost of a message to a thread does not matter. */
const BATCH = 256;
/** Several for every thread of a large machine; more would only use memory. */
const MOST_BATCHES = 64;

export class SignerQueue {
  readonly #recover: RecoverSigners;
  #waiting: SignedDigest[] = [];
  /** In journal order, so that the first violation is reported. */
  #checking: Promise<number>[] = [];
  /** Number of orders signed by their traders. */
  count: number;

  constructor(recover: RecoverSigners, count = 0) {
    this.#recover = recover;
    this.count = count;
  }

  add(order: SignedDigest): void {
    this.#waiting.push(order);
    if (this.#waiting.length >= BATCH) this.#send();
  }

  /** Waits while the recovery lags far behind. Throws the violation that it found. */
  async pace(): Promise<void> {
    while (this.#checking.length > MOST_BATCHES) await this.#settleOne();
  }

  /** Waits until every order is checked. */
  async settle(): Promise<void> {
    this.#send();
    while (this.#checking.length > 0) await this.#settleOne();
  }

  #send(): void {
    const batch = this.#waiting;
    if (batch.length === 0) return;
    this.#waiting = [];
    const checking = this.#check(batch);
    // Awaited in its turn; this only prevents an unhandled rejection until then.
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

/** Recovers in this thread, one by one. */
export function recoverHere({ recover }: SignerRecovery): RecoverSigners {
  return async (batch) => batch.map(({ digest, signature }) => recover(digest, signature));
}

export async function recoverByWasm(): Promise<RecoverSigners> {
  return recoverHere(await openWasmRecovery());
}
