// Creates markets and events on one chain, sent by the account with the creator role.
import {
  type ContractCall,
  type Contracts,
  type EventContracts,
  type EventTerms,
  type MarketTerms,
  toCreation,
  toCreationCall,
  toEventCreation,
  toListingCall,
  withRefusals,
} from '@presage/chain';
import { type Address, type Bytes32, type Hex, type MarketId, PresageError, toLowerHex } from '@presage/protocol';

interface PreparedEvent {
  readonly eventId: Bytes32;
  readonly contractAddress: Address;
}

export interface MarketCreatorOptions {
  readonly contracts: Contracts;
  readonly creator: Hex;
  /** Sends a call; resolves once it is durable. The same id is the same call. */
  readonly send: (operationId: string, call: ContractCall) => Promise<unknown>;
}

export class MarketCreator {
  readonly #options: MarketCreatorOptions;

  constructor(options: MarketCreatorOptions) {
    this.#options = options;
  }

  /** Simulates a creation: returns the market's id, or rejects with the contract's refusal. Records nothing. */
  prepare(terms: MarketTerms): Promise<MarketId> {
    const { contracts, creator } = this.#options;
    return withRefusals(async () => {
      const sender = { from: creator, block: 'pending' } as const;
      const creation = toCreation(terms);
      const { marketFactory } = contracts;
      // Two calls, because each of the two signatures types its own arguments.
      const [marketId] = await (creation.name === 'createFeeMarket'
        ? marketFactory.simulate(creation.name, creation.args, sender)
        : marketFactory.simulate(creation.name, creation.args, sender));
      return marketId;
    });
  }

  /** Creates a market; resolves once the transaction is durable. */
  create(marketId: MarketId, terms: MarketTerms): Promise<void> {
    return withRefusals(async () => {
      await this.#options.send(`create-${marketId}`, this.#callOf(terms));
    });
  }

  /** Simulates a creation: returns the event's id and contract, or rejects with the contract's refusal. */
  prepareEvent(terms: EventTerms): Promise<PreparedEvent> {
    const { creator: from } = this.#options;
    return withRefusals(async () => {
      const sender = { from, block: 'pending' } as const;
      const creation = toEventCreation(terms);
      const [eventId, contractAddress] = await this.#events.factory.simulate('createEvent', creation, sender);
      return { eventId, contractAddress: toLowerHex(contractAddress) };
    });
  }

  /** Creates an event and lists its first outcomes; resolves once the transaction is durable. */
  createEvent(eventId: Bytes32, terms: EventTerms): Promise<void> {
    return withRefusals(async () => {
      const call = this.#events.factory.call('createEvent', toEventCreation(terms));
      await this.#options.send(`create-${eventId}`, call);
    });
  }

  /** Lists the next outcomes of an event of which `listed` are listed; resolves once the transaction is durable. */
  listOutcomes({ eventId, contractAddress }: PreparedEvent, listed: number): Promise<void> {
    return withRefusals(async () => {
      const call = toListingCall(this.#events, contractAddress);
      await this.#options.send(`list-${eventId}-${listed}`, call);
    });
  }

  get #events(): EventContracts {
    const { events } = this.#options.contracts;
    if (events === undefined) throw new PresageError('events_not_deployed');
    return events;
  }

  #callOf(terms: MarketTerms): ContractCall {
    return toCreationCall(this.#options.contracts, terms);
  }
}
