// Fees of takers on chain: the shared vectors, and random fills whose money a naive model, the protocol and the contract agree on.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { costOf, makerRebate, type Price, type Size, takerFee } from '@presage/protocol';
import { isLongRun, SeededRandom, seedFromEnv } from '@presage/testkit';
import { type Address, type Hex, parseAbi } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { beforeAll, describe, expect, it } from 'vitest';
import { conditionalTokensWithPermitAbi, presageSettlementAbi, testStablecoinAbi } from '../generated/abi.ts';
import { compileFolder, settings } from '../scripts/compile.ts';
import { failuresOf } from './answers.ts';
import { type Fill, type SignedOrder, treasury, World } from './world.ts';

interface FeeVector {
  readonly feeRateBps: number;
  readonly makerShareBps: number;
  readonly price: number;
  readonly size: string;
  readonly fee: string;
  readonly makerRebate: string;
}

const TIMEOUT_MS = isLongRun ? 3_600_000 : 120_000;
const BATCHES = isLongRun ? 100 : 6;
const FILLS = 100;
const TRADERS = 4;
const PLENTY = 10n ** 16n;
const vectors: readonly FeeVector[] = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../vectors/fees.json'), 'utf8'),
);

describe('the shared vectors of fees', () => {
  it('are what the arithmetic of the settlement gives', async () => {
    const world = await World.open();
    const code = compileFolder('test/solidity', settings.tests).find(({ name }) => name === 'FeeVectors')!.bytecode;
    const { contractAddress } = await world.chain.mustSend(world.arbitrator, { data: code });
    const [fees, rebates] = await world.chain.client.readContract({
      address: contractAddress!,
      abi: parseAbi([
        'function feesOf(uint16[] rates, uint16[] shares, uint64[] sizes, uint64[] prices) view returns (uint256[] fees, uint256[] rebates)',
      ]),
      functionName: 'feesOf',
      args: [
        vectors.map(({ feeRateBps }) => feeRateBps),
        vectors.map(({ makerShareBps }) => makerShareBps),
        vectors.map(({ size }) => BigInt(size)),
        vectors.map(({ price }) => BigInt(price)),
      ],
    });
    expect(fees).toEqual(vectors.map(({ fee }) => BigInt(fee)));
    expect(rebates).toEqual(vectors.map(({ makerRebate: rebate }) => BigInt(rebate)));
  });
});

interface Rates {
  readonly feeRateBps: number;
  readonly makerShareBps: number;
}

interface RandomFill extends Fill {
  readonly price: Price & number;
  readonly size: Size & number;
  readonly sellerTakes: boolean;
}

/** What a wallet and its deposit have together, with its shares of the market. */
interface Purse {
  money: bigint;
  yes: bigint;
  no: bigint;
}

