// What the chain says of a wallet's shares in markets, of one block, in the order of the markets.
import type { Contracts } from '@presage/chain';
import { marketFacts, TRADERS } from '@presage/testkit';
import { expect, it } from 'vitest';
import { WalletReads } from '../../src/wallets/wallet-reads.ts';

interface Reading {
  readonly name: string;
  readonly args: readonly unknown[];
}

/** The denominator of each condition, and the numerator of YES. */
const PAYOUTS: Readonly<Record<string, readonly [bigint, bigint]>> = { '1': [1n, 1n], '2': [1n, 0n], '3': [2n, 1n] };
const OPEN = '4';

function marketOf(digit: string) {
  return marketFacts({ marketId: `0x${digit.repeat(64)}`, yesTokenId: `${digit}1`, noTokenId: `${digit}2` } as never);
}

it('claims of markets have the payouts of YES and NO, and the shares of both', async () => {
  const answer = ({ name, args }: Reading): bigint => {
    const [denominator, yes] = PAYOUTS[String(args[0])[2]!] ?? [0n, 0n];
    if (name === 'nonces') return 7n;
    if (name === 'shares') return 100n * (args[1] as bigint);
    return name === 'payoutDenominator' ? denominator : yes;
  };
  const asked: unknown[] = [];
  const reads = new WalletReads({
    node: { head: async () => ({ number: 5, hash: '0x05' }) } as never,
    contracts: {
      conditionalTokens: { reading: (name: string, args: readonly unknown[]) => ({ name, args }) },
      readingShares: (...args: readonly unknown[]) => ({ name: 'shares', args }),
      readTogether: async (readings: readonly Reading[], at: unknown) => {
        asked.push(at);
        return readings.map(answer);
      },
    } as unknown as Contracts,
  });
  const { claims, nonce } = await reads.claims(TRADERS.alice, [...Object.keys(PAYOUTS), OPEN].map(marketOf));
  expect(nonce).toBe(7n);
  expect(claims.map(({ denominator, numerators }) => [denominator, ...numerators])).toEqual([
    [1n, 1n, 0n],
    [1n, 0n, 1n],
    [2n, 1n, 1n],
    [0n, 0n, 0n],
  ]);
  expect(claims.map(({ shares }) => shares)).toEqual([
    [1_100n, 1_200n],
    [2_100n, 2_200n],
    [3_100n, 3_200n],
    [4_100n, 4_200n],
  ]);
  expect(asked).toEqual([{ block: { hash: '0x05' } }]);
});
