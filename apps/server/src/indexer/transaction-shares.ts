// The shares that one transaction moved, as records: what splits, merges, redemptions and conversions have not claimed was transferred.
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

export interface TokenOf {
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

interface LogPlace {
  readonly wallet: Address;
  readonly logIndex: number;
}

interface Place extends LogPlace {
  readonly marketId: MarketId;
}

/** What a conversion changed of a wallet's shares in one market. */
export interface ShareChange {
  readonly marketId: MarketId;
  readonly yes: bigint;
  readonly no: bigint;
}

const MILLION = 1_000_000;

/** One transaction: the log of a split, merge, redemption or conversion claims what it moved; the rest are just transfers. */
export class TransactionShares {
  readonly #block: WatchedBlock;
  readonly #nowMs: number;
  readonly #unclaimed = new Map<string, Unclaimed>();
  readonly #records: ShareRecord[] = [];
  readonly #txHash: Hex;
  #lastTransfer: number | undefined;

  constructor(block: WatchedBlock, transactionHash: Hex, nowMs: number) {
    this.#block = block;
    this.#txHash = toLowerHex(transactionHash);
    this.#nowMs = nowMs;
  }

  move(log: Extract<ShareLog, { type: 'transfer' }>, token: TokenOf | undefined, amount: bigint): void {
    this.#lastTransfer = log.logIndex;
    if (token === undefined || amount === 0n) return;
    this.#add(log.from, token, -amount, log.logIndex);
    this.#add(log.to, token, amount, log.logIndex);
  }

  /**
   * YES and NO of one market became collateral, or the reverse. The log says how many, and of whom: shares may have moved before it in the same
   * transaction, and those that `splitTo` makes are others'.
   */
  convert(log: Extract<ShareLog, { type: 'split' | 'merge' }>, marketId: MarketId): void {
    const amount = log.type === 'split' ? log.amount : -log.amount;
    if (amount === 0n) return;
    this.#subtract(log, marketId, [amount, amount]);
    this.#records.push({ ...this.#moved({ ...log, marketId }, [amount, amount]), cause: log.type });
  }

  /** Shares of several markets of an event became others. The log says all of it, whether its transfers come before or after. */
  exchange(log: LogPlace, changes: readonly ShareChange[], conversion: Conversion): void {
    for (const { marketId, yes, no } of changes) {
      this.#subtract(log, marketId, [yes, no]);
      this.#records.push({ ...this.#moved({ ...log, marketId }, [yes, no]), cause: 'conversion', conversion });
    }
  }

  redeem(log: Extract<ShareLog, { type: 'redemption' }>, { facts, resolution }: MarketView): void {
    const place = { ...log, marketId: facts.marketId };
    const burned = this.#claim(place);
    if (burned === undefined || resolution === undefined) return;
    this.#redeemed(place, burned.shares, log.payout, resolution);
  }

  /**
   * One redemption may be of several markets of an event: each has its part of the payout, rounded down as the contract does. Answers the part of
   * this market.
   */
  redeemOutcome(log: Extract<ShareLog, { type: 'redemption' }>, { facts, resolution }: MarketView): bigint {
    const place = { ...log, marketId: facts.marketId };
    const sets = indexSetsOf(facts);
    const held = this.#unclaimed.get(keyOf(log.wallet, facts.marketId));
    if (held === undefined || resolution?.payouts === undefined) return 0n;
    const [yes, no] = [0, 1].map((side) => (log.parts.includes(sets[side]!) ? held.shares[side]! : 0n)) as [
      bigint,
      bigint,
    ];
    if (yes === 0n && no === 0n) return 0n;
    held.shares[0] -= yes;
    held.shares[1] -= no;
    const payout = payoutOf([-yes, -no], resolution);
    this.#redeemed(place, [yes, no], payout, resolution);
    return payout;
  }

  finish(): readonly ShareRecord[] {
    for (const left of this.#unclaimed.values()) {
      const [yes, no] = left.shares;
      if (yes !== 0n || no !== 0n) this.#records.push({ ...this.#moved(left, left.shares), cause: 'transfer' });
    }
    return this.#records;
  }

  #redeemed(place: Place, [yes, no]: readonly [bigint, bigint], payout: bigint, resolution: MarketResolution): void {
    this.#records.push({
      ...this.#head(place),
      type: 'payout-redeemed',
      yesShares: (-yes).toString(),
      noShares: (-no).toString(),
      payout: payout.toString(),
      winningOutcome: toClaimOutcome(resolution),
    });
  }

  #add(wallet: Address, { marketId, outcome }: TokenOf, amount: bigint, logIndex: number): void {
    if (wallet === ZERO_ADDRESS) return;
    const unclaimed = this.#unclaimedOf(wallet, marketId, logIndex);
    unclaimed.shares[outcome === YES ? 0 : 1] += amount;
    // The log of a transfer: what is left has another place than the conversions of the same market.
    unclaimed.logIndex = logIndex;
  }

  /** What is left then has the place of a transfer, and never the log's own. */
  #subtract({ wallet, logIndex }: LogPlace, marketId: MarketId, [yes, no]: readonly [bigint, bigint]): void {
    const unclaimed = this.#unclaimedOf(wallet, marketId, this.#lastTransfer ?? logIndex);
    unclaimed.shares[0] -= yes;
    unclaimed.shares[1] -= no;
  }

  #unclaimedOf(wallet: Address, marketId: MarketId, logIndex: number): Unclaimed {
    const key = keyOf(wallet, marketId);
    const unclaimed = this.#unclaimed.get(key) ?? { wallet, marketId, shares: [0n, 0n], logIndex };
    this.#unclaimed.set(key, unclaimed);
    return unclaimed;
  }

  #claim({ wallet, marketId }: { wallet: Address; marketId: MarketId }): Unclaimed | undefined {
    const key = keyOf(wallet, marketId);
    const claimed = this.#unclaimed.get(key);
    this.#unclaimed.delete(key);
    return claimed;
  }

  #moved(place: Place, [yes, no]: readonly [bigint, bigint]) {
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

function payoutOf(
  [yes, no]: readonly [bigint, bigint],
  { payouts, payoutDenominator = MILLION }: MarketResolution,
): bigint {
  const [ofYes, ofNo] = payouts ?? [0, 0];
  return (yes * BigInt(ofYes)) / BigInt(payoutDenominator) + (no * BigInt(ofNo)) / BigInt(payoutDenominator);
}
