// Average cost, mint on sale and share events, by example and over random histories.
import {
  BUY,
  fillFees,
  NO,
  type Outcome,
  type Price,
  SELL,
  type Side,
  type Size,
  toPrice,
  toSize,
  YES,
} from '@presage/protocol';
import { isLongRun, SeededRandom, seedFromEnv } from '@presage/testkit';
import { describe, expect, it } from 'vitest';
import {
  applyFill,
  EMPTY_POSITION,
  type Fill,
  feesOfSide,
  type Position,
} from '../../src/projections/positions/position-accounting.ts';
import {
  type FillFact,
  GrowingPosition,
  replayPosition,
  type ShareFact,
  type SyncFact,
} from '../../src/projections/positions/position-replay.ts';
import { applyMove, type ShareMove } from '../../src/projections/positions/share-moves.ts';

const SEED = seedFromEnv(7);
const HISTORIES = isLongRun ? 2_000 : 100;

interface ShareEvents {
  readonly price: number;
  readonly size: number;
  readonly outcome?: Outcome;
  readonly minted?: bigint;
}

const fill = (side: Side, { price, size, outcome = YES, minted }: ShareEvents): Fill => ({
  side,
  outcome,
  price: toPrice(price),
  size: toSize(size),
  ...(minted !== undefined && { minted }),
});
const buy = (shareEvents: ShareEvents) => fill(BUY, shareEvents);
const sell = (shareEvents: ShareEvents) => fill(SELL, shareEvents);

function after(...fills: Fill[]): Position {
  return fills.reduce((position, each) => applyFill(position, each).position, EMPTY_POSITION);
}

function inNumbers({ yes, no, realizedPnl }: Position) {
  const of = ({ shares, cost, revenue }: Position['yes']) => [shares, cost, revenue].map(Number);
  return { yes: of(yes), no: of(no), pnl: Number(realizedPnl) };
}

