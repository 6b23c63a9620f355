// The whole state of the chain at one block, outside the node: accounts, code and storage, advanced by the node's own diffs.
import type { Hex } from '@presage/protocol';

/** A storage slot is packed as 32 bytes of key and 32 bytes of value. */
export const SLOT_BYTES = 64;

export interface Account {
  balance: Hex;
  nonce: number;
  code: Hex;
  storage: Storage;
}

/** Result of `prestateTracer` in diff mode. */
export interface StateDiff {
  readonly pre: Readonly<Record<string, AccountDiff>>;
  readonly post: Readonly<Record<string, AccountDiff>>;
}

interface AccountDiff {
  readonly balance?: Hex;
  readonly nonce?: number;
  readonly code?: Hex;
  readonly storage?: Readonly<Record<string, Hex>>;
}

export class WorldState {
  readonly accounts: Map<string, Account>;

  constructor(accounts: Iterable<readonly [string, Account]> = []) {
    this.accounts = new Map(accounts);
  }

  get slotCount(): number {
    return [...this.accounts.values()].reduce((sum, { storage }) => sum + storage.count, 0);
  }

  apply({ pre, post }: StateDiff): void {
    for (const [address, before] of Object.entries(pre)) {
      // An account that does not exist afterwards was created and destroyed in one transaction.
      if (!post[address]) this.accounts.delete(address);
      else this.#account(address).storage.clear(Object.keys(before.storage ?? {}));
    }
    for (const [address, after] of Object.entries(post)) {
      const account = this.#account(address);
      account.balance = after.balance ?? account.balance;
      account.nonce = after.nonce ?? account.nonce;
      account.code = after.code ?? account.code;
      account.storage.set(Object.entries(after.storage ?? {}));
    }
  }

  #account(address: string): Account {
    const known = this.accounts.get(address);
    if (known) return known;
    const fresh: Account = { balance: '0x0', nonce: 0, code: '0x', storage: new Storage() };
    this.accounts.set(address, fresh);
    return fresh;
  }
}

/** Packed slots plus changes since; a slot with value zero is absent. */
export class Storage {
  #packed: Buffer;
  #changes = new Map<string, string>();

  constructor(packed: Buffer = Buffer.alloc(0)) {
    this.#packed = packed;
  }

  get count(): number {
    return this.pack().length / SLOT_BYTES;
  }

  set(slots: Iterable<readonly [string, string]>): void {
    for (const [key, value] of slots) this.#changes.set(toWord(key), toWord(value));
  }

  clear(keys: Iterable<string>): void {
    for (const key of keys) this.#changes.set(toWord(key), ZERO_WORD);
  }

  pack(): Buffer {
    if (this.#changes.size === 0) return this.#packed;
    const kept: Buffer[] = [];
    for (let at = 0; at < this.#packed.length; at += SLOT_BYTES) {
      const row = this.#packed.subarray(at, at + SLOT_BYTES);
      if (!this.#changes.has(row.toString('hex', 0, SLOT_BYTES / 2))) kept.push(row);
    }
    const changed = [...this.#changes].filter(([, value]) => value !== ZERO_WORD).map(([key, value]) => key + value);
    this.#packed = Buffer.concat([...kept, Buffer.from(changed.join(''), 'hex')]);
    this.#changes = new Map();
    return this.#packed;
  }
}

const ZERO_WORD = '0'.repeat(64);

function toWord(value: string): string {
  return value.slice(2).padStart(64, '0');
}
