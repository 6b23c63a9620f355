// The logs of a mined batch, read as what they did to each fill.
import { presageSettlementAbi } from '@presage/contracts';
import { encodeAbiParameters, encodeEventTopics, type Hex, type Log, numberToHex } from 'viem';
import { describe, expect, it } from 'vitest';
import { readOutcomes } from '../../src/settlement/batch-outcome.ts';

const SETTLEMENT = `0x${'Ab'.repeat(20)}` as const;
const HASH = `0x${'01'.repeat(32)}` as const;
const ORDERS = { buyHash: HASH, sellHash: HASH };

function log(
  topics: readonly unknown[],
  types: readonly string[],
  values: readonly unknown[],
  address: Hex = SETTLEMENT,
) {
  const data = encodeAbiParameters(
    types.map((type) => ({ type })),
    values,
  );
  return { address: address.toLowerCase(), topics, data } as unknown as Log;
}

const settled = (amounts: bigint, address?: Hex) => {
  const topics = encodeEventTopics({ abi: presageSettlementAbi, eventName: 'FillSettled', args: ORDERS });
  return log(topics, ['uint256'], [amounts], address);
};
const settledTogether = (...amounts: bigint[]) => {
  const words = amounts.flatMap((each) => [HASH, HASH, numberToHex(each, { size: 32 })]);
  return log(encodeEventTopics({ abi: presageSettlementAbi, eventName: 'FillsSettled' }), ['bytes32[]'], [words]);
};
const failed = (index: bigint, code: number) => {
  const topics = encodeEventTopics({ abi: presageSettlementAbi, eventName: 'FillFailed', args: ORDERS });
  return log(topics, ['uint256', 'uint8'], [index, code]);
};
const stopped = (index: bigint) =>
  log(encodeEventTopics({ abi: presageSettlementAbi, eventName: 'FillsNotAttempted' }), ['uint256'], [index]);

describe('the outcomes of a batch', () => {
  it('are in its order: failures say where they stand, and what settled belongs to the rest in turn', () => {
    const logs = [settled((9n << 64n) | 5n), failed(1n, 0x25), settled(7n), stopped(3n)];
    expect(readOutcomes(4, logs, SETTLEMENT)).toEqual([
      { kind: 'settled', minted: 5 },
      { kind: 'failed', code: 0x25 },
      { kind: 'settled', minted: 7 },
      { kind: 'not-attempted' },
    ]);
  });

  it('are the same where one event tells all that settled', () => {
    // The two top bits say whose deposits were used.
    const logs = [failed(1n, 0x25), settledTogether((3n << 254n) | (9n << 64n) | 5n, 7n), stopped(3n)];
    expect(readOutcomes(4, logs, SETTLEMENT)).toEqual([
      { kind: 'settled', minted: 5 },
      { kind: 'failed', code: 0x25 },
      { kind: 'settled', minted: 7 },
      { kind: 'not-attempted' },
    ]);
  });

  it('come from the settlement contract alone', () => {
    const logs = [settled(1n, `0x${'cd'.repeat(20)}`), settled(2n)];
    expect(readOutcomes(1, logs, SETTLEMENT)).toEqual([{ kind: 'settled', minted: 2 }]);
  });

  it('are refused when they do not add up', () => {
    expect(() => readOutcomes(2, [settled(1n)], SETTLEMENT)).toThrow('1 settled, 0 failed, 2 attempted');
  });
});
