// Follows shares that move without a trade: transfers, splits, merges, redemptions and conversions by anyone.
import type { LogFilter, WatchedBlock, WatchedLog } from '@presage/chain';
import type { MarketView } from '@presage/engine';
import { type Hex, type MarketId, NO, YES } from '@presage/protocol';
import type { ChainContext } from '../chains/chain-context.ts';
import { readEventLog } from './event-shares.ts';
import { readShareLog, SHARE_TOPICS, type ShareLog } from './share-logs.ts';
import { type ShareBlock, type ShareRecord, type TokenOf, TransactionShares } from './transaction-shares.ts';
import type { FactWriter } from './viem-logs.ts';

interface ShareTransaction {
  readonly block: ShareBlock;
  readonly transactionHash: Hex;
  readonly logs: readonly ShareLog[];
}

interface EarlyTransaction extends ShareTransaction {
  /** Tokens and conditions without a listed market. */
  readonly names: ReadonlySet<string>;
}

const TOP_LEVEL = `0x${'00'.repeat(32)}`;
/** Bounds memory for tokens that may never get a market; one transaction may have thousands. The oldest transactions are dropped. */
const MAX_EARLY_MOVES = 100_000;
/** Time in which a market is listed after its creation, or never: quick markets are created two minutes ahead. */
const LISTED_WITHIN_SECONDS = 300;

/** Records to write, and transactions that may get a market later. */
interface Told {
  readonly records: (readonly ShareRecord[])[];
  readonly early: EarlyTransaction[];
}

export class ShareFollower {
  readonly #context: ChainContext;
  /** Market count at the last check of the early transactions. */
  #marketsKnown = 0;
  /** Transactions that moved tokens without a listed market. */
  #early: EarlyTransaction[] = [];
  #earlyMoves = 0;

  constructor(context: ChainContext) {
    this.#context = context;
  }

