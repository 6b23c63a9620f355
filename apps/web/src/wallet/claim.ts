// Claims winnings, one claim of a wallet at a time across all tabs of this browser.
import { PresageConnectionError, type PublicClient } from '@presage/sdk';
import { keep, recall } from '../state/kept.ts';
import type { OpenWallet } from './wallets.ts';

/** Time in which a claim sent by a closed page surely shows up at the service. */
const IN_DOUBT_MS = 60_000;

/** Claims in the given markets, or in all, after any claim in another tab; waits for the payment and resolves to the payout. */
export function claimWinnings(wallet: OpenWallet, markets?: readonly string[]): Promise<bigint> {
  return withLock(wallet, false, () => redeem(wallet, markets));
}

/** Automatic claim: claims nothing while another claim runs or may be running, and skips markets with a pending claim. */
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

/** Clears the mark of a claim in doubt; call it when nothing is left to claim. */
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
  // Browsers offer locks only to pages from a secure origin; elsewhere the mark alone must suffice.
  if (!('locks' in navigator)) return work();
  return navigator.locks.request(markOf(wallet), { ifAvailable }, (lock) => (lock === null ? 0n : work()));
}

async function redeem(wallet: OpenWallet, markets: readonly string[] | undefined): Promise<bigint> {
  // A reload releases the lock but does not stop the request, so a mark stays. Without a mark (full storage) the service refuses a second claim.
  keep(markOf(wallet), Date.now() + IN_DOUBT_MS);
  try {
    const { transactions, totalPayout } = await wallet.client.redeemAll(markets && { markets });
    for (const transaction of transactions) await transaction.wait();
    keep(markOf(wallet), undefined);
    return totalPayout;
  } catch (error) {
    // Without an answer the claim may have been sent, so the mark stays.
    if (!(error instanceof PresageConnectionError)) keep(markOf(wallet), undefined);
    throw error;
  }
}
