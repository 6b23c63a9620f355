// What the contract answers on a real chain, and what the service makes of it: who is blamed, and what is tried again.
import { fillCodeParties, fillCodes, presageSettlementAbi } from '@presage/contracts';
import {
  type Abi,
  decodeFunctionResult,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  keccak256,
  parseAbi,
} from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { beforeEach, describe, expect, it } from 'vitest';
import { compileFolder, settings } from '../../../../contracts/scripts/compile.ts';
import { farFuture, type SignedOrder, World } from '../../../../contracts/test/world.ts';
import { packBatch } from '../../../../packages/chain/src/packed-batch.ts';
import { judgeBatch } from '../../src/settlement/batch-judgement.ts';
import { toFault } from '../../src/settlement/fill-fault.ts';
import type { PlannedFill } from '../../src/settlement/ports.ts';

const MONEY = 100_000_000n;
const PAUSED = 1;
const conditions = parseAbi([
  'function prepareCondition(address oracle, bytes32 questionId, uint256 outcomes)',
  'function reportPayouts(bytes32 questionId, uint256[] payouts)',
]);

let world: World;
let buyer: PrivateKeyAccount;
let seller: PrivateKeyAccount;

beforeEach(async () => {
  world = await World.open();
  buyer = await world.openTrader({ key: 11, stablecoin: MONEY, yesShares: 0n });
  seller = await world.openTrader({ key: 12, stablecoin: MONEY, yesShares: 0n });
});

/** The token changes its mind; what everybody holds stays. */
async function sour(functionName: string, args: readonly unknown[]): Promise<void> {
  const hostile = compileFolder('test/solidity', settings.tests).find(({ name }) => name === 'HostileStablecoin')!;
  await world.chain.setCode(world.collateral, hostile.deployedBytecode);
  await world.as(world.owner, world.collateral, hostile.abi, functionName, args);
}

async function simulate(marketId?: Hex): Promise<number> {
  const terms = marketId === undefined ? {} : { marketId };
  const orders: SignedOrder[] = [
    await world.sign(buyer, { ...terms, side: 0 }),
    await world.sign(seller, { ...terms, side: 1 }),
  ];
  const args = packBatch({ orders, fills: [{ buy: 0, sell: 1, price: 500_000, size: 10_000_000 }] });
  const abi = presageSettlementAbi;
  const { data } = await world.chain.client.call({
    account: world.operator.address,
    to: world.settlement,
    data: encodeFunctionData({ abi, functionName: 'settleBatch', args }),
  });
  return Number(decodeFunctionResult({ abi, functionName: 'settleBatch', data: data! }));
}

/** Which list the one fill of a batch gets into, and whose fault it is. */
function judge(code: number): string {
  const fill = { trade: { tradeId: '1', buyer: 'buyer', seller: 'seller' } } as unknown as PlannedFill;
  const { send, blame, later } = judgeBatch([fill], Uint8Array.of(code));
  if (send.length > 0) return 'sent';
  const [blamed, tried] = [blame[0], later[0]];
  return blamed ? `over: ${blamed.fault.faultParty}` : `again: ${tried?.fault.faultParty}`;
}

describe('the meaning of a fill code', () => {
  it('is known for every code of the contract, and names the party of its high digit', () => {
    for (const [name, code] of Object.entries(fillCodes)) {
      if (name === 'SETTLED') continue;
      const party = fillCodeParties[(code >> 4) as keyof typeof fillCodeParties] ?? 'operator';
      // Only the settler fills orders, so nobody is to blame for one that is filled already.
      const fault = name.endsWith('_OVERFILLED') ? { faultParty: 'chain', overfilled: party } : { faultParty: party };
      expect(toFault(code), name).toMatchObject({ ...fault, reason: expect.not.stringContaining('code') });
    }
  });

  it('is the operator’s to look at where the contract is newer than the service', () => {
    expect(toFault(0x7e)).toEqual({
      faultParty: 'operator',
      isFinal: false,
      reason: 'the settlement contract answered with code 126',
    });
  });
});

describe('a fill that the chain refuses', () => {
  it('is sent where nothing is wrong', async () => {
    expect(judge(await simulate())).toBe('sent');
  });

  it.each([
    ['buyer', () => buyer.address],
    ['seller', () => seller.address],
  ])('is over for a %s whom the token blocks, and blamed on nobody else', async (party, address) => {
    await sour('setBlocked', [address(), true]);
    expect(judge(await simulate())).toBe(`over: ${party}`);
  });

  it('is retried, and no order is lost, while the token is paused', async () => {
    await sour('setMood', [PAUSED]);
    expect(await simulate()).toBe(fillCodes.TOKEN_FAULT);
    expect(judge(fillCodes.TOKEN_FAULT)).toBe('again: chain');
  });

  it('is the fault of a trader who halted, once the grace has passed', async () => {
    await world.as(seller, world.settlement, presageSettlementAbi as Abi, 'haltTrading', []);
    expect(judge(await simulate())).toBe('sent');
    await world.chain.advance(3_601n);
    expect(await simulate()).toBe(fillCodes.SELLER_HALTED);
    expect(judge(fillCodes.SELLER_HALTED)).toBe('over: seller');
  });

  it('has failed, with no party at fault, 120 s after the result', async () => {
    const questionId = `0x${'51'.repeat(32)}` as const;
    const id = [world.owner.address, questionId, 2n] as const;
    const types = [{ type: 'address' }, { type: 'bytes32' }, { type: 'uint256' }] as const;
    // The condition id packs its parts: an address of twenty bytes, then two words.
    const encoded = encodeAbiParameters(types, id).slice(26);
    const marketId = keccak256(`0x${encoded}`);
    await world.as(world.owner, world.shares, conditions, 'prepareCondition', id);
    await world.register(marketId, farFuture);
    expect(judge(await simulate(marketId))).toBe('sent');
    await world.as(world.owner, world.shares, conditions, 'reportPayouts', [questionId, [1n, 0n]]);
    await world.as(world.owner, world.settlement, presageSettlementAbi as Abi, 'closeMarket', [marketId]);
    expect(judge(await simulate(marketId))).toBe('sent');
    await world.chain.advance(121n);
    expect(await simulate(marketId)).toBe(fillCodes.MARKET_RESOLVED);
    expect(judge(fillCodes.MARKET_RESOLVED)).toBe('over: operator');
  });

  it('is retried while its market is paused on chain', async () => {
    const { timestamp } = await world.chain.client.getBlock();
    await world.createMarket(timestamp + 600n);
    const { marketId } = world;
    await world.as(world.owner, world.settlement, presageSettlementAbi as Abi, 'setMarketPaused', [marketId, true]);
    expect(await simulate()).toBe(fillCodes.MARKET_PAUSED);
    expect(judge(fillCodes.MARKET_PAUSED)).toBe('again: operator');
    await world.as(world.owner, world.settlement, presageSettlementAbi as Abi, 'setMarketPaused', [marketId, false]);
    expect(judge(await simulate())).toBe('sent');
  });

  it('is void, with no party at fault, once the market has ended and the grace has passed', async () => {
    const { timestamp } = await world.chain.client.getBlock();
    await world.createMarket(timestamp + 60n);
    await world.chain.advance(60n + 3_600n);
    expect(judge(await simulate())).toBe('sent');
    await world.chain.advance(2n);
    expect(await simulate()).toBe(fillCodes.MARKET_ENDED);
    expect(judge(fillCodes.MARKET_ENDED)).toBe('over: operator');
  });
});
