// Converts the share moves of one transaction to records: moves that no split, merge, redemption or conversion claims are transfers.
import type { WatchedBlock } from '@presage/chain';
import type { MarketView } from '@presage/engine';
import {
  type Address,
  type Conversion,
  type Hex,
  indexSetsOf,
  type MarketId,
  type MarketResolution,
  type Outcome,
  type PayoutRedeemed,
  type SharesMoved,
  toClaimOutcome,
  toLowerHex,
  YES,
  ZERO_ADDRESS,
} from '@presage/protocol';
import type { ShareLog } from './share-logs.ts';

export type ShareRecord = SharesMoved | PayoutRedeemed;

export type ShareBlock = Pick<WatchedBlock, 'blockNumber' | 'blockHash' | 'timestamp'>;
type RedemptionLog = Extract<ShareLog, { type: 'redemption' }>;
type Shares = readonly [yes: bigint, no: bigint];

export interface TokenOf {
  readonly marketId: MarketId;
  readonly outcome: Outcome;
}

/** Moves of one wallet's shares in one market by one transaction, as far as no event has claimed them yet. */
interface Unclaimed {
  readonly wallet: Address;
  readonly marketId: MarketId;
  readonly shares: [yes: bigint, no: bigint];
  /** Last burned amount of each outcome. */
  readonly burned: [yes: bigint, no: bigint];
  logIndex: number;
}

interface LogPlace {
  readonly wallet: Address;
  readonly logIndex: number;
}

interface Place extends LogPlace {
  readonly marketId: MarketId;
}

/** Change of a wallet's shares in one market by a conversion. */
export interface ShareChange {
  readonly marketId: MarketId;
  readonly yes: bigint;
  readonly no: bigint;
}

const MILLION = 1_000_000;

/** Share moves of one transaction: the log of a split, merge, redemption or conversion claims its moves; the rest are transfers. */
export class TransactionShares {
  readonly #block: ShareBlock;
  readonly #nowMs: number;
  readonly #unclaimed = new Map<string, Unclaimed>();
  readonly #records: ShareRecord[] = [];
  readonly #txHash: Hex;
  #lastTransfer: number | undefined;

  constructor(block: ShareBlock, transactionHash: Hex, nowMs: number) {
    this.#block = block;
    this.#txHash = toLowerHex(transactionHash);
    this.#nowMs = nowMs;
  }

  move(log: Extract<ShareLog, { type: 'transfer' }>, token: TokenOf | undefined, amount: bigint): void {
    this.#lastTransfer = log.logIndex;
    if (token === undefined || amount === 0n) return;
    const from = this.#add(log.from, token, -amount, log.logIndex);
    this.#add(log.to, token, amount, log.logIndex);
    if (log.to === ZERO_ADDRESS && from !== undefined) from.burned[sideOf(token)] = amount;
  }

  /**
   * Records a split or merge of YES and NO. Amount and wallet are taken from its log: shares may have moved before it in the same
   * transaction, and those that `splitTo` makes belong to others.
   */
  convert(log: Extract<ShareLog, { type: 'split' | 'merge' }>, marketId: MarketId): void {
    const amount = log.type === 'split' ? log.amount : -log.amount;
    if (amount === 0n) return;
    this.#subtract(log, marketId, [amount, amount]);
    this.#records.push({ ...this.#moved({ ...log, marketId }, [amount, amount]), cause: log.type });
  }

  /** Records a conversion between markets of an event. Its log has all amounts, whether its transfers come before or after. */
  exchange(log: LogPlace, changes: readonly ShareChange[], conversion: Conversion): void {
    for (const { marketId, yes, no } of changes) {
      this.#subtract(log, marketId, [yes, no]);
      this.#records.push({ ...this.#moved({ ...log, marketId }, [yes, no]), cause: 'conversion', conversion });
    }
  }

  redeem(log: RedemptionLog, { facts, resolution }: MarketView): void {
    const burned = this.#burnedBy(log, facts);
    if (burned !== undefined && resolution !== undefined) {
      this.#redeemed({ ...log, marketId: facts.marketId }, burned, log.payout, resolution);
    }
  }

