// Registry of all API keys: follows the control partition and is read on every authenticated request.
import type { KeyObject } from 'node:crypto';
import type { Address, ApiKeyRegistered, JournalRecord } from '@presage/protocol';
import { openPublicKey } from '@presage/protocol/ed25519';

export class ApiKey {
  readonly keyId: string;
  readonly owner: Address;
  readonly name: string;
  readonly createdAt: number;
  readonly expiresAt: number | undefined;
  readonly #publicKeyHex: string;
  #publicKey: KeyObject | undefined;
  #isRevoked = false;

  constructor({ keyId, owner, name, createdAt, expiresAt, publicKey }: ApiKeyRegistered) {
    this.keyId = keyId;
    this.owner = owner;
    this.name = name;
    this.createdAt = createdAt;
    this.expiresAt = expiresAt;
    this.#publicKeyHex = publicKey;
  }

  /** Key object, opened by the first token: it takes a kilobyte, and most keys of a long-lived service are never used again. */
  get publicKey(): KeyObject {
    this.#publicKey ??= openPublicKey(this.#publicKeyHex);
    return this.#publicKey;
  }

  get isRevoked(): boolean {
    return this.#isRevoked;
  }

  revoke(): void {
    this.#isRevoked = true;
    this.#publicKey = undefined;
  }

  isActive(nowSeconds: number): boolean {
    return !this.#isRevoked && (this.expiresAt === undefined || this.expiresAt > nowSeconds);
  }
}

export class KeyRegistry {
  readonly #keys = new Map<string, ApiKey>();
  readonly #byOwner = new Map<Address, ApiKey[]>();

  /** Applies a durable record of the control partition, at recovery and live. */
  follow(record: JournalRecord): void {
    if (record.type === 'api-key-registered' && !this.#keys.has(record.keyId)) this.#add(new ApiKey(record));
    if (record.type === 'api-key-revoked') this.#keys.get(record.keyId)?.revoke();
  }

  find(keyId: string): ApiKey | undefined {
    return this.#keys.get(keyId);
  }

  /** Keys of a wallet, oldest first, including revoked ones. */
  ofOwner(owner: Address): readonly ApiKey[] {
    return this.#byOwner.get(owner) ?? [];
  }

  #add(key: ApiKey): void {
    this.#keys.set(key.keyId, key);
    const keys = this.#byOwner.get(key.owner);
    if (keys === undefined) this.#byOwner.set(key.owner, [key]);
    else keys.push(key);
  }
}
