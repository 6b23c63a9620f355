// The visitor's winnings in past windows, with a button to claim them and a switch for automatic redemption.
import { moneyDown } from '../lib/format.ts';
import type { QuickFeed } from '../state/quick-feed.ts';
import { useWatched } from '../state/store.ts';
import { AutoClaimSwitch } from '../ui/auto-claim-switch.tsx';
import { Icon } from '../ui/icon.tsx';
import { RedeemButton } from '../ui/redeem-button.tsx';
import { useClaims } from '../wallet/use-claims.ts';

export function QuickClaim({ quick }: { readonly quick: QuickFeed }) {
  const { results } = useWatched(quick.state);
  const { payouts } = useClaims();
  const won = results.map(({ marketId }) => marketId).filter((id) => payouts.has(id));
  const total = won.reduce((sum, id) => sum + (payouts.get(id) ?? 0n), 0n);
  if (total === 0n) return null;
  return (
    <section className="panel quick-claim" aria-label="Won" data-testid="quick-claim">
      <Icon name="trophy" size={20} />
      <b className="grow">You won {moneyDown(total)}</b>
      <AutoClaimSwitch />
      <RedeemButton testId="quick-redeem" value={total} markets={won} look="yes">
        Redeem {moneyDown(total)}
      </RedeemButton>
    </section>
  );
}
