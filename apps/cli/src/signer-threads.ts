// Recovers the signers of orders: the first few batches in this thread, later ones in a pool with a thread for each processor.
import { availableParallelism } from 'node:os';
import { openSignerRecovery } from '@presage/protocol/signer';
import { type RecoverSigners, recoverHere } from '@presage/sdk/verify';
import { SIGNATURE_BYTES, SignaturePool } from '@presage/signers';

/** Batches recovered here first: a thread takes a tenth of a second to start, in which this one recovers about a thousand signers. */
const BATCHES_HERE = 4;
/** More signatures than the verifier ever has in flight. */
const MAX_QUEUED = 65_536;

export class SignerThreads {
  readonly #here: RecoverSigners;
  #pool: Promise<SignaturePool> | undefined;
  #batches = 0;

  private constructor(here: RecoverSigners) {
    this.#here = here;
  }

  static async open(): Promise<SignerThreads> {
    return new SignerThreads(recoverHere(await openSignerRecovery()));
  }

  readonly recover: RecoverSigners = async (batch) => {
    if (this.#batches++ < BATCHES_HERE) return this.#here(batch);
    this.#pool ??= openPool();
    const pool = await this.#pool;
    const isWhole = (signature: Uint8Array) => signature.length === SIGNATURE_BYTES;
    return Promise.all(
      batch.map(({ digest, signature }) => (isWhole(signature) ? pool.recover(digest, signature) : undefined)),
    );
  };

  async close(): Promise<void> {
    const pool = await this.#pool?.catch(() => undefined);
    await pool?.close();
  }
}

/** Each thread runs the whole program: its single file when published, its launcher when run from the sources. */
function openPool(): Promise<SignaturePool> {
  const place = import.meta.url;
  const entry = place.endsWith('.ts') ? new URL('../bin/presage.mjs', place) : new URL(place);
  return SignaturePool.open({ workers: availableParallelism(), maxQueued: MAX_QUEUED, entry });
}
