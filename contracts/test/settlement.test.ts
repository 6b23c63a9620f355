// The settlement contract as the service uses it: calldata built in TypeScript, results read from logs.
import { seedFromEnv } from '@presage/testkit';
import { encodeErrorResult, type Hex, hashTypedData, hexToBytes, numberToHex, sliceHex } from 'viem';
import type { privateKeyToAccount } from 'viem/accounts';
import { beforeAll, describe, expect, it } from 'vitest';
import { packBatch, type SettleBatchArguments } from '../../packages/chain/src/packed-batch.ts';
import { SeededRandom } from '../../packages/testkit/src/seeded-random.ts';
import { fillCodeParties, fillCodes, presageSettlementAbi } from '../generated/index.ts';
import { failuresOf, settledOf } from './answers.ts';
import { orderTypes } from './typed-data.ts';
import { type Order, type SignedOrder, World } from './world.ts';

const packingSeed = seedFromEnv(20_261_115);
const price = 550_000n;
const size = 10_000_000n;

describe('a batch', () => {
  let world: World;
  let buyer: ReturnType<typeof privateKeyToAccount>;
  let seller: ReturnType<typeof privateKeyToAccount>;

  beforeAll(async () => {
    world = await World.open();
    buyer = await world.openTrader({ key: 1, stablecoin: 1_000_000_000n, yesShares: 0n });
    seller = await world.openTrader({ key: 2, stablecoin: 1_000_000_000n, yesShares: 4_000_000n });
  });

  const signPair = async (nonce: bigint): Promise<SignedOrder[]> => [
    await world.sign(buyer, { side: 0, price, size, nonce }),
    await world.sign(seller, { side: 1, price, size, nonce }),
  ];

  it('emits hashes, price, size, cost and the minted amount', async () => {
    const orders = await signPair(0n);
    const receipt = await world.settle(orders, [{ buy: 0, sell: 1, price, size }]);
    const [buyHash, sellHash] = orders.map(({ order }) => hashOf(order)) as [Hex, Hex];
    expect(settledOf(receipt)).toEqual([{ buyHash, sellHash, price, size, cost: 5_500_000n, minted: 6_000_000n }]);
  });

  it('hashes every order that TypeScript packs as TypeScript does', async () => {
    const random = new SeededRandom(packingSeed);
    const signed: SignedOrder[] = [];
    for (let index = 0; index < 100; index++) signed.push(await world.sign(buyer, randomTerms(random)));
    // An order paired with itself passes the signature, fails for being on one side only, and is named by its hash.
    const fills = signed.map((_, index) => ({ buy: index, sell: index, price: 1n, size: 1n }));
    const failures = failuresOf(await world.settle(signed, fills));
    const expected = signed.map(({ order }, fillIndex) => ({
      fillIndex,
      code: fillCodes.MISMATCH,
      buyHash: hashOf(order),
      sellHash: hashOf(order),
    }));
    expect(failures, `seed ${packingSeed}`).toEqual(expected);
  });

  it('reverts when bytes are missing, and fails fill by fill when a market is unknown', async () => {
    const [marketIds, orders, fills] = packBatch({
      orders: await signPair(1n),
      fills: [{ buy: 0, sell: 1, price, size }],
    });
    const simulate = (args: SettleBatchArguments) =>
      world.chain.client.simulateContract({
        address: world.settlement,
        abi: presageSettlementAbi,
        functionName: 'settleBatch',
        args,
        account: world.operator.address,
      });
    const revertOf = (errorName: 'MalformedOrders' | 'MalformedFills', length: bigint) =>
      encodeErrorResult({ abi: presageSettlementAbi, errorName, args: [length] });
    await expect(simulate([marketIds, sliceHex(orders, 0, 223), fills])).rejects.toThrow(
      revertOf('MalformedOrders', 223n),
    );
    await expect(simulate([marketIds, orders, sliceHex(fills, 0, 12)])).rejects.toThrow(
      revertOf('MalformedFills', 12n),
    );
    const { result } = await simulate([[], orders, fills]);
    expect(hexToBytes(result)).toEqual(Uint8Array.of(fillCodes.MARKET_UNKNOWN));
  });

  it('encodes the party at fault in the high digit of every code', () => {
    const { SETTLED: _settled, NOT_ATTEMPTED: _notAttempted, ...failures } = fillCodes;
    for (const [name, code] of Object.entries(failures)) {
      const party = fillCodeParties[(code >> 4) as keyof typeof fillCodeParties];
      const side = /^(BUYER|SELLER)_/.exec(name)?.[1]?.toLowerCase();
      expect(party, name).toMatch(side ?? /operator|chain/);
    }
  });

  function hashOf(order: SignedOrder['order']): Hex {
    return hashTypedData({ domain: domain(), types: orderTypes, primaryType: 'Order', message: order });
  }

  function domain() {
    return { name: 'PresageSettlement', version: '1', chainId: 31337, verifyingContract: world.settlement };
  }

  function randomTerms(random: SeededRandom): Partial<Order> {
    return {
      marketId: numberToHex(random.int(1, 20), { size: 32 }),
      side: random.int(0, 1),
      outcome: random.int(0, 1),
      price: BigInt(random.int(0, 2 ** 22 - 1)),
      size: random.bigint64(),
      nonce: random.bigint64(),
      expiration: random.bigint64(),
    };
  }
});