  get filters(): LogFilter[] {
    return [{ addresses: [this.#context.chain.contracts.conditionalTokens], topics: [SHARE_TOPICS] }];
  }

  /** Also returns moves of shares of a market that was listed since. */
  read(block: WatchedBlock): FactWriter | undefined {
    this.#forgetFrom(block.blockNumber);
    return this.#toWriter(this.#read(block));
  }

  /** Facts of markets that were listed without a new block. */
  readLate(): FactWriter | undefined {
    return this.#toWriter({ records: [], early: [] });
  }

  /** Oldest block whose shares may still get their market. */
  waitsSince(timestamp: number): number | undefined {
    const waiting = this.#early.find(({ block }) => timestamp - block.timestamp < LISTED_WITHIN_SECONDS);
    return waiting?.block.blockNumber;
  }

  /** Forgets transactions of blocks above `toBlock`, which left the chain. */
  async rewind(toBlock: number): Promise<void> {
    this.#forgetFrom(toBlock + 1);
  }

  /** Also a block of which something else was refused comes again. */
  #forgetFrom(blockNumber: number): void {
    if ((this.#early.at(-1)?.block.blockNumber ?? -1) < blockNumber) return;
    this.#replaceEarly(this.#early.filter(({ block }) => block.blockNumber < blockNumber));
  }

  /** Reads the early transactions of markets that were listed since: shares may move between a market's creation and its listing. */
  #readListed(): Told {
    const told: Told = { records: [], early: [] };
    for (const transaction of this.#early) {
      const { names } = transaction;
      const listed = new Set([...names].flatMap((name) => this.#marketsOf(name)));
      told.early.push(listed.size === 0 ? transaction : { ...transaction, names: this.#unknown(names) });
      if (listed.size === 0) continue;
      told.records.push(this.#readTransaction(transaction).filter(({ marketId }) => listed.has(marketId)));
    }
    return told;
  }

  /**
   * Writes all share records of a transaction at once: between the halves of a conversion nobody holds anything. A failed write is
   * repeated, so nothing counts as done before it is written.
   */
  #toWriter({ records, early }: Told): FactWriter | undefined {
    const { marketCount } = this.#context.reads;
    // Anybody can create tokens without a market, so they are looked up again only if there is a new market.
    const isNew = this.#early.length > 0 && marketCount !== this.#marketsKnown;
    const listed = isNew ? this.#readListed() : undefined;
    const all = [...(listed?.records ?? []), ...records].filter(({ length }) => length > 0);
    const onWritten = () => {
      this.#marketsKnown = marketCount;
      if (listed !== undefined) this.#replaceEarly(listed.early);
      for (const transaction of early) this.#keepEarly(transaction);
    };
    if (all.length === 0) {
      onWritten();
      return undefined;
    }
    return async () => {
      for (const each of all) await this.#context.note(...each);
      onWritten();
    };
  }

  #unknown(names: Iterable<string>): Set<string> {
    return new Set([...names].filter((name) => this.#marketsOf(name).length === 0));
  }

  /** The market of a token, or the listed markets of a condition's event. */
  #marketsOf(name: string): MarketId[] {
    const token = this.#tokenOf(name);
    if (token !== undefined) return [token.marketId];
    return this.#context.reads.marketsNamed(name).map(({ facts }) => facts.marketId);
  }

  #keepEarly(transaction: EarlyTransaction): void {
    if (transaction.names.size === 0) return;
    this.#early.push(transaction);
    this.#earlyMoves += countMoves(transaction);
    while (this.#earlyMoves > MAX_EARLY_MOVES) this.#earlyMoves -= countMoves(this.#early.shift()!);
  }

  #replaceEarly(transactions: readonly EarlyTransaction[]): void {
    this.#early = [];
    this.#earlyMoves = 0;
    for (const transaction of transactions) this.#keepEarly(transaction);
  }

  #read({ blockNumber, blockHash, timestamp, logs: all }: WatchedBlock): Told {
    const { conditionalTokens, settlement } = this.#context.addresses;
    const told: Told = { records: [], early: [] };
    // Without the block's logs, since an early transaction is kept for a long time.
    const block = { blockNumber, blockHash, timestamp };
    for (const ofTransaction of byTransaction(all.filter(({ address }) => address === conditionalTokens))) {
      // `readShareLog` skips moves by the settlement contract, which are in the trades.
      const logs = ofTransaction.flatMap((log) => readShareLog(log, settlement) ?? []);
      if (logs.length === 0) continue;
      const { transactionHash } = ofTransaction[0]!;
      told.records.push(this.#readTransaction({ block, transactionHash, logs }));
      told.early.push({ block, transactionHash, logs, names: this.#unknown(namesIn(logs)) });
    }
    return told;
  }

  #readTransaction({ block, transactionHash, logs }: ShareTransaction): readonly ShareRecord[] {
    const transaction = new TransactionShares(block, transactionHash, this.#context.clock.nowMs());
    for (const log of logs) this.#onLog(log, transaction);
    return transaction.finish();
  }

  #onLog(shareLog: ShareLog, transaction: TransactionShares): void {
    if (shareLog.type === 'transfer') {
      for (const { tokenId, amount } of shareLog.moves)
        transaction.move(shareLog, this.#tokenOf(tokenId.toString()), amount);
      return;
    }
    const { reads } = this.#context;
    const single = reads.market(shareLog.conditionId);
    const markets = single === undefined ? reads.marketsNamed(shareLog.conditionId) : [single];
    if (shareLog.type !== 'conversion' && !isOfMarkets(shareLog, markets)) return;
    if (single === undefined) readEventLog(shareLog, markets, transaction);
    else if (shareLog.type === 'redemption') transaction.redeem(shareLog, single);
    else if (shareLog.type !== 'conversion') transaction.convert(shareLog, single.facts.marketId);
  }

  #tokenOf(name: string): TokenOf | undefined {
    for (const { facts } of this.#context.reads.marketsNamed(name)) {
      if (facts.yesTokenId === name) return { marketId: facts.marketId, outcome: YES };
      if (facts.noTokenId === name) return { marketId: facts.marketId, outcome: NO };
    }
    return undefined;
  }
}

/**
 * Whether a log is about market positions: other tokens may be collateral of the same condition, and so may positions on other conditions.
 * A conversion names neither, since its event has one collateral.
 */
function isOfMarkets(
  log: Exclude<ShareLog, { type: 'transfer' | 'conversion' }>,
  markets: readonly MarketView[],
): boolean {
  return log.parent === TOP_LEVEL && markets[0]?.facts.stablecoin === log.collateral;
}

function* namesIn(logs: readonly ShareLog[]): Generator<string> {
  for (const log of logs) {
    if (log.type === 'transfer') {
      for (const { tokenId, amount } of log.moves) if (amount > 0n) yield tokenId.toString();
    } else yield log.conditionId;
  }
}

/** Counts moves and index sets, since a log may have thousands of either. */
function countMoves({ logs }: ShareTransaction): number {
  return logs.reduce((count, log) => {
    if (log.type === 'conversion') return count + 1;
    return count + (log.type === 'transfer' ? log.moves : log.parts).length;
  }, 0);
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
