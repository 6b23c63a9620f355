// Creates markets on one chain in the name of the account that holds the creator's role.
import { type ContractCall, type Contracts, callContract, type Rpc, withRefusals } from '@presage/chain';
import type { Hex, MarketId } from '@presage/protocol';

export interface MarketCreatorOptions {
  readonly rpc: Rpc;
  readonly contracts: Contracts;
  readonly creator: Hex;
  /** Resolves once the call is durable; the same id is the same call. */
  readonly send: (operationId: string, call: ContractCall) => Promise<unknown>;
}

export interface MarketTerms {
  readonly question: string;
  readonly description: string;
  readonly category: string;
  /** Unix seconds. */
  readonly expiration: number;
  /** Whether a result may be proposed before the expiration. */
  readonly earlyResolution?: boolean | undefined;
}

export class MarketCreator {
  readonly #options: MarketCreatorOptions;

  constructor(options: MarketCreatorOptions) {
    this.#options = options;
  }

  /** The id that a market with these terms gets; rejects with what the contract would refuse, and records nothing. */
  prepare(terms: MarketTerms): Promise<MarketId> {
    const { rpc, contracts, creator } = this.#options;
    return withRefusals(async () => {
      await callContract(rpc, { from: creator, ...this.#callOf(terms) }, 'pending');
      const [marketId] = await contracts.marketFactory.read('predictMarket', [creator, ...toArguments(terms)]);
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
    return this.#options.contracts.marketFactory.call('createMarket', toArguments(terms));
  }
}

function toArguments({ question, description, category, expiration }: MarketTerms) {
  return [question, description, category, BigInt(expiration)] as const;
}
