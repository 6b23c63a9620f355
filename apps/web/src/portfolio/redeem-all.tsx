// One button that redeems all winnings, and the redemptions that are pending or failed; nothing when there is nothing.
import { useState } from 'react';
import { money, moneyDown, shortHash } from '../lib/format.ts';
import { toFailure } from '../state/failure.ts';
import { usePage } from '../state/page-context.ts';
import { useWatched } from '../state/store.ts';
import { Icon } from '../ui/icon.tsx';
import type { Portfolio } from './use-portfolio.ts';

export function RedeemAll({ portfolio }: { readonly portfolio: Portfolio }) {
  const { account, toasts } = usePage();
  const { wallet } = useWatched(account.state);
  const [isBusy, setIsBusy] = useState(false);
  const [note, setNote] = useState('');
  const { claimable, claimableMarkets, pendingClaims, failedClaims } = portfolio;
  const redeem = async () => {
    if (!wallet || isBusy) return;
    setIsBusy(true);
    toasts.show({ key: 'redeem', tone: 'wait', title: `Redeeming ${moneyDown(claimable)}` });
    try {
      const { transactions, totalPayout } = await wallet.client.redeemAll();
      for (const transaction of transactions) await transaction.wait();
      setNote(`${money(totalPayout)} paid out, without gas.`);
      toasts.show({ key: 'redeem', tone: 'ok', title: `${money(totalPayout)} paid out` });
    } catch (error) {
      const { message, remedy, requestId } = toFailure(error);
      setNote('');
      toasts.show({
        key: 'redeem',
        tone: 'bad',
        title: 'Not redeemed',
        text: `${message}. ${remedy ?? ''}`,
        requestId,
      });
    }
    setIsBusy(false);
    account.touch();
  };
  const isNothing = claimable === 0n;
  if (isNothing && note === '' && pendingClaims.length === 0 && failedClaims.length === 0) return null;
  return (
    <section className="panel redeem" aria-label="Winnings" data-testid="claims">
      {!isNothing && (
        <>
          <div className="row redeem-head">
            <span className="tile redeem-tile" aria-hidden="true">
              <Icon name="trophy" size={20} />
            </span>
            <div className="grow">
              <h2>You can redeem {moneyDown(claimable)}</h2>
              <p className="sm t2">
                From {claimableMarkets} decided {claimableMarkets === 1 ? 'market' : 'markets'}. There is no deadline.
              </p>
            </div>
          </div>
          <button
            type="button"
            className="btn btn-yes wide lg"
            data-testid="redeem-all"
            aria-busy={isBusy}
            onClick={() => void redeem()}
          >
            {isBusy ? 'Redeeming…' : `Redeem all ${moneyDown(claimable)} (no gas)`}
          </button>
        </>
      )}
      <p className="sm t2" role="status" data-testid="redeem-note">
        {note}
      </p>
      {pendingClaims.map(({ txHash, payout }) => (
        <p key={txHash} className="sm" data-testid="pending-claim">
          <span className="badge">pending</span> {money(payout)} on its way ({shortHash(txHash)})
        </p>
      ))}
      {failedClaims.map(({ txHash, payout, reason }) => (
        <p key={txHash} className="sm bad" data-testid="failed-claim">
          Failed: {money(payout)}, {reason}. It can be redeemed again.
        </p>
      ))}
    </section>
  );
}
