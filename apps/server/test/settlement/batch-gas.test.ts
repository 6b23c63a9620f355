// How much goes into one transaction: within the cap of the chain, by what fills are measured to take.
import { describe, expect, it } from 'vitest';
import { BatchGas, toGasCap } from '../../src/settlement/batch-gas.ts';

const CAP = 2n ** 24n;
const MIN_FILL_GAS = 866_349n;
const open = (cap = CAP) => new BatchGas({ cap, minFillGas: MIN_FILL_GAS, mostFills: 100 });

describe('the gas cap of a chain', () => {
  const block = 60_000_000n;

  it.each([
    ['Ethereum’s is that of EIP-7825', { chainId: 1, blockGasLimit: block }, CAP],
    ['an unknown chain’s is taken to be the same', { chainId: 777_777, blockGasLimit: block }, CAP],
    ['Arbitrum has its own', { chainId: 42_161, blockGasLimit: 2n ** 50n }, 32_000_000n],
    ['and so has its testnet', { chainId: 421_614, blockGasLimit: 2n ** 50n }, 32_000_000n],
    ['a smaller block is the limit, less what OP nodes keep', { chainId: 10, blockGasLimit: 10_000_000n }, 9_900_000n],
    ['a setting is taken', { chainId: 1, setting: 8_000_000, blockGasLimit: block }, 8_000_000n],
    ['but not above a block', { chainId: 1, setting: 90_000_000, blockGasLimit: block }, 59_900_000n],
  ])('%s', (_, chain, cap) => {
    expect(toGasCap(chain)).toBe(cap);
  });
});

describe('a batch', () => {
  it('never asks for more than the cap, however many fills it has', () => {
    const gas = open();
    expect(gas.maxFills).toBe(56);
    expect(gas.limitFor(100)).toBe(CAP);
    expect(gas.limitFor(gas.maxFills)).toBeLessThanOrEqual(CAP);
  });

  it('has more fills once they are measured to be cheap, and fewer at once when they are dear', () => {
    const gas = open();
    for (let batch = 0; batch < 20; batch += 1) gas.observe(50, 50n * 65_535n);
    expect(gas.maxFills).toBe(100);
    expect(gas.limitFor(100)).toBeLessThan(CAP);
    gas.observe(10, 10n * 300_000n);
    expect(gas.maxFills).toBe(35);
  });

  it('is given what its simulation took, with room for fills that differ and for the last one', () => {
    expect(open().limitFor(10, 655_350n)).toBe(983_025n + MIN_FILL_GAS);
  });

  it('shrinks to what the gas reached in a simulation', () => {
    const gas = open();
    gas.observeReach(20);
    expect(gas.maxFills).toBeLessThanOrEqual(20);
  });

  it('is halved by every refusal for its size, down to one fill', () => {
    const gas = open();
    const sizes = [];
    for (let refusal = 0; refusal < 8; refusal += 1) {
      sizes.push(gas.maxFills);
      gas.halve(gas.maxFills);
    }
    expect(sizes).toEqual([56, 28, 14, 7, 3, 1, 1, 1]);
    for (let batch = 0; batch < 20; batch += 1) gas.observe(1, 65_535n);
    expect(gas.maxFills).toBe(1);
  });

  it('grows back after a passing refusal, by a quarter for every ten full batches that are mined', () => {
    const gas = open();
    gas.halve(56);
    for (let batch = 0; batch < 9; batch += 1) gas.accept(28);
    for (let batch = 0; batch < 50; batch += 1) gas.accept(27);
    expect(gas.maxFills).toBe(28);
    gas.accept(28);
    expect(gas.maxFills).toBe(35);
    for (let batch = 0; batch < 40; batch += 1) gas.accept(gas.maxFills);
    expect(gas.maxFills).toBe(56);
  });

  it('meets a limit that stays ever more seldom', () => {
    const gas = open();
    const most = 20;
    const refusals: number[] = [];
    for (let batch = 0; batch < 10_000; batch += 1) {
      if (gas.maxFills <= most) gas.accept(gas.maxFills);
      else {
        refusals.push(batch);
        gas.halve(gas.maxFills);
      }
    }
    expect(refusals.length).toBeLessThan(15);
    expect(refusals.filter((batch) => batch > 5_000).length).toBeLessThan(3);
    expect(gas.maxFills).toBeLessThanOrEqual(most);
  });

  it('is one fill where the cap is hardly enough for that', () => {
    expect(open(1_000_000n).maxFills).toBe(1);
  });
});
