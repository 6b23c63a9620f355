// Wallets followed record by record stand, at every moment, as if they were looked up anew.
import { Engine } from '@presage/engine';
import {
  type Address,
  isEngineEvent,
  type JournalRecord,
  type MarketId,
  type SignedOrder,
  toSize,
} from '@presage/protocol';
import { createOrderBuilders, isLongRun, seedFromEnv, TEST_MARKET } from '@presage/testkit';
import { beforeEach, describe, expect, it } from 'vitest';
import { ChainReads } from '../../src/chains/chain-reads.ts';
import { KnownWallets } from '../../src/wallets/known-wallets.ts';
import { reserveOf, shareKey } from '../../src/wallets/reserve.ts';
import type { Holdings, Wallet } from '../../src/wallets/wallet.ts';
import { RandomHistory } from '../projections/random-history.ts';

const SEED = seedFromEnv(1);
const SEEDS = isLongRun ? 20 : 3;
const ORDERS = 400;
const CHAIN_ID = 31337;

class WalletsFixture {
  readonly reads = new Engine();
  readonly stale: Address[] = [];
  nowMs = 0;
  readonly wallets = new KnownWallets({
    reads: new ChainReads(this.reads, CHAIN_ID),
    wallMs: () => this.nowMs,
    keeper: { judge: (wallets) => this.stale.push(...wallets.map(({ address }) => address)) },
  });

  play(records: readonly JournalRecord[]): void {
    for (const event of records.filter(isEngineEvent)) this.reads.evolve(event);
    for (const record of records) this.wallets.follow(record);
  }

  /** All of it computed in one go, by the pure rule. */
  reserved({ address, holdings }: Wallet): bigint {
    const isHere = ({ marketId }: { marketId: MarketId }) => this.reads.market(marketId)?.facts.chainId === CHAIN_ID;
    const fills = this.reads.unsettledTrades().filter(({ buyer, seller, stage }) => {
      return (buyer === address || seller === address) && stage !== 'mined';
    });
    // One that came back has its old place.
    const oldestFirst = this.reads.openOrders({ trader: address }).toSorted((a, b) => a.sequence - b.sequence);
    const orders = oldestFirst.map(({ signed, remainingSize }) => {
      const { feeRateBps = 0 } = this.reads.facts(signed.order.marketId)!;
      return { ...signed.order, remainingSize: toSize(remainingSize), feeRateBps };
    });
    const standing = { fills: fills.filter(isHere), orders: orders.filter(isHere) };
    return reserveOf({ wallet: address, ...standing, shares: (holdings as Holdings).shares });
  }

  /** As a wallet that nobody followed. */
  anew(wallet: Wallet): Wallet {
    const loaded = this.wallets.load(wallet.address);
    loaded.setHoldings(wallet.holdings as Holdings);
    return loaded;
  }
}

function hashesOf(wallet: Wallet): string[] {
  return wallet.findUncovered(0n).map(({ orderHash }) => orderHash);
}

describe('a followed wallet', () => {
  it.each(Array.from({ length: SEEDS }, (_, index) => SEED + index))(
    'reserves what one looked up anew does (seed %i)',
    (seed) => {
      const history = new RandomHistory({ seed, orders: ORDERS, wallets: 5, markets: 3, failures: 0.2 });
      const { random } = history;
      const fixture = new WalletsFixture();
      let uncovered = 0;
      let step = 0;
      for (const records of history.steps()) {
        // Every other journal is one of before record version 6.
        fixture.play(seed % 2 === 0 ? records : records.map(withoutParties));
        const wallet = fixture.wallets.visit(random.pick(history.wallets));
        if (wallet.holdings === undefined || random.chance(0.05)) wallet.setHoldings(drawHoldings(history));
        const looked = fixture.anew(wallet);
        const note = `seed ${seed}, step ${++step}`;
        expect(wallet.reserved(), note).toBe(looked.reserved());
        expect(wallet.reserved(), note).toBe(fixture.reserved(wallet));
        expect(hashesOf(wallet), note).toEqual(hashesOf(looked));
        uncovered += hashesOf(wallet).length;
      }
      expect(fixture.stale.length).toBeGreaterThan(0);
      expect(uncovered).toBeGreaterThan(ORDERS);
    },
  );
});

function withoutParties(record: JournalRecord): JournalRecord {
  if (record.type !== 'trade-failed') return record;
  const { buyer: _buyer, seller: _seller, ...unnamed } = record;
  return unnamed;
}

/** Holdings at a block that contains all that is mined. */
function drawHoldings({ random, marketIds }: RandomHistory): Holdings {
  const amount = () => BigInt(random.int(0, 60_000_000));
  const keys = marketIds.flatMap((marketId) => [shareKey(marketId, 0), shareKey(marketId, 1)]);
  return {
    balance: amount(),
    allowance: amount(),
    deposited: random.chance(0.5) ? 0n : amount(),
    sharesApproved: random.chance(0.5),
    blockNumber: Number.MAX_SAFE_INTEGER,
    lostAllowance: 0n,
    shares: new Map(keys.map((key) => [key, amount()])),
    contained: new Set(),
  };
}

describe('an order on its way', () => {
  let fixture: WalletsFixture;
  let alice: Wallet;
  const traders = createOrderBuilders();
  const signed: SignedOrder = traders.aliceBuysYes({ marketId: TEST_MARKET, price: '0.5', size: '10' });

  beforeEach(() => {
    fixture = new WalletsFixture();
    fixture.nowMs = 1;
    alice = fixture.wallets.visit(signed.order.trader);
  });

  it('reserves until it is released, once however often it is held', () => {
    alice.hold(signed);
    alice.hold(signed);
    expect(alice.reserved()).toBe(5_001_000n);
    expect(alice.needOf(signed)).toEqual({
      money: 5_001_000n,
      headroom: 1_000n,
      shares: 0n,
      reserved: 0n,
      reservedHeadroom: 0n,
    });
    alice.release(signed);
    expect(alice.reserved()).toBe(0n);
  });

  it('keeps its wallet in memory; one without orders is evicted after ten minutes', () => {
    alice.hold(signed);
    fixture.nowMs += 600_001;
    fixture.wallets.evictIdle();
    expect(fixture.wallets.get(alice.address)).toBe(alice);
    alice.release(signed);
    fixture.wallets.evictIdle();
    expect(fixture.wallets.get(alice.address)).toBeUndefined();
  });
});
