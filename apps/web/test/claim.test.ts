// Claims that meet a full browser: money is not kept back.

import { afterEach, expect, it, vi } from 'vitest';
import { claimWinnings } from '../src/wallet/claim.ts';
import type { OpenWallet } from '../src/wallet/wallets.ts';

vi.hoisted(() => {
  const nothing = () => undefined;
  Object.assign(globalThis, { addEventListener: nothing, dispatchEvent: () => true });
});
afterEach(() => vi.unstubAllGlobals());

it('are sent from a browser without room', async () => {
  const setItem = () => {
    throw new DOMException('full', 'QuotaExceededError');
  };
  vi.stubGlobal('navigator', {});
  vi.stubGlobal('localStorage', { getItem: () => null, removeItem: () => undefined, setItem });
  const client = { redeemAll: async () => ({ transactions: [], totalPayout: 5n }) };
  expect(await claimWinnings({ address: '0x1', client } as unknown as OpenWallet)).toBe(5n);
});
