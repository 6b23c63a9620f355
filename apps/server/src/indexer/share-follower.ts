// Follows shares that move without a trade: transfers, splits, merges and redemptions, no matter who sent them.
import type { LogFilter, WatchedBlock, WatchedLog } from '@presage/chain';
import type { MarketView } from '@presage/engine';
import {
  type Address,
  type Hex,
  type MarketId,
  NO,
  type Outcome,
  type PayoutRedeemed,
  type SharesMoved,
  toClaimOutcome,
  toLowerHex,
  YES,
  ZERO_ADDRESS,
} from '@presage/protocol';
import type { ChainContext } from '../chains/chain-context.ts';
import { readShareLog, SHARE_TOPICS, type ShareLog } from './share-logs.ts';
import type { FactWriter } from './viem-logs.ts';

interface TokenOf {
  readonly marketId: MarketId;
  readonly outcome: Outcome;
}

/** What one transaction has moved so far of one wallet's shares in one market, and no event has claimed yet. */
interface Unclaimed {
  readonly wallet: Address;
  readonly marketId: MarketId;
  readonly shares: [yes: bigint, no: bigint];
  logIndex: number;
}

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
  #listedSince(): (SharesMoved | PayoutRedeemed)[] {
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

  #toWriter(records: readonly (SharesMoved | PayoutRedeemed)[]): FactWriter | undefined {
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

  #read(block: WatchedBlock): (SharesMoved | PayoutRedeemed)[] {
    const { conditionalTokens, settlement } = this.#context.addresses;
    const records: (SharesMoved | PayoutRedeemed)[] = [];
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

  #readTransaction({ block, transactionHash, logs }: ShareTransaction): readonly (SharesMoved | PayoutRedeemed)[] {
    const transaction = new TransactionShares(block, transactionHash, this.#context.clock.nowMs());
    for (const log of logs) this.#onLog(log, transaction);
    return transaction.finish();
  }

  #onLog(shareLog: ShareLog, transaction: TransactionShares): void {
    if (shareLog.type === 'transfer') {
      for (const { tokenId, amount } of shareLog.moves) transaction.move(shareLog, this.#tokenOf(tokenId), amount);
      return;
    }
    const market = this.#context.reads.market(shareLog.marketId);
    if (market?.facts.stablecoin !== shareLog.collateral) return;
    if (shareLog.type === 'redemption') transaction.redeem(shareLog, market);
    else transaction.convert(shareLog);
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

/** One transaction: an event of a split, merge or redemption claims the transfers before it; the rest are just transfers. */
class TransactionShares {
  readonly #block: WatchedBlock;
  readonly #nowMs: number;
  readonly #unclaimed = new Map<string, Unclaimed>();
  readonly #records: (SharesMoved | PayoutRedeemed)[] = [];
  readonly #txHash: Hex;

  constructor(block: WatchedBlock, transactionHash: Hex, nowMs: number) {
    this.#block = block;
    this.#txHash = toLowerHex(transactionHash);
    this.#nowMs = nowMs;
  }

  move(log: Extract<ShareLog, { type: 'transfer' }>, token: TokenOf | undefined, amount: bigint): void {
    if (token === undefined || amount === 0n) return;
    this.#add(log.from, token, -amount, log.logIndex);
    this.#add(log.to, token, amount, log.logIndex);
  }

  convert(log: Extract<ShareLog, { type: 'split' | 'merge' }>): void {
    const { shares } = this.#unclaimed.get(keyOf(log.wallet, log.marketId)) ?? { shares: [0n, 0n] };
    const amount = log.type === 'split' ? log.amount : -log.amount;
    if (amount === 0n || shares[0] !== amount || shares[1] !== amount) return;
    this.#claim(log);
    this.#records.push({ ...this.#moved(log, shares), cause: log.type });
  }

  redeem(log: Extract<ShareLog, { type: 'redemption' }>, { resolution }: MarketView): void {
    const burned = this.#claim(log);
    if (burned === undefined || resolution === undefined) return;
    const [yes, no] = burned.shares;
    this.#records.push({
      ...this.#head(log),
      type: 'payout-redeemed',
      yesShares: (-yes).toString(),
      noShares: (-no).toString(),
      payout: log.payout.toString(),
      winningOutcome: toClaimOutcome(resolution),
    });
  }

  finish(): readonly (SharesMoved | PayoutRedeemed)[] {
    for (const left of this.#unclaimed.values()) {
      const [yes, no] = left.shares;
      if (yes !== 0n || no !== 0n) this.#records.push({ ...this.#moved(left, left.shares), cause: 'transfer' });
    }
    return this.#records;
  }

  #add(wallet: Address, { marketId, outcome }: TokenOf, amount: bigint, logIndex: number): void {
    if (wallet === ZERO_ADDRESS) return;
    const key = keyOf(wallet, marketId);
    const unclaimed = this.#unclaimed.get(key) ?? { wallet, marketId, shares: [0n, 0n], logIndex };
    this.#unclaimed.set(key, unclaimed);
    unclaimed.shares[outcome === YES ? 0 : 1] += amount;
    unclaimed.logIndex = logIndex;
  }

  #claim({ wallet, marketId }: { wallet: Address; marketId: MarketId }): Unclaimed | undefined {
    const key = keyOf(wallet, marketId);
    const claimed = this.#unclaimed.get(key);
    this.#unclaimed.delete(key);
    return claimed;
  }

  #moved(place: { wallet: Address; marketId: MarketId; logIndex: number }, [yes, no]: readonly [bigint, bigint]) {
    const shares = { yesShares: yes.toString(), noShares: no.toString() };
    return { ...this.#head(place), type: 'shares-moved' as const, ...shares };
  }

  #head({ wallet, marketId, logIndex }: { wallet: Address; marketId: MarketId; logIndex: number }) {
    const { blockNumber, blockHash, timestamp } = this.#block;
    const place = { txHash: this.#txHash, logIndex, blockNumber, blockHash: toLowerHex(blockHash), timestamp };
    return { timeMs: this.#nowMs, marketId, userAddress: wallet, ...place };
  }
}

function keyOf(wallet: Address, marketId: MarketId): string {
  return `${wallet}/${marketId}`;
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
