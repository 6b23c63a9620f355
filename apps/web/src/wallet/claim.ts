// Claims winnings: one claim of a wallet at a time over all tabs of this browser.
import { PresageConnectionError, type PublicClient } from '@presage/sdk';
import { keep, recall } from '../state/kept.ts';
import type { OpenWallet } from './wallets.ts';

/** The service knows a claim well within this time after the page that sent it was left. */
const IN_DOUBT_MS = 60_000;

/** Claims in the named markets, or in all, and waits until it is paid; after a claim that is under way in another tab. Answers what it paid. */
export function claimWinnings(wallet: OpenWallet, markets?: readonly string[]): Promise<bigint> {
  return withLock(wallet, false, () => redeem(wallet, markets));
}

/** The same without being asked to: claims nothing while another claim is under way or may be, nor where one is pending. */
export function claimByItself(
  wallet: OpenWallet,
  reader: Pick<PublicClient, 'listPendingClaims'>,
  markets: readonly string[],
): Promise<bigint> {
  return withLock(wallet, true, async () => {
    if (Number(recall(markOf(wallet))) > Date.now()) return 0n;
    const { pendingClaims } = await reader.listPendingClaims();
    const own = pendingClaims.filter(({ userAddress }) => userAddress.toLowerCase() === wallet.address.toLowerCase());
    const pending = new Set(own.map(({ marketId }) => marketId));
    const left = markets.filter((id) => !pending.has(id));
    return left.length === 0 ? 0n : redeem(wallet, left);
  });
}

/** Nothing is left to claim: what was in doubt is over. */
export function forgetClaims(wallet: OpenWallet): Promise<bigint> {
  return withLock(wallet, true, async () => {
    keep(markOf(wallet), undefined);
    return 0n;
  });
}

function markOf({ address }: OpenWallet): string {
  return `presage.claiming ${address.toLowerCase()}`;
}

async function withLock(wallet: OpenWallet, ifAvailable: boolean, work: () => Promise<bigint>): Promise<bigint> {
  // Browsers have locks only where a page came by a safe way; the mark alone has to do elsewhere.
  if (!('locks' in navigator)) return work();
  return navigator.locks.request(markOf(wallet), { ifAvailable }, (lock) => (lock === null ? 0n : work()));
}

async function redeem(wallet: OpenWallet, markets: readonly string[] | undefined): Promise<bigint> {
  // A reload ends the lock, but not the request. Where a full browser keeps no mark, the service refuses what was redeemed already.
  keep(markOf(wallet), Date.now() + IN_DOUBT_MS);
  try {
    const { transactions, totalPayout } = await wallet.client.redeemAll(markets && { markets });
    for (const transaction of transactions) await transaction.wait();
    keep(markOf(wallet), undefined);
    return totalPayout;
  } catch (error) {
    // Without an answer nobody knows whether it was sent.
    if (!(error instanceof PresageConnectionError)) keep(markOf(wallet), undefined);
    throw error;
  }
}