describe('the accounting of a position', () => {
  it('adds what a buy costs, rounded up', () => {
    expect(inNumbers(after(buy({ price: 333_333, size: 10 })))).toEqual({ yes: [10, 4, 0], no: [0, 0, 0], pnl: 0 });
  });

  it('adds the fee of a taker to what a buy costs, takes it from what a sale brings, and realizes a rebate', () => {
    const taken = { ...buy({ price: 500_000, size: 100 }), fee: 2n };
    expect(inNumbers(after(taken))).toEqual({ yes: [100, 52, 0], no: [0, 0, 0], pnl: 0 });
    const sold = { ...sell({ price: 500_000, size: 100 }), fee: 2n };
    expect(inNumbers(after(taken, sold))).toEqual({ yes: [0, 0, 48], no: [0, 0, 0], pnl: -4 });
    // Without shares all of the fee is part of what the complement cost; with a half of them, a half of it.
    expect(inNumbers(after(sold))).toEqual({ yes: [0, 0, 0], no: [100, 52, 0], pnl: 0 });
    const half = after(buy({ price: 500_000, size: 50 }), sold);
    expect(inNumbers(half)).toEqual({ yes: [0, 0, 24], no: [50, 26, 0], pnl: -1 });
    const made = { ...buy({ price: 500_000, size: 100 }), rebate: 1n };
    expect(inNumbers(after(made))).toEqual({ yes: [100, 50, 1], no: [0, 0, 0], pnl: 1 });
  });

  it('takes cost out of a sale in proportion, rounded down, and realizes the rest', () => {
    const bought = [buy({ price: 500_000, size: 2 }), buy({ price: 900_000, size: 1 })];
    // 3 shares cost 1 + 1 = 2; one of them takes floor(2 / 3) = 0.
    expect(inNumbers(after(...bought, sell({ price: 600_000, size: 1 })))).toEqual({
      yes: [2, 2, 1],
      no: [0, 0, 0],
      pnl: 1,
    });
  });

  it('lets the last share take all the cost that is left', () => {
    const bought = buy({ price: 999_999, size: 7 });
    const sold = after(bought, sell({ price: 1, size: 3 }), sell({ price: 1, size: 4 }));
    expect(inNumbers(sold)).toEqual({ yes: [0, 0, 2], no: [0, 0, 0], pnl: 2 - 7 });
  });

  it('shows a sale without shares as its mint: the complement, at what was paid in minus the proceeds', () => {
    const sold = after(sell({ price: 600_000, size: 1_000_001 }));
    expect(inNumbers(sold)).toEqual({ yes: [0, 0, 0], no: [1_000_001, 1_000_001 - 600_001, 0], pnl: 0 });
  });

  it('splits the proceeds of a sale partly from holding: the minted part by the money rule, the rest to the held part', () => {
    const sold = after(buy({ price: 500_000, size: 4 }), sell({ price: 300_001, size: 10 }));
    // Proceeds ceil(3.00001) = 4, of which ceil(6 x 0.300001) = 2 are the minted part's.
    expect(inNumbers(sold)).toEqual({ yes: [0, 0, 2], no: [6, 4, 0], pnl: 0 });
  });

  it('mints of NO give YES', () => {
    expect(inNumbers(after(sell({ price: 250_000, size: 4, outcome: NO })))).toEqual({
      yes: [4, 3, 0],
      no: [0, 0, 0],
      pnl: 0,
    });
  });

  it('follows the chain about a mint: shares that the contract did not take are still there', () => {
    const bought = buy({ price: 500_000, size: 10 });
    const unapproved = after(bought, sell({ price: 500_000, size: 8, minted: 8n }));
    expect(inNumbers(unapproved)).toEqual({ yes: [10, 5, 0], no: [8, 4, 0], pnl: 0 });
    // Two of our 10 were sold for ceil(4) - ceil(3) = 1, and took floor(5 x 2 / 10) = 1 of the cost along.
    const partly = after(bought, sell({ price: 500_000, size: 8, minted: 6n }));
    expect(inNumbers(partly)).toEqual({ yes: [8, 4, 1], no: [6, 3, 0], pnl: 0 });
  });

  it('lets shares that were sold before they came make up for the sale: what they cost is lost from the profit', () => {
    const bought = buy({ price: 500_000, size: 10 });
    const ahead = after(bought, sell({ price: 500_000, size: 16, minted: 0n }));
    expect(inNumbers(ahead)).toEqual({ yes: [-6, 0, 8], no: [0, 0, 0], pnl: 3 });
    const madeUp = applyFill(ahead, buy({ price: 400_000, size: 10 })).position;
    // Six of the ten, which cost 4: floor(4 x 6 / 10) = 2 are lost.
    expect(inNumbers(madeUp)).toEqual({ yes: [4, 2, 8], no: [0, 0, 0], pnl: 1 });
    const notYet = applyFill(ahead, sell({ price: 500_000, size: 2 }));
    expect([notYet.minted, inNumbers(notYet.position).yes]).toEqual([2n, [-6, 0, 8]]);
  });

  it('stays exact where doubles end', () => {
    const huge = Number.MAX_SAFE_INTEGER;
    const position = after(buy({ price: 999_999, size: huge }), buy({ price: 999_999, size: huge }));
    const cost = (999_999n * BigInt(huge) + 999_999n) / 1_000_000n;
    expect(position.yes).toEqual({ shares: 2n * BigInt(huge), cost: 2n * cost, revenue: 0n });
  });
});

