// How often a wallet may refuse on chain what it stood by in a simulation, and what becomes of its trades.
import { describe, expect, it } from 'vitest';
import { DeceptiveWallets } from '../../src/settlement/deceptive-wallets.ts';

const trade = { buyer: '0xb', seller: '0x5' } as const;

describe('a wallet that refuses on chain what it stood by', () => {
  it('is trusted before the first time, and nobody else is suspect after it', () => {
    const wallets = new DeceptiveWallets();
    expect([wallets.hasAny, wallets.isSuspect(trade)]).toEqual([false, false]);
    wallets.add('0xe');
    expect([wallets.hasAny, wallets.isSuspect(trade)]).toEqual([true, false]);
    expect(wallets.findFault(trade)).toBeUndefined();
  });

  it.each([
    ['buyer', trade.buyer],
    ['seller', trade.seller],
  ])('settles alone after the first time, and as the %s not at all after the second', (faultParty, wallet) => {
    const wallets = new DeceptiveWallets();
    wallets.add(wallet);
    expect(wallets.isSuspect(trade)).toBe(true);
    expect(wallets.findFault(trade)).toBeUndefined();
    wallets.add(wallet);
    expect(wallets.findFault(trade)).toMatchObject({ faultParty, reason: expect.stringContaining(faultParty) });
  });
});
