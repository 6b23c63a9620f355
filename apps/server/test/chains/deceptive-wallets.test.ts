// How often a wallet may refuse on chain what it accepted in a simulation, and what becomes of its trades.
import type { Address } from '@presage/protocol';
import { padHex } from 'viem';
import { describe, expect, it } from 'vitest';
import { DeceptiveWallets } from '../../src/chains/deceptive-wallets.ts';

const addressOf = (id: number): Address => padHex(`0x${id.toString(16)}`, { size: 20 }) as Address;
const trade = { buyer: addressOf(0xb), seller: addressOf(0x5) } as const;
const [first, second] = [
  { tradeId: 'aa-1', attempt: 1 },
  { tradeId: 'aa-1', attempt: 2 },
] as const;

describe('a wallet that refuses on chain what it accepted', () => {
  it('is trusted before the first time, and nobody else is suspect after it', () => {
    const wallets = new DeceptiveWallets();
    expect([wallets.hasAny, wallets.isSuspect(trade)]).toEqual([false, false]);
    wallets.apply({ wallet: addressOf(0xe), ...first });
    expect([wallets.hasAny, wallets.isSuspect(trade)]).toEqual([true, false]);
    expect(wallets.findFault(trade)).toBeUndefined();
  });

  it.each([
    ['buyer', trade.buyer],
    ['seller', trade.seller],
  ])('settles alone after the first time, and as the %s not at all after the second', (faultParty, wallet) => {
    const wallets = new DeceptiveWallets();
    wallets.apply({ wallet, ...first });
    expect(wallets.isSuspect(trade)).toBe(true);
    expect(wallets.findFault(trade)).toBeUndefined();
    wallets.apply({ wallet, ...second });
    expect(wallets.findFault(trade)).toMatchObject({ faultParty, reason: expect.stringContaining(faultParty) });
  });

  it('is counted once for an attempt that is noted twice', () => {
    const wallets = new DeceptiveWallets();
    wallets.apply({ wallet: trade.buyer, ...first });
    wallets.apply({ wallet: trade.buyer, ...first });
    expect(wallets.findFault(trade)).toBeUndefined();
  });

  it('is remembered by what was noted, and the oldest is forgotten when there are too many', () => {
    const wallets = new DeceptiveWallets(3);
    for (const id of [1, 2, 3, 1, 4]) wallets.apply({ wallet: addressOf(id), ...(id === 1 ? second : first) });
    const restored = new DeceptiveWallets(3);
    for (const note of wallets.notes()) restored.apply(note);
    for (const each of [wallets, restored]) {
      const suspects = [1, 2, 3, 4].filter((id) => each.isSuspect({ ...trade, buyer: addressOf(id) }));
      expect(suspects).toEqual([2, 3, 4]);
    }
    expect(restored.notes()).toEqual(wallets.notes());
  });

  it('keeps no more notes of a wallet than count', () => {
    const wallets = new DeceptiveWallets();
    for (let attempt = 1; attempt < 9; attempt++) wallets.apply({ wallet: trade.buyer, tradeId: 'aa-1', attempt });
    expect(wallets.notes().map(({ attempt }) => attempt)).toEqual([1, 2]);
  });
});
