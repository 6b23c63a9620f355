// What a wallet lacks is computed as the contract will settle: mint on sale included.
import { toPrice, toSize } from '@presage/protocol';
import { describe, expect, it } from 'vitest';
import { type FillNeed, findShortfalls, shareKey } from '../../src/sandbox/shortfall.ts';

const sale = (buyer: string, seller: string, price: number, size: number, outcome: 0 | 1 = 0): FillNeed => ({
  buyer,
  seller,
  marketId: 'm',
  outcome,
  price: toPrice(price),
  size: toSize(size),
  takerSide: 0,
});

function lack(fills: FillNeed[], money: Record<string, bigint> = {}, shares: Record<string, bigint> = {}): object {
  const holdings = { money: new Map(Object.entries(money)), shares: new Map(Object.entries(shares)) };
  return Object.fromEntries(findShortfalls(fills, holdings));
}

describe('shortfalls', () => {
  it('are shared by two wallets with nothing that mint together', () => {
    expect(lack([sale('alice', 'bob', 600_000, 10)])).toEqual({ alice: 6n, bob: 4n });
  });

  it('count what takers are charged and what makers get back of it', () => {
    const charged = { ...sale('alice', 'bob', 600_000, 100), fee: 5, makerRebate: 2 };
    expect(lack([charged])).toEqual({ alice: 65n, bob: 38n });
    expect(lack([{ ...charged, takerSide: 1 }])).toEqual({ alice: 58n, bob: 45n });
  });

  it('round the cost up, so that the seller lacks one unit less', () => {
    expect(lack([sale('alice', 'bob', 333_333, 10)])).toEqual({ alice: 4n, bob: 6n });
  });

  it('are none for sellers who hold the shares, and who may spend their proceeds', () => {
    const held = { [shareKey('bob', 'm', 0)]: 10n };
    expect(lack([sale('alice', 'bob', 600_000, 10), sale('bob', 'carol', 600_000, 10)], {}, held)).toEqual({
      alice: 6n,
      carol: 4n,
    });
  });

  it('count shares bought in one fill for the next', () => {
    expect(
      lack([sale('alice', 'bob', 600_000, 10), sale('carol', 'alice', 700_000, 10)], { alice: 6n, bob: 4n }),
    ).toEqual({
      carol: 7n,
    });
  });

  it('count the complement of a mint as held', () => {
    const fills = [sale('alice', 'bob', 600_000, 10), sale('carol', 'bob', 300_000, 10, 1)];
    expect(lack(fills, { alice: 6n, bob: 4n })).toEqual({ carol: 3n });
  });
});
