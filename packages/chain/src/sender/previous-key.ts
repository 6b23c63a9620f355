// The transactions of a key that was replaced: they are followed to their end, and nothing is sent meanwhile, since both keys would count nonces by one journal.
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

  /** Undefined if nothing of another key is under way. All is of one key, since the next one waits: the newest transaction names it. */
  static async find(account: Address, state: SenderState): Promise<PreviousKey | undefined> {
    const signed = state.slots().filter(({ attempts }) => attempts.length > 0);
    const newest = signed.at(-1)?.attempts.at(-1);
    if (newest === undefined) return undefined;
    // What was signed is a whole transaction; its type says so of no more than its first byte.
    const serializedTransaction = newest.raw as TransactionSerialized;
    const signer = toLowerHex(await recoverTransactionAddress({ serializedTransaction }));
    return signer === toLowerHex(account) ? undefined : new PreviousKey(signer, signed);
  }

  /** Its nonces that are not final. */
  held(state: SenderState): Slot[] {
    return this.#slots.filter((slot) => state.slot(slot.nonce) === slot);
  }
}
