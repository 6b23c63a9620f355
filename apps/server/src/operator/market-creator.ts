// Creates markets on one chain in the name of the account that holds the creator's role.
import {
  type ContractCall,
  type Contracts,
  type MarketTerms,
  toCreation,
  toCreationCall,
  withRefusals,
} from '@presage/chain';
import type { Hex, MarketId } from '@presage/protocol';

export interface MarketCreatorOptions {
  readonly contracts: Contracts;
  readonly creator: Hex;
  /** Resolves once the call is durable; the same id is the same call. */
  readonly send: (operationId: string, call: ContractCall) => Promise<unknown>;
}

export class MarketCreator {
  readonly #options: MarketCreatorOptions;

  constructor(options: MarketCreatorOptions) {
    this.#options = options;
  }

  /** The id that a market with these terms gets; rejects with what the contract would refuse, and records nothing. */
  prepare(terms: MarketTerms): Promise<MarketId> {
    const { contracts, creator } = this.#options;
    return withRefusals(async () => {
      const sender = { from: creator, block: 'pending' } as const;
      const creation = toCreation(terms);
      const { marketFactory } = contracts;
      // One of two signatures, each with its own arguments.
      const [marketId] = await (creation.name === 'createFeeMarket'
        ? marketFactory.simulate(creation.name, creation.args, sender)
        : marketFactory.simulate(creation.name, creation.args, sender));
      return marketId;
    });
  }

  /** Resolves once the transaction is durable. */
  create(marketId: MarketId, terms: MarketTerms): Promise<void> {
    return withRefusals(async () => {
      await this.#options.send(`create-${marketId}`, this.#callOf(terms));
    });
  }

  #callOf(terms: MarketTerms): ContractCall {
    return toCreationCall(this.#options.contracts, terms);
  }
}
