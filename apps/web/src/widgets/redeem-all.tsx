// One button that redeems all winnings, and the redemptions that are pending or failed.
import { useState } from 'react';
import { money, shortHash } from '../lib/format.ts';
import { toFailure } from '../state/failure.ts';
import { usePage } from '../state/page-context.ts';
import { useWatched } from '../state/store.ts';
import type { Portfolio } from '../state/use-portfolio.ts';

export function RedeemAll({ portfolio }: { readonly portfolio: Portfolio }) {
  const { account } = usePage();
  const { wallet } = useWatched(account.state);
  const [note, setNote] = useState('');
  const { claimable, claimableMarkets, pendingClaims, failedClaims } = portfolio;
  const redeem = async () => {
    if (!wallet) return;
    setNote('Signing and sending…');
    try {
      const { transactions, totalPayout } = await wallet.client.redeemAll();
      for (const transaction of transactions) await transaction.wait();
      setNote(`${money(totalPayout)} paid out, without gas.`);
    } catch (error) {
      const { message, remedy } = toFailure(error);
      setNote(`Not redeemed: ${message}. ${remedy ?? ''}`);
    }
    account.touch();
  };
  const isNothing = claimable === 0n;
  return (
    <section className="pad stack" aria-label="Claims" data-testid="claims">
      <button
        type="button"
        className="cta redeem"
        data-testid="redeem-all"
        aria-disabled={isNothing}
        onClick={() => !isNothing && void redeem()}
      >
        Redeem all {money(claimable)} (no gas)
      </button>
      <p className="muted" role="status" data-testid="redeem-note">
        {note ||
          (isNothing
            ? 'Nothing to redeem: winnings appear here when a market is decided.'
            : `From ${claimableMarkets} ${claimableMarkets === 1 ? 'market' : 'markets'}.`)}
      </p>
      {pendingClaims.map(({ txHash, payout }) => (
        <p key={txHash} data-testid="pending-claim">
          <span className="badge">pending</span> {money(payout)} on its way ({shortHash(txHash)})
        </p>
      ))}
      {failedClaims.map(({ txHash, payout, reason }) => (
        <p key={txHash} className="no" data-testid="failed-claim">
          Failed: {money(payout)}, {reason}. It can be redeemed again.
        </p>
      ))}
    </section>
  );
}
