// Creates markets on one chain in the name of the account that holds the creator's role.
import { type ContractCall, type Contracts, callContract, type Rpc, withRefusals } from '@presage/chain';
import type { Hex, MarketId } from '@presage/protocol';
import type { MarketCreator, MarketTerms } from './ports.ts';

export interface MarketCreatorOptions {
  readonly rpc: Rpc;
  readonly contracts: Contracts;
  readonly creator: Hex;
  /** Resolves once the call is durable; the same id is the same call. */
  readonly send: (operationId: string, call: ContractCall) => Promise<unknown>;
}

export class ChainMarketCreator implements MarketCreator {
  readonly #options: MarketCreatorOptions;

  constructor(options: MarketCreatorOptions) {
    this.#options = options;
  }

  /** Simulates first, so that a refusal of the contract is answered with its reason and nothing is recorded. */
  prepare(terms: MarketTerms): Promise<MarketId> {
    const { rpc, contracts, creator } = this.#options;
    return withRefusals(async () => {
      await callContract(rpc, { from: creator, ...this.#callOf(terms) }, 'pending');
      const [marketId] = await contracts.marketFactory.read('predictMarket', [creator, ...toArguments(terms)]);
      return marketId;
    });
  }

  create(marketId: MarketId, terms: MarketTerms): Promise<void> {
    return withRefusals(async () => {
      await this.#options.send(`create-${marketId}`, this.#callOf(terms));
    });
  }

  #callOf(terms: MarketTerms): ContractCall {
    return this.#options.contracts.marketFactory.call('createMarket', toArguments(terms));
  }
}

function toArguments({ question, description, category, expiration }: MarketTerms) {
  return [question, description, category, BigInt(expiration)] as const;
}
