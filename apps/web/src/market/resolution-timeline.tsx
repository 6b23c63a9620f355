// The resolution of a market: one sentence, the steps with the current one marked, and the next possible action.
import { milestonesOf, sentenceOf } from '../lib/milestones.ts';
import type { MarketFeed } from '../state/market-feed.ts';
import { usePage } from '../state/page-context.ts';
import { useChain } from '../state/service-config.ts';
import { useWatched } from '../state/store.ts';
import { Icon } from '../ui/icon.tsx';
import { Skeleton } from '../ui/states.tsx';
import { ResolutionActions } from './resolution-actions.tsx';

export function ResolutionTimeline({ feed }: { readonly feed: MarketFeed }) {
  const { market, resolution } = useWatched(feed.facts);
  const { disputeWindowSeconds } = useChain(market?.chainId);
  const nowSeconds = useWatched(usePage().clock.seconds);
  if (market === undefined || resolution === undefined) return <Skeleton rows={6} rowHeight={26} />;
  const facts = { market, resolution, nowSeconds, disputeWindowSeconds };
  return (
    <div data-testid="resolution" data-state={resolution.status}>
      <div className="panel-head">
        <h2>How it is decided</h2>
        <p className="sm t2" data-testid="resolution-sentence">
          {sentenceOf(facts)}
        </p>
      </div>
      <ol className="steps road pad" data-testid="timeline">
        {milestonesOf(facts).map(({ text, when, state }) => (
          <li
            key={text}
            className={`step ${state === 'later' ? '' : state}`}
            aria-current={state === 'now' ? 'step' : undefined}
          >
            <span className="pin" aria-hidden="true">
              {state === 'done' && <Icon name="check" size={12} />}
            </span>
            <span>
              {text}
              <small>{when}</small>
            </span>
          </li>
        ))}
      </ol>
      <div className="road-acts">
        <ResolutionActions
          market={market}
          resolution={resolution}
          nowSeconds={nowSeconds}
          onDone={() => void feed.reload()}
        />
      </div>
    </div>
  );
}