  /**
   * Records the part of a redemption that belongs to one market of an event: a redemption may span several, and each has its part of the
   * payout, rounded down as the contract does. Returns this market's part, at most `left`.
   */
  redeemOutcome(log: RedemptionLog, { facts, resolution }: MarketView, left: bigint): bigint {
    const burned = this.#burnedBy(log, facts);
    if (burned === undefined || resolution?.payouts === undefined) return 0n;
    const payout = payoutOf(burned, resolution);
    if (payout > left) return 0n;
    this.#redeemed({ ...log, marketId: facts.marketId }, burned, payout, resolution);
    return payout;
  }

  finish(): readonly ShareRecord[] {
    for (const left of this.#unclaimed.values()) {
      const [yes, no] = left.shares;
      if (yes !== 0n || no !== 0n) this.#records.push({ ...this.#moved(left, left.shares), cause: 'transfer' });
    }
    return this.#records;
  }

  /** Shares that a redemption burned: all that its wallet has of each part, right before its log. Shares may have moved earlier in the same transaction. */
  #burnedBy({ wallet, parts }: RedemptionLog, facts: MarketView['facts']): Shares | undefined {
    const known = this.#unclaimed.get(keyOf(wallet, facts.marketId));
    if (known === undefined) return undefined;
    const [yesSet, noSet] = indexSetsOf(facts);
    const [yes, no] = known.burned;
    const burned: Shares = [parts.includes(yesSet) ? yes : 0n, parts.includes(noSet) ? no : 0n];
    return burned[0] === 0n && burned[1] === 0n ? undefined : burned;
  }

  #redeemed(place: Place, [yes, no]: Shares, payout: bigint, resolution: MarketResolution): void {
    this.#subtract(place, place.marketId, [-yes, -no]);
    this.#records.push({
      ...this.#head(place),
      type: 'payout-redeemed',
      yesShares: yes.toString(),
      noShares: no.toString(),
      payout: payout.toString(),
      winningOutcome: toClaimOutcome(resolution),
    });
  }

  #add(wallet: Address, token: TokenOf, amount: bigint, logIndex: number): Unclaimed | undefined {
    if (wallet === ZERO_ADDRESS) return undefined;
    const unclaimed = this.#unclaimedOf(wallet, token.marketId, logIndex);
    unclaimed.shares[sideOf(token)] += amount;
    // Uses the index of the transfer's log, so that what is left unclaimed does not share an index with conversions of the market.
    unclaimed.logIndex = logIndex;
    return unclaimed;
  }

  /** Claims moved shares. What is left unclaimed keeps the log index of a transfer, never that of the claiming log. */
  #subtract({ wallet, logIndex }: LogPlace, marketId: MarketId, [yes, no]: Shares): void {
    const unclaimed = this.#unclaimedOf(wallet, marketId, this.#lastTransfer ?? logIndex);
    unclaimed.shares[0] -= yes;
    unclaimed.shares[1] -= no;
    unclaimed.burned.fill(0n);
  }

  #unclaimedOf(wallet: Address, marketId: MarketId, logIndex: number): Unclaimed {
    const key = keyOf(wallet, marketId);
    const unclaimed = this.#unclaimed.get(key) ?? { wallet, marketId, shares: [0n, 0n], burned: [0n, 0n], logIndex };
    this.#unclaimed.set(key, unclaimed);
    return unclaimed;
  }

  #moved(place: Place, [yes, no]: Shares) {
    const shares = { yesShares: yes.toString(), noShares: no.toString() };
    return { ...this.#head(place), type: 'shares-moved' as const, ...shares };
  }

  #head({ wallet, marketId, logIndex }: Place) {
    const { blockNumber, blockHash, timestamp } = this.#block;
    const place = { txHash: this.#txHash, logIndex, blockNumber, blockHash: toLowerHex(blockHash), timestamp };
    return { timeMs: this.#nowMs, marketId, userAddress: wallet, ...place };
  }
}

function keyOf(wallet: Address, marketId: MarketId): string {
  return `${wallet}/${marketId}`;
}

function sideOf({ outcome }: TokenOf): 0 | 1 {
  return outcome === YES ? 0 : 1;
}

function payoutOf([yes, no]: Shares, { payouts, payoutDenominator = MILLION }: MarketResolution): bigint {
  const [ofYes, ofNo] = payouts ?? [0, 0];
  return (yes * BigInt(ofYes)) / BigInt(payoutDenominator) + (no * BigInt(ofNo)) / BigInt(payoutDenominator);
}
