// What clients know: every call they made, and what came back. The checkers hold the service to it.
import type { Address, Bytes32, MarketId, OrderHash, Receipt } from '@presage/protocol';

export interface PlacedByClient {
  readonly kind: 'place';
  readonly orderHash: OrderHash;
  readonly trader: Address;
  readonly marketId: MarketId;
  readonly sentMs: number;
  outcome: 'open' | 'answered' | 'refused' | 'lost';
  /** When the answer came, counted over all answers. */
  answeredAt?: number;
  answeredMs?: number;
  receipt?: Receipt | undefined;
  /** The code that it was refused with. */
  refusal?: string;
}

export interface CancelledByClient {
  readonly kind: 'cancel';
  readonly orderHash: OrderHash;
  readonly marketId: MarketId;
  readonly sentMs: number;
  outcome: 'open' | 'answered' | 'refused' | 'lost';
  answeredAt?: number;
  answeredMs?: number;
  receipt?: Receipt | undefined;
}

export interface RelayedByClient {
  readonly kind: 'relay';
  readonly owner: Address;
  readonly operation: 'split' | 'merge' | 'ctf-conversion';
  readonly amount: bigint;
  /** The market or the event. */
  readonly marketId: Bytes32;
  readonly nonce: bigint;
  outcome: 'open' | 'answered' | 'refused' | 'lost';
  hash?: string;
}

/** Orders that were sent to be placed together; each is a call of its own, too. */
export interface BatchByClient {
  readonly kind: 'batch';
  readonly orderHashes: readonly OrderHash[];
  outcome: 'open' | 'answered' | 'refused' | 'lost';
}

/** A request that was answered, sent once more, and not answered with the same transaction. */
export interface RelayedAgain {
  readonly hash: string;
  /** The other transaction; undefined where the request was refused. */
  readonly otherHash: string | undefined;
  readonly answer: string;
}

export type ClientCall = BatchByClient | PlacedByClient | CancelledByClient | RelayedByClient;

export class ClientLog {
  readonly calls: ClientCall[] = [];
  readonly relayedAgain: RelayedAgain[] = [];
  #answers = 0;

  add<T extends ClientCall>(call: T): T {
    this.calls.push(call);
    return call;
  }

  nextAnswer(): number {
    return ++this.#answers;
  }

  of<K extends ClientCall['kind']>(kind: K): Extract<ClientCall, { kind: K }>[] {
    return this.calls.filter((call): call is Extract<ClientCall, { kind: K }> => call.kind === kind);
  }
}
