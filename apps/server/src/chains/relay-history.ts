// Records of the relayer that a restart needs: the newest relayed calls, their published claims, and ended permits.
import { RETAINED_OPERATIONS } from '@presage/chain';
import type { ClaimsPublishedRecord, OrderHash, RelayerRecord, RelayRecord } from '@presage/protocol';

export class RelayHistory {
  readonly #isOrderKnown: (hash: OrderHash) => boolean;
  readonly #relayed = new Map<string, RelayRecord>();
  readonly #claims = new Map<string, ClaimsPublishedRecord>();
  readonly #ended = new Set<OrderHash>();

  constructor(isOrderKnown: (hash: OrderHash) => boolean) {
    this.#isOrderKnown = isOrderKnown;
  }

  add(record: RelayerRecord): void {
    if (record.kind === 'permit-ended') this.#ended.add(record.orderHash);
    else if (record.kind === 'claims-told') this.#addClaims(record);
    else this.#relay(record);
  }

  /** Records grouped by kind, oldest first. */
  records(): RelayerRecord[] {
    for (const hash of this.#ended) if (!this.#isOrderKnown(hash)) this.#ended.delete(hash);
    const ended = [...this.#ended].map((orderHash) => ({ kind: 'permit-ended', orderHash }) as const);
    return [...this.#relayed.values(), ...this.#claims.values(), ...ended];
  }

  #relay(record: RelayRecord): void {
    this.#relayed.set(record.operationId, record);
    // Keeps as many as the sender, which knows no status of those it has dropped.
    if (this.#relayed.size <= RETAINED_OPERATIONS) return;
    for (const oldest of this.#relayed.keys()) {
      this.#relayed.delete(oldest);
      this.#claims.delete(oldest);
      return;
    }
  }

  #addClaims(record: ClaimsPublishedRecord): void {
    if (this.#relayed.has(record.operationId)) this.#claims.set(record.operationId, record);
  }
}
