// Every call that clients made, and its answer. The checkers hold the service to it.
import type { Address, Bytes32, MarketId, OrderHash, Receipt } from '@presage/protocol';

export interface PlacedByClient {
  readonly kind: 'place';
  readonly orderHash: OrderHash;
  readonly trader: Address;
  readonly marketId: MarketId;
  readonly sentMs: number;
  outcome: 'open' | 'answered' | 'refused' | 'lost';
  /** Number of the answer, counted over all answers. */
  answeredAt?: number;
  answeredMs?: number;
  receipt?: Receipt | undefined;
  /** Code of the refusal. */
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
  /** Id of the market or of the event. */
  readonly marketId: Bytes32;
  readonly nonce: bigint;
  outcome: 'open' | 'answered' | 'refused' | 'lost';
  hash?: string;
}

/** Orders sent as one batch; each is also logged as a call of its own. */
export interface BatchByClient {
  readonly kind: 'batch';
  readonly orderHashes: readonly OrderHash[];
  outcome: 'open' | 'answered' | 'refused' | 'lost';
}

/** An answered request whose repetition did not return the same transaction. */
export interface RelayedAgain {
  readonly hash: string;
  /** The other transaction; undefined if the repetition was refused. */
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
