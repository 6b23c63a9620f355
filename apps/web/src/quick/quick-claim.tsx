// What the visitor has won in windows that are over, with a button to claim it, now or always by itself.
import { useEffect, useRef } from 'react';
import { moneyDown } from '../lib/format.ts';
import { usePage } from '../state/page-context.ts';
import { setAutoClaim, usePreferences } from '../state/preferences.ts';
import type { QuickFeed } from '../state/quick-feed.ts';
import { useWatched } from '../state/store.ts';
import { useAct } from '../state/use-act.ts';
import { Button } from '../ui/controls.tsx';
import { Icon } from '../ui/icon.tsx';
import { RedeemButton } from '../ui/redeem-button.tsx';
import { useClaims } from '../wallet/use-claims.ts';

export function QuickClaim({ quick }: { readonly quick: QuickFeed }) {
  const { results } = useWatched(quick.state);
  const { payouts } = useClaims();
  const { isAutoClaim } = usePreferences();
  const won = results.map(({ marketId }) => marketId).filter((id) => payouts.has(id));
  const total = won.reduce((sum, id) => sum + (payouts.get(id) ?? 0n), 0n);
  useAutoClaim(isAutoClaim ? won : [], total);
  if (total === 0n) return null;
  return (
    <section className="panel quick-claim" aria-label="Won" data-testid="quick-claim">
      <Icon name="trophy" size={20} />
      <b className="grow">You won {moneyDown(total)}</b>
      <Button
        look="quiet sm"
        role="switch"
        aria-checked={isAutoClaim}
        testId="auto-claim"
        onClick={() => setAutoClaim(!isAutoClaim)}
      >
        Claim by itself: {isAutoClaim ? 'on' : 'off'}
      </Button>
      <RedeemButton testId="quick-redeem" value={total} markets={won} look="yes">
        Claim {moneyDown(total)}
      </RedeemButton>
    </section>
  );
}

/** All of them in one go, each set once: a wallet that says no is not asked again. */
function useAutoClaim(markets: readonly string[], total: bigint): void {
  const { wallet } = useWatched(usePage().account.state);
  const { run } = useAct('redeem');
  const tried = useRef('');
  useEffect(() => {
    const key = markets.join(' ');
    if (!wallet || key === '' || tried.current === key) return;
    tried.current = key;
    const told = { done: `${moneyDown(total)} claimed`, failed: 'Not claimed' };
    void run(told, async () => {
      const { transactions } = await wallet.client.redeemAll({ markets });
      for (const transaction of transactions) await transaction.wait();
    });
  });
}
