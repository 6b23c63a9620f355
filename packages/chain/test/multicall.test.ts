// Gathered calls and their results have the bytes that viem gives them, whatever their lengths; what is no list of results is refused.
import type { Hex } from '@presage/protocol';
import { decodeFunctionResult, encodeFunctionData, encodeFunctionResult, multicall3Abi } from 'viem';
import { describe, expect, it } from 'vitest';
import { decodeAggregate, encodeAggregate } from '../src/multicall.ts';
import { RpcUnavailable } from '../src/rpc.ts';

const TO = '0x00000000000000000000000000000000005A3e00';
const LENGTHS = [[], [0], [4], [32], [36, 68], [31, 0, 33, 64, 1], Array.from({ length: 300 }, (_, index) => index)];
const bytesOf = (length: number): Hex => `0x${'5a'.repeat(length)}`;

describe('gathered calls', () => {
  it.each(LENGTHS.map((lengths) => [lengths.join(' ').slice(0, 30), lengths]))(
    'of %s bytes are encoded as viem does',
    (_, lengths) => {
      const calls = lengths.map((length) => ({ to: TO, data: bytesOf(length) }) as const);
      const args = [calls.map(({ to, data }) => ({ target: to, allowFailure: true, callData: data }))] as const;
      expect(encodeAggregate(calls)).toBe(encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args }));
    },
  );
});

describe('their results', () => {
  const encode = (lengths: readonly number[]) => {
    const result = lengths.map((length, index) => ({ success: index % 2 === 0, returnData: bytesOf(length) }));
    return encodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', result });
  };

  it.each(LENGTHS.map((lengths) => [lengths.join(' ').slice(0, 30), lengths]))(
    'of %s bytes are decoded as viem does',
    (_, lengths) => {
      const answer = encode(lengths);
      expect(decodeAggregate(answer)).toEqual(
        decodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', data: answer }),
      );
    },
  );

  it.each([
    ['nothing', '0x'],
    ['an answer that is cut off', encode([32, 5]).slice(0, -64)],
    ['a count beyond the answer', `0x${'20'.padStart(64, '0')}${'f'.repeat(64)}`],
    ['a place beyond the answer', `0x${'f'.repeat(64)}`],
  ])('are refused for %s', (_, answer) => {
    expect(() => decodeAggregate(answer as Hex)).toThrow(RpcUnavailable);
  });
});