describe('a replayed position', () => {
  const fact = (seq: number, of: Fill, minedAt?: number): FillFact => ({
    ...of,
    seq,
    ...(minedAt !== undefined && { minedAt }),
  });
  const sync = (seq: number, blockNumber: number, yes: number, no = 0): SyncFact => ({
    seq,
    cause: 'sync',
    blockNumber,
    yesShares: BigInt(yes),
    noShares: BigInt(no),
  });
  const bought = buy({ price: 500_000, size: 10 });

  it('replaces the settled part by the balances at the block and keeps trades not mined there', () => {
    const fills = [fact(1, bought, 5), fact(2, bought, 6), fact(3, bought)];
    const { position } = replayPosition({ fills, shareEvents: [sync(4, 5, 10)] });
    expect(inNumbers(position)).toEqual({ yes: [30, 15, 0], no: [0, 0, 0], pnl: 0 });
  });

  it('lets unexplained shares arrive at cost 0', () => {
    const { position } = replayPosition({ fills: [fact(1, bought, 5)], shareEvents: [sync(2, 5, 25, 3)] });
    expect(inNumbers(position)).toEqual({ yes: [25, 5, 0], no: [3, 0, 0], pnl: 0 });
  });

  it('lets missing shares leave with their part of the cost and no profit', () => {
    const { position } = replayPosition({ fills: [fact(1, bought, 5)], shareEvents: [sync(2, 5, 4)] });
    expect(inNumbers(position)).toEqual({ yes: [4, 2, 0], no: [0, 0, 0], pnl: 0 });
  });

  it('counts a fill that came after the sync on top of it, whatever block it says', () => {
    const { position } = replayPosition({ fills: [fact(3, bought, 5)], shareEvents: [sync(2, 5, 1)] });
    expect(inNumbers(position)).toEqual({ yes: [11, 5, 0], no: [0, 0, 0], pnl: 0 });
  });

  it('computes a pending sale again from the shares on chain', () => {
    const sale = sell({ price: 500_000, size: 10 });
    const { position, minted } = replayPosition({
      fills: [fact(1, bought, 5), fact(2, sale)],
      shareEvents: [sync(3, 5, 4)],
    });
    expect(minted).toEqual(new Map([[2, 6n]]));
    expect(inNumbers(position)).toEqual({ yes: [0, 0, 2], no: [6, 3, 0], pnl: 0 });
  });
});

describe('a growing position', () => {
  it('is at any time what a replay makes of its facts so far', () => {
    for (let seed = SEED; seed < SEED + HISTORIES; seed++) {
      const random = new SeededRandom(seed);
      const growing = new GrowingPosition();
      const fills: FillFact[] = [];
      const shareEvents: ShareFact[] = [];
      for (let seq = 1; seq <= 30; seq++) {
        if (random.int(0, 2) > 0) {
          const terms = {
            price: random.int(1, 999_999),
            size: random.int(1, 50),
            outcome: random.pick([YES, NO] as const),
          };
          const isMined = random.int(0, 3) > 0;
          const fact = { ...(random.int(0, 1) === 0 ? buy(terms) : sell(terms)), seq };
          fills.push(isMined ? { ...fact, minedAt: random.int(1, 10) } : fact);
          growing.addFill(fills.at(-1)!);
        } else {
          const blockNumber = random.int(1, 10);
          const shares = { yesShares: BigInt(random.int(0, 40)), noShares: BigInt(random.int(0, 40)) };
          const head = { seq, blockNumber, ...shares };
          const isRead = random.int(0, 1) === 0;
          const moved = { cause: 'transfer', payout: 0n, winningOutcome: null } as const;
          shareEvents.push(isRead ? { ...head, cause: 'sync' } : { ...head, ...moved });
          growing.addShareEvent(shareEvents.at(-1)!);
        }
        const { position } = replayPosition({ fills, shareEvents });
        expect(growing.position, `seed ${seed}, fact ${seq}`).toEqual(position);
      }
    }
  });
});

