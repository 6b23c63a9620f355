// Claims winnings automatically for wallets that have enabled it, whichever screen is open.
import { useEffect, useRef } from 'react';
import { money } from '../lib/format.ts';
import { isRefusal, toFailure } from '../state/failure.ts';
import { KeptSet } from '../state/kept-set.ts';
import { usePage } from '../state/page-context.ts';
import { usePart, useWatched } from '../state/store.ts';
import { claimByItself, forgetClaims } from './claim.ts';
import { useClaims } from './use-claims.ts';

/** Addresses of wallets with automatic redemption. */
const choice = new KeptSet('presage.auto-claim');

export function useAutoClaimChoice() {
  const address = usePart(usePage().account.state, ({ wallet }) => wallet?.address) ?? '';
  const isOn = usePart(choice.store, (addresses) => addresses.has(address));
  return { isOn, toggle: () => choice.toggle(address) };
}

/** Failures of the same wins before one is shown: wins that were claimed elsewhere meanwhile are gone by the second attempt. */
const TOLD_AFTER = 2;

/** Use this hook once per page. Claims all wins together, and retries each time the claims are read. */
export function useAutoClaim(): void {
  const page = usePage();
  const { wallet } = useWatched(page.account.state);
  const { isOn } = useAutoClaimChoice();
  const claims = useClaims();
  const failures = useRef({ key: '', count: 0 });
  useEffect(() => {
    const markets = [...claims.payouts.keys()];
    if (!wallet || !isOn || !claims.isRead) return;
    if (markets.length === 0) return void forgetClaims(wallet);
    const onPaid = (paid: bigint) => {
      if (paid === 0n) return;
      page.toasts.show({ key: 'redeem', tone: 'ok', title: `${money(paid)} redeemed` });
      page.account.touch();
    };
    const onFailure = (error: unknown) => {
      const key = markets.join(' ');
      failures.current = { key, count: failures.current.key === key ? failures.current.count + 1 : 1 };
      if (isRefusal(error)) turnOff(wallet.address);
      else if (failures.current.count !== TOLD_AFTER) return;
      const { message, remedy = '', requestId } = toFailure(error);
      const title = isRefusal(error) ? 'Automatic redemption is off now' : 'Not redeemed, trying again';
      page.toasts.show({
        key: 'redeem',
        id: `${title} ${key}`,
        tone: 'bad',
        title,
        text: `${message}. ${remedy}`,
        requestId,
      });
    };
    claimByItself(wallet, page.reader, markets).then(onPaid, onFailure);
  }, [claims, wallet, isOn, page]);
}

/** Turns automatic redemption off for a wallet that refused to sign, so that it is not asked again. */
function turnOff(address: string): void {
  if (choice.store.get().has(address)) choice.toggle(address);
}
