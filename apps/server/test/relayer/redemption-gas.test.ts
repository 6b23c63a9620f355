// The gas that a relayed redemption is sent with, against what it takes in the largest events.
import { createContracts } from '@presage/chain';
import { conditionalTokensWithPermitAbi, testStablecoinAbi } from '@presage/contracts';
import { fullIndexSet, type MarketFacts, OPERATION_TYPES, toLowerHex, toOutcomeMarketId } from '@presage/protocol';
import { maxUint256, parseSignature, toHex, zeroHash } from 'viem';
import { expect, it } from 'vitest';
import { testAccount } from '../../../../contracts/test/in-process-chain.ts';
import { World } from '../../../../contracts/test/world.ts';
import { OPERATIONS } from '../../src/relayer/operations/operations.ts';
import { toRpc } from '../in-process-rpc.ts';

const AMOUNT = 1_000_000n;
const DEADLINE = 4_000_000_000n;
/** A proxy, a block list and a counted allowance, as the usual stablecoin has them. */
const DEAR_TOKEN_GAS = 40_000n;

it.each([
  [2, 2],
  [32, 8],
  [128, 1],
  [128, 8],
])(
  'covers an event of %i outcomes of which %i NO are redeemed',
  async (count, held) => {
    const world = await World.open();
    const owner = await world.openTrader({ key: 1_000, stablecoin: 10n ** 12n, yesShares: 0n });
    const { settlement, shares, collateral, factory: marketFactory, oracle } = world;
    const tokens = (name: string, args: readonly unknown[], from: typeof world.owner | typeof owner = owner) =>
      world.as(from, shares, conditionalTokensWithPermitAbi, name, args);
    await world.as(owner, collateral, testStablecoinAbi, 'approve', [shares, maxUint256]);
    const eventId = await world.prepareEvent(count);
    const indexSets: bigint[] = [];
    for (let index = 0; index < held; index++) {
      const market = toOutcomeMarketId(eventId, index, count);
      await tokens('splitTo', [collateral, market, AMOUNT, owner.address, owner.address]);
      indexSets.push(fullIndexSet(count) ^ (1n << BigInt(index)));
    }
    const payouts = Array.from({ length: count }, (_, index) => (index === count - 1 ? 1n : 0n));
    await tokens('reportPayouts', [toHex(1, { size: 32 }), payouts], world.owner);

    const terms = { collateralToken: toLowerHex(collateral), parentCollectionId: zeroHash, conditionId: eventId };
    const redemption = { ...terms, owner: toLowerHex(owner.address), indexSets };
    const signature = await owner.signTypedData({
      domain: { name: 'ConditionalTokensWithPermit', version: '1', chainId: 31_337, verifyingContract: shares },
      types: OPERATION_TYPES,
      primaryType: 'RedeemPositions',
      message: { ...redemption, nonce: 0n, deadline: DEADLINE },
    });
    const { r, s, yParity } = parseSignature(signature);
    const proof = { deadline: DEADLINE, v: 27 + yParity, r, s };
    const deployment = { settlement, conditionalTokens: shares, stablecoin: collateral, marketFactory, oracle };
    const contracts = createContracts({
      rpc: toRpc(world.chain),
      deployment: { ...deployment, multicall: settlement },
    });
    const markets = { at: () => undefined, decidedBy: () => [{ event: { count } } as MarketFacts] };

    const { 'ctf-redemption': single, 'batch-ctf-redemption': batch } = OPERATIONS;
    const request = { ...redemption, ...proof, chainId: 31_337n, marketAddress: undefined };
    const { to, data, gas = single.gas } = single.call(request, { contracts, markets });
    const { gasUsed } = await world.chain.mustSend(testAccount(6), { to, data, gas });
    expect(gasUsed + DEAR_TOKEN_GAS).toBeLessThan(gas);
    const together = {
      owner: request.owner,
      chainId: 31_337n,
      redemptions: [{ ...request, marketAddress: toLowerHex(shares) }],
    };
    expect(batch.call(together, { contracts, markets }).gas).toBeGreaterThan(gas);
  },
  30_000,
);