describe('shares that moved without a trade', () => {
  const bought = buy({ price: 300_000, size: 10 });
  const moved = (move: Partial<ShareMove>) =>
    inNumbers(
      applyMove(after(bought), {
        cause: 'transfer',
        yesShares: 0n,
        noShares: 0n,
        payout: 0n,
        winningOutcome: null,
        ...move,
      }),
    );

  it('arrive at cost 0 and leave with their part of the cost, and nothing is realized', () => {
    expect(moved({ yesShares: 5n, noShares: 2n })).toEqual({ yes: [15, 3, 0], no: [2, 0, 0], pnl: 0 });
    expect(moved({ yesShares: -4n })).toEqual({ yes: [6, 2, 0], no: [0, 0, 0], pnl: 0 });
  });

  it('cost what was split, half each, and bring what was merged', () => {
    expect(moved({ cause: 'split', yesShares: 7n, noShares: 7n })).toEqual({ yes: [17, 6, 0], no: [7, 4, 0], pnl: 0 });
    const position = applyMove(after(bought, buy({ price: 500_000, size: 10, outcome: NO })), {
      cause: 'merge',
      yesShares: -5n,
      noShares: -5n,
      payout: 0n,
      winningOutcome: null,
    });
    // Five pairs bring 5 and take floor(3 x 5 / 10) + floor(5 x 5 / 10) = 3 of the cost along.
    expect(inNumbers(position)).toEqual({ yes: [5, 2, 2], no: [5, 3, 3], pnl: 2 });
  });

  it('bring the payout when they are redeemed: the winner all of it, the loser nothing', () => {
    const won = moved({ cause: 'redemption', yesShares: -10n, payout: 10n, winningOutcome: YES });
    expect(won).toEqual({ yes: [0, 0, 10], no: [0, 0, 0], pnl: 7 });
    const lost = moved({ cause: 'redemption', yesShares: -10n, payout: 0n, winningOutcome: NO });
    expect(lost).toEqual({ yes: [0, 0, 0], no: [0, 0, 0], pnl: -3 });
  });

  it('pay half each in a void market, every outcome rounded down for itself', () => {
    const both = after(bought, buy({ price: 500_000, size: 5, outcome: NO }));
    const redeemed = { cause: 'redemption', yesShares: -10n, noShares: -5n, payout: 7n, winningOutcome: -1 } as const;
    expect(inNumbers(applyMove(both, redeemed))).toEqual({ yes: [0, 0, 5], no: [0, 0, 2], pnl: 7 - 3 - 3 });
  });

  it('are in the balances of a block that contains them, even when they are received later', () => {
    const transfer = { cause: 'transfer', yesShares: 4n, noShares: 0n, payout: 0n, winningOutcome: null } as const;
    const read = { seq: 2, blockNumber: 9, cause: 'sync', yesShares: 4n, noShares: 0n } as const;
    const late = { ...transfer, seq: 3, blockNumber: 9 };
    expect(inNumbers(replayPosition({ fills: [], shareEvents: [read, late] }).position).yes).toEqual([4, 0, 0]);
    const next = { ...transfer, seq: 3, blockNumber: 10 };
    expect(inNumbers(replayPosition({ fills: [], shareEvents: [read, next] }).position).yes).toEqual([8, 0, 0]);
  });
});

describe('over all wallets', () => {
  it('money paid in less fees equals pairs minted, which equals the YES and the NO shares that exist, after every fill', () => {
    const seeds = Array.from({ length: HISTORIES }, (_, n) => SEED + n);
    expect(seeds.flatMap(breachesOfConservation)).toEqual([]);
  });
});

describe('on a chain that settles in another order, with approvals that come and go', () => {
  it('everybody has in journal order the shares that the chain gave them, and has paid what they paid', () => {
    const seeds = Array.from({ length: HISTORIES }, (_, n) => SEED + n);
    expect(seeds.flatMap(differencesFromChain)).toEqual([]);
  });
});

interface ChainWallet {
  readonly shares: [yes: bigint, no: bigint];
  paid: bigint;
  hasApproved: boolean;
  position: Position;
}

/** Fills settle in an order of their own as the contract does it; their accounts are then kept in journal order. */
function differencesFromChain(seed: number): string[] {
  const random = new SeededRandom(seed);
  const wallets = Array.from({ length: 4 }, (): ChainWallet => {
    return { shares: [0n, 0n], paid: 0n, hasApproved: true, position: EMPTY_POSITION };
  });
  const journal = Array.from({ length: 60 }, () => {
    const terms = { price: random.int(1, 999_999) as Price, size: random.int(1, 50) as Size };
    const parties = { seller: random.pick(wallets), buyer: random.pick(wallets) };
    return { ...terms, ...parties, outcome: random.int(0, 1) as Outcome, minted: 0n };
  });
  for (const trade of random.shuffle(journal)) {
    const wallet = random.pick(wallets);
    if (random.chance(0.2)) wallet.hasApproved = !wallet.hasApproved;
    trade.minted = settleOnChain(trade);
  }
  for (const { seller, buyer, ...filled } of journal) {
    seller.position = applyFill(seller.position, { side: SELL, ...filled }).position;
    buyer.position = applyFill(buyer.position, { side: BUY, ...filled }).position;
  }
  const isSame = ({ position, shares }: ChainWallet) =>
    position.yes.shares === shares[YES] && position.no.shares === shares[NO];
  return wallets.every((wallet) => isSame(wallet) && isBalanced(wallet)) ? [] : [`seed ${seed}`];
}

