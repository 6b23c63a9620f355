// The shared vectors, on chain: order hashes, signatures and costs equal those computed in TypeScript.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Address, type Hex, isAddressEqual } from 'viem';
import { beforeAll, describe, expect, it } from 'vitest';
import { fillCodes, presageSettlementAbi } from '../generated/index.ts';
import { failuresOf } from './answers.ts';
import { type Order, World } from './world.ts';

interface OrderVectors {
  readonly domain: {
    readonly name: string;
    readonly version: string;
    readonly chainId: number;
    readonly verifyingContract: Address;
  };
  readonly orders: readonly {
    readonly order: Record<keyof Order, string>;
    readonly digest: Hex;
    readonly signature: Hex;
  }[];
}

const vectors = <T>(name: string): T =>
  JSON.parse(readFileSync(join(import.meta.dirname, '../../vectors', name), 'utf8')) as T;
const costs = vectors<{ price: number; size: string; cost: string }[]>('cost.json');
const { domain, orders } = vectors<OrderVectors>('orders.json');

describe('the shared vectors', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.open();
  });

  const read = <T>(functionName: 'hashOrder' | 'costOf' | 'eip712Domain', args: readonly unknown[]): Promise<T> =>
    world.chain.client.readContract({
      address: world.settlement,
      abi: presageSettlementAbi,
      functionName,
      args,
    } as never) as Promise<T>;

  it('belong to the domain that the settlement contract publishes', async () => {
    const [, name, version, chainId, verifyingContract] = await read<[Hex, string, string, bigint, Address]>(
      'eip712Domain',
      [],
    );
    expect({ name, version, chainId: Number(chainId) }).toEqual({
      name: domain.name,
      version: domain.version,
      chainId: domain.chainId,
    });
    expect(isAddressEqual(verifyingContract, domain.verifyingContract)).toBe(true);
  });

  it('give every order the same hash on chain', async () => {
    expect(orders.length).toBeGreaterThan(0);
    const hashes = await Promise.all(orders.map(({ order }) => read<Hex>('hashOrder', [toOrder(order)])));
    expect(hashes).toEqual(orders.map(({ digest }) => digest));
  });

  it('give every fill the same cost on chain', async () => {
    expect(costs.length).toBeGreaterThan(0);
    const onChain = await Promise.all(
      costs.map(({ price, size }) => read<bigint>('costOf', [BigInt(price), BigInt(size)])),
    );
    expect(onChain).toEqual(costs.map(({ cost }) => BigInt(cost)));
  });

  it('carry signatures that the settlement accepts', async () => {
    const signed = orders.map(({ order, signature }) => ({ order: toOrder(order), signature }));
    // An order paired with itself passes the signature and fails for being on one side only: which of the two is the answer.
    for (let start = 0; start < signed.length; start += 100) {
      const part = signed.slice(start, start + 100);
      const fills = part.map((_, index) => ({ buy: index, sell: index, price: 1n, size: 1n }));
      const failures = failuresOf(await world.settle(part, fills));
      expect(failures.map(({ code }) => code)).toEqual(part.map(() => fillCodes.MISMATCH));
      expect(failures.map(({ buyHash }) => buyHash)).toEqual(
        orders.slice(start, start + 100).map(({ digest }) => digest),
      );
    }
  });
});

function toOrder(order: Record<keyof Order, string>): Order {
  return {
    marketId: order.marketId as Hex,
    trader: order.trader as Address,
    side: Number(order.side),
    outcome: Number(order.outcome),
    price: BigInt(order.price),
    size: BigInt(order.size),
    nonce: BigInt(order.nonce),
    expiration: BigInt(order.expiration),
    makerFeeRecipient: order.makerFeeRecipient as Address,
  };
}
