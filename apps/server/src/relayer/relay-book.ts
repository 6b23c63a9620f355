// Index of the relayer's latest calls, by signed request, by transaction hash and by wallet.
import { type OperationView, RETAINED_OPERATIONS } from '@presage/chain';
import type { Address, Hex } from '@presage/protocol';
import { highestNonce } from './nonce-use.ts';
import type { RelayRecord } from './ports.ts';

export type StatusOf = (operationId: string) => OperationView | undefined;

/** Kept records: as many as the sender keeps, which has no status of those it has dropped. */
const REMEMBERED = RETAINED_OPERATIONS;
const UNMINED: readonly string[] = ['reserved', 'signed', 'submitted', 'retrying'];

export class RelayBook {
  readonly #statusOf: StatusOf;
  readonly #byOperation = new Map<string, RelayRecord>();
  /** Newest attempt at each request. */
  readonly #byDigest = new Map<string, { readonly operationId: string; readonly attempt: number }>();
  readonly #byHash = new Map<string, string>();
  /** Hashes of each operation. The sender, which also sends other calls, may forget an operation earlier. */
  readonly #hashes = new Map<string, readonly Hex[]>();
  /** Operations in progress: neither mined nor given up. */
  readonly #open = new Set<string>();

  constructor(statusOf: StatusOf) {
    this.#statusOf = statusOf;
  }

  add(record: RelayRecord): void {
    const { operationId, digest } = record;
    const last = this.#byDigest.get(digest);
    if (last?.operationId !== operationId)
      this.#byDigest.set(digest, { operationId, attempt: (last?.attempt ?? 0) + 1 });
    this.#byOperation.set(operationId, record);
    const view = this.#statusOf(operationId);
    if (view !== undefined) this.follow(view);
    if (this.#byOperation.size > REMEMBERED) this.#forgetOldest();
  }

  /** Called by the sender when an operation changes its stage. */
  follow({ operationId, hashes, stage }: OperationView): void {
    if (!this.#byOperation.has(operationId)) return;
    for (const hash of hashes) this.#byHash.set(hash, operationId);
    this.#hashes.set(operationId, hashes);
    if (UNMINED.includes(stage)) this.#open.add(operationId);
    else this.#open.delete(operationId);
  }

  record(operationId: string): RelayRecord | undefined {
    return this.#byOperation.get(operationId);
  }

  /** Finds a call by any hash that it ever had. */
  byHash(hash: Hex): RelayRecord | undefined {
    const operationId = this.#byHash.get(hash);
    return operationId === undefined ? undefined : this.#byOperation.get(operationId);
  }

  /** The attempt in progress or done; undefined if the last one reverted or was given up. */
  current(digest: string): RelayRecord | undefined {
    const last = this.#byDigest.get(digest);
    const stage = last && this.#statusOf(last.operationId)?.stage;
    if (last === undefined || stage === undefined || stage === 'failed' || stage === 'abandoned') return undefined;
    return this.#byOperation.get(last.operationId);
  }

  /** The name for the next attempt; an attempt that never reached the sender is repeated under its name. */
  nextOperationId(digest: string): string {
    const last = this.#byDigest.get(digest);
    if (last !== undefined && this.#statusOf(last.operationId) === undefined) return last.operationId;
    return `${digest}#${(last?.attempt ?? 0) + 1}`;
  }

  /** Redemptions that the sender still knows. */
  withClaims(): RelayRecord[] {
    const all = [...this.#byOperation.values()];
    return all.filter(({ claims, operationId }) => claims !== undefined && this.#statusOf(operationId) !== undefined);
  }

  unmined(): RelayRecord[] {
    return [...this.#open].flatMap((operationId) => this.#byOperation.get(operationId) ?? []);
  }

  /** The owner's next nonce once all pending calls are mined; undefined if there are none. */
  nextNonce(contract: Address, owner: Address): bigint | undefined {
    const nonces = this.unmined().flatMap((record) => record.nonces);
    const own = nonces.filter((each) => each.contract === contract && each.owner === owner);
    return highestNonce(own.map(({ next }) => BigInt(next)));
  }

  #forgetOldest(): void {
    for (const [operationId, { digest }] of this.#byOperation) {
      if (this.#open.has(operationId)) continue;
      for (const hash of this.#hashes.get(operationId) ?? []) this.#byHash.delete(hash);
      this.#hashes.delete(operationId);
      this.#byOperation.delete(operationId);
      if (this.#byDigest.get(digest)?.operationId === operationId) this.#byDigest.delete(digest);
      return;
    }
  }
}
