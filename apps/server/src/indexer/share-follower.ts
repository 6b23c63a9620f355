// Follows shares that move without a trade: transfers, splits, merges, redemptions and conversions, no matter who sent them.
import type { LogFilter, WatchedBlock, WatchedLog } from '@presage/chain';
import { type Hex, NO, YES } from '@presage/protocol';
import type { ChainContext } from '../chains/chain-context.ts';
import { readEventLog } from './event-shares.ts';
import { readShareLog, SHARE_TOPICS, type ShareLog } from './share-logs.ts';
import { type ShareRecord, type TokenOf, TransactionShares } from './transaction-shares.ts';
import type { FactWriter } from './viem-logs.ts';

interface ShareTransaction {
  readonly block: WatchedBlock;
  readonly transactionHash: Hex;
  readonly logs: readonly ShareLog[];
}

interface EarlyTransaction extends ShareTransaction {
  /** Not of any market that is listed. */
  readonly tokenIds: ReadonlySet<bigint>;
}

/** Tokens of markets that are never listed must not pile up: the oldest are dropped. */
const MAX_EARLY = 10_000;
/** A market is listed within some minutes of its creation, or never: quick markets are made two minutes ahead. */
const LISTED_WITHIN_SECONDS = 300;

export class ShareFollower {
  readonly #context: ChainContext;
  #marketsKnown = 0;
  /** Transactions that moved tokens of no listed market. */
  #early: EarlyTransaction[] = [];

  constructor(context: ChainContext) {
    this.#context = context;
  }

  get filters(): LogFilter[] {
    return [{ addresses: [this.#context.chain.contracts.conditionalTokens], topics: [SHARE_TOPICS] }];
  }

  /** Also what moved shares of a market that was listed since. */
  read(block: WatchedBlock): FactWriter | undefined {
    return this.#toWriter([...this.#listedSince(), ...this.#read(block)]);
  }

  /** A market may be listed while the chain stands still. */
  readLate(): FactWriter | undefined {
    return this.#toWriter(this.#listedSince());
  }

  /** Shares that moved shortly before may still get their market. */
  waitsSince(timestamp: number): number | undefined {
    const waiting = this.#early.find(({ block }) => timestamp - block.timestamp < LISTED_WITHIN_SECONDS);
    return waiting?.block.blockNumber;
  }

  /** Blocks above it have left the chain. */
  async rewind(toBlock: number): Promise<void> {
    this.#early = this.#early.filter(({ block }) => block.blockNumber <= toBlock);
  }

  /** A market is listed some blocks after it was created: what moved meanwhile is read once its tokens are known. */
  #listedSince(): ShareRecord[] {
    if (this.#early.length === 0 || !this.#hasNewMarkets()) return [];
    const early = this.#early;
    this.#early = [];
    return early.flatMap((transaction) => {
      const { tokenIds } = transaction;
      const listed = new Set([...tokenIds].flatMap((tokenId) => this.#tokenOf(tokenId)?.marketId ?? []));
      this.#keepEarly({ ...transaction, tokenIds: this.#unknown(tokenIds) });
      return this.#readTransaction(transaction).filter(({ marketId }) => listed.has(marketId));
    });
  }

  #toWriter(records: readonly ShareRecord[]): FactWriter | undefined {
    if (records.length === 0) return undefined;
    return async () => {
      for (const record of records) await this.#context.note(record);
    };
  }

  #unknown(tokenIds: Iterable<bigint>): Set<bigint> {
    return new Set([...tokenIds].filter((tokenId) => this.#tokenOf(tokenId) === undefined));
  }

  #keepEarly(transaction: EarlyTransaction): void {
    if (transaction.tokenIds.size === 0) return;
    this.#early.push(transaction);
    if (this.#early.length > MAX_EARLY) this.#early.shift();
  }

  #read(block: WatchedBlock): ShareRecord[] {
    const { conditionalTokens, settlement } = this.#context.addresses;
    const records: ShareRecord[] = [];
    for (const ofTransaction of byTransaction(block.logs.filter(({ address }) => address === conditionalTokens))) {
      // What the settlement contract moves is in the trades.
      const logs = ofTransaction.flatMap((log) => readShareLog(log, settlement) ?? []);
      if (logs.length === 0) continue;
      const { transactionHash } = ofTransaction[0]!;
      records.push(...this.#readTransaction({ block, transactionHash, logs }));
      this.#keepEarly({ block, transactionHash, logs, tokenIds: this.#unknown(tokenIdsIn(logs)) });
    }
    return records;
  }

  #readTransaction({ block, transactionHash, logs }: ShareTransaction): readonly ShareRecord[] {
    const transaction = new TransactionShares(block, transactionHash, this.#context.clock.nowMs());
    for (const log of logs) this.#onLog(log, transaction);
    return transaction.finish();
  }

  #onLog(shareLog: ShareLog, transaction: TransactionShares): void {
    if (shareLog.type === 'transfer') {
      for (const { tokenId, amount } of shareLog.moves) transaction.move(shareLog, this.#tokenOf(tokenId), amount);
      return;
    }
    const { reads } = this.#context;
    const single = reads.market(shareLog.conditionId);
    const markets = single === undefined ? reads.marketsNamed(shareLog.conditionId) : [single];
    // A conversion names no collateral: its event has one.
    if (shareLog.type !== 'conversion' && markets[0]?.facts.stablecoin !== shareLog.collateral) return;
    if (single === undefined) readEventLog(shareLog, markets, transaction);
    else if (shareLog.type === 'redemption') transaction.redeem(shareLog, single);
    else if (shareLog.type !== 'conversion') transaction.convert(shareLog, single.facts.marketId);
  }

  #tokenOf(tokenId: bigint): TokenOf | undefined {
    const name = tokenId.toString();
    for (const { facts } of this.#context.reads.marketsNamed(name)) {
      if (facts.yesTokenId === name) return { marketId: facts.marketId, outcome: YES };
      if (facts.noTokenId === name) return { marketId: facts.marketId, outcome: NO };
    }
    return undefined;
  }

  /** Anybody can make tokens of no market: without a new market they are not looked up again. */
  #hasNewMarkets(): boolean {
    const { marketCount } = this.#context.reads;
    const hasNew = marketCount !== this.#marketsKnown;
    this.#marketsKnown = marketCount;
    return hasNew;
  }
}

function* tokenIdsIn(logs: readonly ShareLog[]): Generator<bigint> {
  for (const log of logs) if (log.type === 'transfer') for (const { tokenId } of log.moves) yield tokenId;
}

function byTransaction(logs: readonly WatchedLog[]): Iterable<WatchedLog[]> {
  const groups = new Map<string, WatchedLog[]>();
  for (const log of logs) {
    const group = groups.get(log.transactionHash);
    if (group === undefined) groups.set(log.transactionHash, [log]);
    else group.push(log);
  }
  return groups.values();
}
