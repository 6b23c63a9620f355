// Service for API keys: registers them by a wallet's signature, lists and revokes them.
import { randomBytes } from 'node:crypto';
import {
  type Address,
  type ApiKeyRegistered,
  type ApiKeyRevoked,
  apiKeyMessage,
  LIMITS,
  PresageError,
  parseSignatureBytes,
} from '@presage/protocol';
import { createApiKeyPair } from '@presage/protocol/ed25519';
import { hashMessage, hexToBytes } from 'viem';
import type { ApiKey, KeyRegistry } from './key-registry.ts';

export interface RegistrationParams {
  /** Address exactly as sent, because the text is part of the signed message. */
  readonly addressText: string;
  readonly owner: Address;
  readonly signature: string;
  readonly name: string;
  readonly expiresAt: number | undefined;
}

export interface ApiKeyServiceOptions {
  readonly serviceName: string;
  readonly keys: KeyRegistry;
  readonly signers: { recover(digest: Uint8Array, signature: Uint8Array): Promise<Address | undefined> };
  readonly wallMs: () => number;
  /** Resolves once the record is durable and the registry has applied it. */
  readonly journal: (record: ApiKeyRegistered | ApiKeyRevoked) => Promise<void>;
}

export class ApiKeyService {
  readonly #options: ApiKeyServiceOptions;
  /** Registrations in progress by wallet; one at a time, so that the limit on keys counts correctly. */
  readonly #registering = new Map<Address, Promise<unknown>>();

  constructor(options: ApiKeyServiceOptions) {
    this.#options = options;
  }

  /** Registers a key. Returns the private key, which is shown once and stored nowhere. */
  async register(params: RegistrationParams) {
    await this.#checkSignature(params);
    const before = this.#registering.get(params.owner) ?? Promise.resolve();
    const registered = before.catch(() => undefined).then(() => this.#register(params));
    this.#registering.set(params.owner, registered);
    try {
      return await registered;
    } finally {
      if (this.#registering.get(params.owner) === registered) this.#registering.delete(params.owner);
    }
  }

  list(owner: Address): readonly { readonly key: ApiKey; readonly isActive: boolean }[] {
    const now = this.#nowSeconds();
    return this.#options.keys.ofOwner(owner).map((key) => ({ key, isActive: key.isActive(now) }));
  }

  /** Revokes a key; succeeds if it is already revoked. */
  async revoke(owner: Address, keyId: string): Promise<void> {
    const key = this.#options.keys.find(keyId);
    if (key === undefined) throw new PresageError('not_found', { keyId });
    if (key.owner !== owner) throw new PresageError('api_key_not_yours', { keyId });
    if (key.isRevoked) return;
    await this.#options.journal({ type: 'api-key-revoked', timeMs: this.#options.wallMs(), keyId });
  }

  async #checkSignature({ addressText, owner, signature }: RegistrationParams): Promise<void> {
    const { serviceName, signers } = this.#options;
    const bytes = parseSignatureBytes(signature);
    const digest = hexToBytes(hashMessage(apiKeyMessage(serviceName, addressText)));
    const signer = bytes && (await signers.recover(digest, bytes));
    if (signer !== owner) throw new PresageError('invalid_wallet_signature');
  }

  async #register({ owner, name, expiresAt }: RegistrationParams) {
    const { keys, wallMs, journal } = this.#options;
    const now = this.#nowSeconds();
    const active = keys.ofOwner(owner).filter((key) => key.isActive(now)).length;
    if (active >= LIMITS.apiKeysPerWallet) throw new PresageError('too_many_api_keys', { active });
    const { publicKeyHex, privateKeyHex } = createApiKeyPair();
    const keyId = `key_${randomBytes(12).toString('hex')}`;
    await journal({
      type: 'api-key-registered',
      timeMs: wallMs(),
      keyId,
      owner,
      name,
      publicKey: publicKeyHex,
      createdAt: now,
      ...(expiresAt !== undefined && { expiresAt }),
    });
    return { keyId, privateKeyHex };
  }

  #nowSeconds(): number {
    return Math.floor(this.#options.wallMs() / 1_000);
  }
}
