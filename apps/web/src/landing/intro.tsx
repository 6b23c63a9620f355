// Introduction for visitors without a wallet: one sentence, one picture, and how to start.
import { usePage } from '../state/page-context.ts';
import { useWatched } from '../state/store.ts';
import { Icon } from '../ui/icon.tsx';
import { OpenWalletButton } from '../ui/redeem-button.tsx';

const EXAMPLE = [
  { outcome: 'YES', icon: 'check', pays: '$100', profit: 'you gain $36' },
  { outcome: 'NO', icon: 'cross', pays: '$0', profit: 'you lose $64' },
] as const;

export function Intro() {
  const { account } = usePage();
  const { wallet } = useWatched(account.state);
  // Undefined while the wallet is being looked up: visitors who have one must not see the introduction flash.
  if (wallet !== null) return <h1 className="sr">Markets</h1>;
  return (
    <section className="intro" aria-labelledby="intro-title" data-testid="intro">
      <div>
        <h1 id="intro-title">What happens next has a price.</h1>
        <p>
          Buy YES or NO. Each share of the right side pays $1, the other pays nothing. So a price of 64¢ means a 64%
          chance.
        </p>
        <div className="acts">
          <OpenWalletButton look="main lg" testId="start" />
        </div>
      </div>
      <Explainer />
    </section>
  );
}

function Explainer() {
  return (
    <div
      className="panel explain"
      role="img"
      aria-label="Example. You pay 64 dollars for 100 YES shares. If YES you get 100 dollars, if NO you get nothing."
    >
      <div className="explain-pay">
        <span className="t2 sm">You pay for YES</span>
        <b>$64</b>
        <span className="t3 sm wide-only">100 shares at 64¢</span>
      </div>
      <div className="explain-fork">
        <svg viewBox="0 0 56 124" preserveAspectRatio="none" fill="none" stroke="currentColor" aria-hidden="true">
          <path vectorEffect="non-scaling-stroke" d="M6 62C34 62 22 29 50 29M6 62C34 62 22 95 50 95" />
        </svg>
      </div>
      <div className="explain-outs">
        {EXAMPLE.map(({ outcome, icon, pays, profit }) => (
          <div key={outcome} className={`explain-out is-${outcome.toLowerCase()}`}>
            <span>
              <Icon name={icon} />
              {outcome} happens
            </span>
            <div>
              <b>{pays}</b>
              <span className="sm wide-only">{profit}</span>
            </div>
          </div>
        ))}
      </div>
    </div>
  );
}
