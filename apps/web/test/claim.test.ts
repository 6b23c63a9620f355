// Claims that meet a full browser or an outage: money is not kept back, and what was sent is not called failed.

import { PresageConnectionError } from '@presage/sdk';
import { afterEach, expect, it, vi } from 'vitest';
import { claimWinnings } from '../src/wallet/claim.ts';
import type { OpenWallet } from '../src/wallet/wallets.ts';

vi.hoisted(() => {
  const nothing = () => undefined;
  Object.assign(globalThis, { addEventListener: nothing, dispatchEvent: () => true });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it('are sent from a browser without room', async () => {
  const setItem = () => {
    throw new DOMException('full', 'QuotaExceededError');
  };
  vi.stubGlobal('navigator', {});
  vi.stubGlobal('localStorage', { getItem: () => null, removeItem: () => undefined, setItem });
  const client = { redeemAll: async () => ({ transactions: [], totalPayout: 5n }) };
  expect(await claimWinnings({ address: '0x1', client } as unknown as OpenWallet)).toBe(5n);
});

it('are waited for while the service is away', async () => {
  vi.useFakeTimers();
  vi.stubGlobal('navigator', {});
  vi.stubGlobal('localStorage', { removeItem: () => undefined, setItem: () => undefined });
  const looks = [new PresageConnectionError('no answer', 'cut'), new PresageConnectionError('no answer', 'cut')];
  const wait = async () => {
    const error = looks.shift();
    if (error !== undefined) throw error;
  };
  const client = { redeemAll: async () => ({ transactions: [{ wait }], totalPayout: 5n }) };
  const paid = claimWinnings({ address: '0x1', client } as unknown as OpenWallet);
  await Promise.all([expect(paid).resolves.toBe(5n), vi.advanceTimersByTimeAsync(60_000)]);
});