interface ChainTrade {
  readonly price: Price;
  readonly size: Size;
  readonly outcome: Outcome;
  readonly seller: ChainWallet;
  readonly buyer: ChainWallet;
}

/** Answers what was minted: everything that the seller does not have, or has not approved. */
function settleOnChain({ price, size, outcome, seller, buyer }: ChainTrade): bigint {
  const held = seller.hasApproved ? seller.shares[outcome] : 0n;
  const moved = held < BigInt(size) ? held : BigInt(size);
  const minted = BigInt(size) - moved;
  const cost = (BigInt(price) * BigInt(size) + 999_999n) / 1_000_000n;
  seller.shares[outcome] -= moved;
  seller.shares[outcome === YES ? NO : YES] += minted;
  buyer.shares[outcome] += BigInt(size);
  seller.paid += minted - cost;
  buyer.paid += cost;
  return minted;
}

/** A wallet's net payment is what its shares cost minus what it realized. */
function breachesOfConservation(seed: number): string[] {
  const random = new SeededRandom(seed);
  const wallets = Array.from({ length: 4 }, () => ({ position: EMPTY_POSITION, paid: 0n }));
  const breaches: string[] = [];
  const rates = random.pick([{}, { feeRateBps: 700, makerShareBps: random.int(0, 10_000) }]);
  let [pairs, treasury] = [0n, 0n];
  for (let n = 0; n < 60; n++) {
    const price = random.int(1, 999_999) as Price;
    const size = random.int(1, random.chance(0.1) ? Number.MAX_SAFE_INTEGER : 50) as Size;
    const outcome = random.int(0, 1) as Outcome;
    const cost = (BigInt(price) * BigInt(size) + 999_999n) / 1_000_000n;
    const [seller, buyer] = [random.pick(wallets), random.pick(wallets)];
    const { fee = 0, makerRebate = 0 } = fillFees(rates, size, price);
    const trade = { takerSide: random.int(0, 1) as Side, fee, makerRebate };
    const sold = applyFill(seller.position, { side: SELL, outcome, price, size, ...feesOfSide(SELL, trade) });
    seller.position = sold.position;
    seller.paid += sold.minted - cost + BigInt(trade.takerSide === SELL ? fee : -makerRebate);
    const bought = applyFill(buyer.position, { side: BUY, outcome, price, size, ...feesOfSide(BUY, trade) });
    buyer.position = bought.position;
    buyer.paid += cost + BigInt(trade.takerSide === BUY ? fee : -makerRebate);
    pairs += sold.minted;
    treasury += BigInt(fee - makerRebate);
    const sum = (of: (wallet: (typeof wallets)[0]) => bigint) => wallets.reduce((total, each) => total + of(each), 0n);
    const sums = [sum(({ position }) => position.yes.shares), sum(({ position }) => position.no.shares)];
    const paid = sum((each) => each.paid) - treasury;
    if (![...sums, paid].every((total) => total === pairs)) breaches.push(`sums, seed ${seed}`);
    if (!wallets.every(isBalanced)) breaches.push(`a wallet, seed ${seed}`);
  }
  return breaches;
}

function isBalanced({ position, paid }: { position: Position; paid: bigint }): boolean {
  const { yes, no, realizedPnl } = position;
  const isPositive = [yes.shares, no.shares, yes.cost, no.cost].every((part) => part >= 0n);
  return isPositive && yes.cost + no.cost - realizedPnl === paid;
}
