// Events of an exchange's contracts on one chain, read in one pass: rates, fills, deposits, and the collateral of shares.
import {
  type Bytes32,
  type FeeRates,
  fullIndexSet,
  type MarketFacts,
  type MarketId,
  toFeeRates,
  toLowerHex,
} from '@presage/protocol';
import type { BlockSpan, ChainLog, ChainReads } from './chain-reads.ts';
import { topicOf } from './event-topic.ts';
import { amountsIn, depositedBy, type Fill, toFill, toFills, wordOf } from './settled-fills.ts';

const TOPICS = {
  /** Fee rates of a market, announced in the transaction that creates it. */
  rates: topicOf('MarketFeesFixed(bytes32,uint16,uint16)'),
  /** Contracts of version 2 emit one event per fill. */
  fill: topicOf('FillSettled(bytes32,bytes32,uint256)'),
  fills: topicOf('FillsSettled(bytes32[])'),
  deposit: topicOf('Deposited(address,address,uint256)'),
  withdrawal: topicOf('Withdrawn(address,address,uint256)'),
  split: topicOf('PositionSplit(address,address,bytes32,bytes32,uint256[],uint256)'),
  merge: topicOf('PositionsMerge(address,address,bytes32,bytes32,uint256[],uint256)'),
  redemption: topicOf('PayoutRedemption(address,address,bytes32,bytes32,uint256[],uint256)'),
  conversion: topicOf('PositionsConverted(address,bytes32,uint256,uint256,uint256)'),
};

/**
 * The subject of a split, merge, redemption or conversion. With a parent other than zero it is about positions on other
 * conditions.
 */
interface Divided {
  readonly condition: string;
  /** The collateral token. */
  readonly token: string;
  readonly parent: string;
}

export class ChainEvents {
  /** Rates of markets that announced any. */
  readonly rates = new Map<MarketId, FeeRates>();
  /** Fills by transaction and orders. */
  readonly fills = new Map<string, Fill[]>();
  /** Deposits of traders in each settlement contract: paid in, less withdrawals and what fills took, plus what fills paid in. */
  readonly deposited = new Map<string, bigint>();
  /** Collateral of every condition: a market's own, or the event's, which all its markets share. */
  readonly collateral: Map<Bytes32, bigint>;
  readonly #factsOf: ReadonlyMap<Bytes32, MarketFacts>;
  readonly #stablecoinOf: ReadonlyMap<string, string>;

  private constructor(markets: readonly MarketFacts[]) {
    this.#factsOf = new Map(markets.map((facts) => [conditionOf(facts), facts]));
    this.#stablecoinOf = tokensOf(markets);
    this.collateral = new Map(markets.map((facts) => [conditionOf(facts), 0n]));
  }

  /** Reads the events of one chain's markets. */
  static async read(chain: ChainReads, markets: readonly MarketFacts[], span: BlockSpan): Promise<ChainEvents> {
    const events = new ChainEvents(markets);
    const places = markets.flatMap(({ settlementAddress, conditionalTokens }) => [
      settlementAddress,
      conditionalTokens,
    ]);
    const addresses = [...new Set(places)];
    // A query without an address would return the logs of every contract.
    if (addresses.length === 0) return events;
    const query = { addresses, topics: Object.values(TOPICS), ...span };
    for await (const log of chain.logs(query)) events.#take(log);
    return events;
  }

  #take(log: ChainLog): void {
    const { topics, data } = log;
    const address = toLowerHex(log.address);
    switch (topics[0]) {
      case TOPICS.rates:
        this.rates.set(toLowerHex(topics[1]!), toFeeRates(Number(wordOf(data, 0)), Number(wordOf(data, 1))));
        return;
      case TOPICS.fill:
        this.#addFill(toFill(log));
        return;
      case TOPICS.fills:
        for (const fill of toFills(log)) this.#addFill(fill);
        this.#deposit(
          address,
          amountsIn(data).reduce((sum, amounts) => sum + depositedBy(amounts), 0n),
        );
        return;
      case TOPICS.deposit:
        this.#deposit(address, BigInt(data));
        return;
      case TOPICS.withdrawal:
        this.#deposit(address, -BigInt(data));
        return;
      case TOPICS.split:
        this.#back(toDivided(log), wordOf(data, 2), unionOf(data));
        return;
      case TOPICS.merge:
        this.#back(toDivided(log), -wordOf(data, 2), unionOf(data));
        return;
      case TOPICS.redemption:
        this.#back({ condition: `0x${data.slice(2, 66)}`, token: topics[2]!, parent: topics[3]! }, -wordOf(data, 2));
        return;
      case TOPICS.conversion: {
        const token = this.#stablecoinOf.get(address);
        if (token !== undefined) this.#back({ condition: topics[2]!, token, parent: '0x0' }, -wordOf(data, 2));
      }
    }
  }

  #addFill(fill: Fill): void {
    const known = this.fills.get(fill.key);
    if (known === undefined) this.fills.set(fill.key, [fill]);
    else known.push(fill);
  }

  #deposit(address: string, amount: bigint): void {
    this.deposited.set(address, (this.deposited.get(address) ?? 0n) + amount);
  }

  /**
   * Adds collateral of a condition. Other tokens, or positions on other conditions, may be collateral of the same
   * condition and are not counted.
   */
  #back({ condition, token, parent }: Divided, amount: bigint, parts?: bigint): void {
    const conditionId = toLowerHex(condition);
    const facts = this.#factsOf.get(conditionId);
    if (facts === undefined || BigInt(parent) !== 0n || BigInt(facts.stablecoin) !== BigInt(token)) return;
    // Splits into other shares of the event, and merges of them, move no collateral.
    if (parts !== undefined && parts !== fullIndexSet(facts.event?.count ?? 2)) return;
    this.collateral.set(conditionId, (this.collateral.get(conditionId) ?? 0n) + amount);
  }
}

function toDivided({ topics, data }: ChainLog): Divided {
  return { condition: topics[3]!, parent: topics[2]!, token: data.slice(0, 66) };
}

/** Union of the index sets in the partition of a split or merge. */
function unionOf(data: string): bigint {
  const parts = Array.from({ length: Number(wordOf(data, 3)) }, (_, part) => wordOf(data, 4 + part));
  return parts.reduce((union, part) => union | part, 0n);
}

export function conditionOf({ event, marketId }: MarketFacts): Bytes32 {
  return event?.id ?? marketId;
}

/** The stablecoin of each conditional tokens contract. */
export function tokensOf(markets: readonly MarketFacts[]): Map<string, string> {
  return new Map(markets.map(({ conditionalTokens, stablecoin }) => [conditionalTokens, stablecoin]));
}