describe('random fills of markets with fees', () => {
  const random = new SeededRandom(seedFromEnv(20_261_117));
  let world: World;
  let traders: PrivateKeyAccount[];
  beforeAll(async () => {
    world = await World.open();
    traders = [];
    for (let key = 1; key <= TRADERS; key++) {
      traders.push(await world.openTrader({ key: 900 + key, stablecoin: PLENTY, yesShares: 0n }));
    }
    // The first two have deposits too, which fills may name or not.
    for (const trader of traders.slice(0, 2)) {
      await world.as(trader, world.settlement, presageSettlementAbi, 'depositCollateral', [PLENTY / 2n]);
    }
  }, TIMEOUT_MS);

  const drawRates = (): Rates => ({
    feeRateBps: random.below(4) === 0 ? random.below(2) * 700 : random.below(701),
    makerShareBps: random.below(4) === 0 ? random.below(2) * 10_000 : random.below(10_001),
  });

  /** A trader's orders take any price; a buy's place is even and a sell's follows it. */
  const signOrders = async (nonce: bigint): Promise<SignedOrder[]> => {
    const orders: SignedOrder[] = [];
    for (const trader of traders) {
      const terms = { size: 2n ** 60n, nonce, outcome: Number(nonce & 1n) };
      orders.push(await world.sign(trader, { ...terms, side: 0, price: 999_999n }));
      orders.push(await world.sign(trader, { ...terms, side: 1, price: 1n, nonce: nonce + 1_000n }));
    }
    return orders;
  };

  const drawFill = (): RandomFill => {
    const [buyer, seller] = [random.below(TRADERS), random.below(TRADERS)];
    return {
      buy: 2 * buyer,
      sell: 2 * seller + 1,
      price: random.int(1, 999_999) as Price,
      size: (random.below(3) === 0 ? random.int(1, 50) : random.int(1, 1_000_000_000)) as Size,
      sellerTakes: random.below(2) === 0,
      buyerLedger: random.below(2) === 0,
      sellerLedger: random.below(2) === 0,
    };
  };

  const readPurse = async ({ address }: { address: Address }): Promise<Purse> => {
    const { client } = world.chain;
    const coin = { address: world.collateral, abi: testStablecoinAbi, functionName: 'balanceOf' } as const;
    const tokens = { address: world.shares, abi: conditionalTokensWithPermitAbi, functionName: 'balanceOf' } as const;
    const ledger = { address: world.settlement, abi: presageSettlementAbi, functionName: 'ledgerOf' } as const;
    const [wallet, [deposit], yes, no] = await Promise.all([
      client.readContract({ ...coin, args: [address] }),
      client.readContract({ ...ledger, args: [address] }),
      client.readContract({ ...tokens, args: [address, world.tokenIds[0]] }),
      client.readContract({ ...tokens, args: [address, world.tokenIds[1]] }),
    ]);
    return { money: wallet + deposit, yes, no };
  };

  const readPurses = () => Promise.all([...traders, { address: treasury }].map(readPurse));

  it(
    'move exactly what the model says, to the unit',
    async () => {
      for (let batch = 0; batch < BATCHES; batch++) {
        const rates = drawRates();
        await world.createMarket((await world.chain.now()) + 86_400n, rates);
        const purses = await readPurses();
        const outcome = batch & 1;
        const fills = Array.from({ length: FILLS }, drawFill);
        const receipt = await world.settle(await signOrders(BigInt(batch)), fills);
        expect(failuresOf(receipt)).toEqual([]);
        for (const fill of fills) applyFill(purses, fill, { rates, outcome });
        expect({ seed: random.seed, batch, purses: await readPurses() }).toEqual({ seed: random.seed, batch, purses });
        await expectCovered();
      }
    },
    TIMEOUT_MS,
  );

  /** The settlement holds what it owes, and nothing of anybody's fee. */
  const expectCovered = async (): Promise<void> => {
    const { client } = world.chain;
    const settlement = { address: world.settlement, abi: presageSettlementAbi, functionName: 'ledgerOf' } as const;
    const owners: Hex[] = [...traders.map(({ address }) => address), treasury];
    const owed = await Promise.all(owners.map((owner) => client.readContract({ ...settlement, args: [owner] })));
    const held = await client.readContract({
      address: world.collateral,
      abi: testStablecoinAbi,
      functionName: 'balanceOf',
      args: [world.settlement],
    });
    expect(held).toBe(owed.reduce((sum, [deposit]) => sum + deposit, 0n));
  };
});

/** Fractions of plain bigints, beside the protocol's own arithmetic, which must give the same. */
function applyFill(purses: Purse[], fill: RandomFill, { rates, outcome }: { rates: Rates; outcome: number }): void {
  const { price, size, sellerTakes } = fill;
  const product = BigInt(rates.feeRateBps) * BigInt(size) * BigInt(price) * BigInt(1_000_000 - price);
  const fee = product / 10n ** 16n + (product % 10n ** 16n === 0n ? 0n : 1n);
  const rebate = (fee * BigInt(rates.makerShareBps)) / 10_000n;
  expect([takerFee(rates.feeRateBps, size, price), makerRebate(fee, rates.makerShareBps)]).toEqual([fee, rebate]);
  const [buyer, seller, house] = [purses[fill.buy / 2]!, purses[(fill.sell - 1) / 2]!, purses[TRADERS]!];
  const [sold, other] = outcome === 0 ? (['yes', 'no'] as const) : (['no', 'yes'] as const);
  const cost = costOf(price, size);
  const moved = seller[sold] < BigInt(size) ? seller[sold] : BigInt(size);
  const minted = BigInt(size) - moved;
  buyer.money -= sellerTakes ? cost - rebate : cost + fee;
  seller.money += (sellerTakes ? cost - fee : cost + rebate) - minted;
  house.money += fee - rebate;
  seller[sold] -= moved;
  buyer[sold] += BigInt(size);
  seller[other] += minted;
}
