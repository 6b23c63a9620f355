// Whole-transaction gas of converting NO of several outcomes of an event, over several events because the cost depends on position ids.
import { toOutcomeMarketId } from '@presage/protocol';
import { maxUint256 } from 'viem';
import { conditionalTokensWithPermitAbi, testStablecoinAbi } from '../../contracts/generated/abi.ts';
import { World } from '../../contracts/test/world.ts';

interface ConversionCase {
  readonly outcomes: number;
  /** Number of converted NO positions, of the first outcomes. */
  readonly converted: number;
}

const EVENTS = 5;
const AMOUNT = 1_000_000n;

/** Mean over several events. */
export async function measureConversion({ outcomes, converted }: ConversionCase): Promise<number> {
  const world = await World.open();
  const owner = await world.openTrader({ key: 1_000, stablecoin: 10n ** 12n, yesShares: 0n });
  const tokens = (name: string, args: readonly unknown[]) =>
    world.as(owner, world.shares, conditionalTokensWithPermitAbi, name, args);
  await world.as(owner, world.collateral, testStablecoinAbi, 'approve', [world.shares, maxUint256]);
  let gas = 0n;
  for (let event = 0; event < EVENTS; event++) {
    const eventId = await world.prepareEvent(outcomes);
    for (let index = 0; index < converted; index++)
      await tokens('splitTo', [
        world.collateral,
        toOutcomeMarketId(eventId, index, outcomes),
        AMOUNT,
        owner.address,
        owner.address,
      ]);
    const receipt = await tokens('convertPositions', [eventId, (1n << BigInt(converted)) - 1n, AMOUNT]);
    gas += receipt.gasUsed;
  }
  return Number(gas / BigInt(EVENTS));
}
