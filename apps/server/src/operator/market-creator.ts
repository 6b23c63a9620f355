// Creates markets on one chain in the name of the account that holds the creator's role.
import { type ContractCall, type Contracts, withRefusals } from '@presage/chain';
import type { Hex, MarketId } from '@presage/protocol';

export interface MarketCreatorOptions {
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
    const { contracts, creator } = this.#options;
    return withRefusals(async () => {
      const sender = { from: creator, block: 'pending' } as const;
      const [marketId] = await contracts.marketFactory.simulate(functionFor(terms), toArguments(terms), sender);
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
    return this.#options.contracts.marketFactory.call(functionFor(terms), toArguments(terms));
  }
}

/** Contracts of version 2 have no early resolution, and refuse it. */
function functionFor({ earlyResolution }: Pick<MarketTerms, 'earlyResolution'>) {
  return earlyResolution ? 'createEarlyMarket' : 'createMarket';
}

function toArguments({ question, description, category, expiration }: MarketTerms) {
  return [question, description, category, BigInt(expiration)] as const;
}
