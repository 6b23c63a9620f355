// What a market charges is what the settlement contract fixed, whatever else is in the same transaction.
import { presageSettlementAbi as abi } from '@presage/contracts';
import type { Address, Hex } from '@presage/protocol';
import { encodeAbiParameters, encodeEventTopics, zeroHash } from 'viem';
import { expect, it } from 'vitest';
import { readMarketFees } from '../src/market-fees.ts';

const [settlement, other] = [`0x${'aa'.repeat(20)}`, `0x${'bb'.repeat(20)}`] as [Address, Address];
const marketId = `0x${'01'.repeat(32)}` as const;

function log(address: Address, feeRateBps: number, makerShareBps: number) {
  const topics = encodeEventTopics({ abi, eventName: 'MarketFeesFixed', args: { marketId } }) as Hex[];
  const data = encodeAbiParameters([{ type: 'uint16' }, { type: 'uint16' }], [feeRateBps, makerShareBps]);
  return { address, topics, data, blockHash: zeroHash, transactionHash: zeroHash, logIndex: 0 };
}

it('reads the rates that the settlement fixed, in whatever case its address is written', () => {
  const checksummed = `0x${'aA'.repeat(20)}` as Address;
  const fees = readMarketFees([log(checksummed, 133, 3_333), log(other, 0, 0)], settlement);
  expect([...fees]).toEqual([[marketId, { feeRateBps: 133, makerShareBps: 3_333 }]]);
});

it('knows nothing where only another contract says so', () => {
  expect(readMarketFees([log(other, 133, 3_333)], settlement).size).toBe(0);
});
