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
  /** What it charges takers; nothing where absent. */
  readonly feeRateBps?: number | undefined;
  readonly makerShareBps?: number | undefined;
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

export function toCreationCall({ marketFactory }: Pick<Contracts, 'marketFactory'>, terms: MarketTerms): ContractCall {
  const creation = toCreation(terms);
  return creation.name === 'createFeeMarket'
    ? marketFactory.call(creation.name, creation.args)
    : marketFactory.call(creation.name, creation.args);
}

/** Contracts of version 2 have no early resolution and those before version 5 no fees: they refuse what they do not know. */
function toCreation(terms: MarketTerms) {
  const { question, description, category, expiration, earlyResolution = false } = terms;
  const { feeRateBps = 0, makerShareBps = 0 } = terms;
  const common = [question, description, category, BigInt(expiration)] as const;
  if (feeRateBps > 0) {
    return { name: 'createFeeMarket', args: [...common, earlyResolution, feeRateBps, makerShareBps] } as const;
  }
  return { name: earlyResolution ? 'createEarlyMarket' : 'createMarket', args: common } as const;
}
