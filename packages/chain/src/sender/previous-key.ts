// Transactions of a replaced key: they are followed until final, and nothing is sent meanwhile, since both keys would count nonces in one journal.
import { toLowerHex } from '@presage/protocol';
import { type Address, recoverTransactionAddress, type TransactionSerialized } from 'viem';
import type { Slot } from './nonce-slot.ts';
import type { SenderState } from './sender-state.ts';

export class PreviousKey {
  readonly account: Address;
  readonly #slots: readonly Slot[];

  private constructor(account: Address, slots: readonly Slot[]) {
    this.account = account;
    this.#slots = slots;
  }

  /**
   * Undefined if no transaction of another key is pending. All pending ones are of one key, since a new key waits, so
   * the newest transaction identifies it.
   */
  static async find(account: Address, state: SenderState): Promise<PreviousKey | undefined> {
    const signed = state.slots().filter(({ attempts }) => attempts.length > 0);
    const newest = signed.at(-1)?.attempts.at(-1);
    if (newest === undefined) return undefined;
    // A whole signed transaction; its type describes only the first byte.
    const serializedTransaction = newest.raw as TransactionSerialized;
    const signer = toLowerHex(await recoverTransactionAddress({ serializedTransaction }));
    return signer === toLowerHex(account) ? undefined : new PreviousKey(signer, signed);
  }

  /** Nonces of the previous key that are not final. */
  held(state: SenderState): Slot[] {
    return this.#slots.filter((slot) => state.slot(slot.nonce) === slot);
  }
}
