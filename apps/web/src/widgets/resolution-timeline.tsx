// The resolution of a market: its current step, one sentence on top, and the next possible action.
import type { Market, OutcomeName, ResolutionStatus } from '@presage/sdk';
import { useState } from 'react';
import { type Milestone, milestonesOf, sentenceOf } from '../lib/milestones.ts';
import { toFailure } from '../state/failure.ts';
import type { MarketFeed } from '../state/market-feed.ts';
import { usePage } from '../state/page-context.ts';
import { useChain } from '../state/service-config.ts';
import { useWatched } from '../state/store.ts';
import { Skeleton } from './states.tsx';

const SIGNS: Readonly<Record<Milestone['state'], string>> = { done: '●', now: '◉', later: '○' };

export function ResolutionTimeline({ feed }: { readonly feed: MarketFeed }) {
  const { market, resolution } = useWatched(feed.facts);
  const { disputeWindowSeconds } = useChain();
  const nowSeconds = useWatched(usePage().clock.seconds);
  if (market === undefined || resolution === undefined) return <Skeleton rows={6} rowHeight={26} />;
  const facts = { market, resolution, nowSeconds, disputeWindowSeconds };
  return (
    <div className="pad" data-testid="resolution" data-state={resolution.status}>
      <h2>Resolution</h2>
      <p data-testid="resolution-sentence">{sentenceOf(facts)}</p>
      <ol className="tl" data-testid="timeline">
        {milestonesOf(facts).map(({ text, when, state }) => (
          <li
            key={text}
            className={state === 'later' ? 'muted' : ''}
            aria-current={state === 'now' ? 'step' : undefined}
          >
            <span aria-hidden="true">{SIGNS[state]}</span>
            <span>{text}</span>
            <span className="muted">{when}</span>
          </li>
        ))}
      </ol>
      <ResolutionActions feed={feed} market={market} resolution={resolution} nowSeconds={nowSeconds} />
    </div>
  );
}

interface ActionsProps {
  readonly feed: MarketFeed;
  readonly market: Market;
  readonly resolution: ResolutionStatus;
  readonly nowSeconds: number;
}

/** Quick markets are resolved by the price, not by a proposal. */
function ResolutionActions({ feed, market, resolution, nowSeconds }: ActionsProps) {
  const { account } = usePage();
  const { wallet } = useWatched(account.state);
  const [note, setNote] = useState('');
  const act = async (text: string, work: () => Promise<{ wait(): Promise<void> }>) => {
    setNote(`${text}…`);
    try {
      await (await work()).wait();
      setNote('');
    } catch (error) {
      const { message, remedy } = toFailure(error);
      setNote(`${text} failed: ${message}. ${remedy ?? ''}`);
    }
    await feed.reload();
  };
  const { assertion } = resolution;
  const canPropose = resolution.status === 'expired' && market.kind === 'standard';
  const canSettle =
    resolution.status === 'proposed' && assertion !== undefined && assertion.expirationTime <= nowSeconds;
  if (!canPropose && !canSettle) return note === '' ? null : <p role="status">{note}</p>;
  if (!wallet) return <p className="muted">Open a wallet to take part in the resolution.</p>;
  const propose = (outcome: OutcomeName) =>
    act(`Proposing ${outcome}`, () => wallet.client.proposeResolution(market.id, outcome));
  return (
    <div className="chips">
      {canPropose &&
        (['YES', 'NO'] as const).map((outcome) => (
          <button
            key={outcome}
            type="button"
            className="btn"
            data-testid={`propose-${outcome}`}
            onClick={() => void propose(outcome)}
          >
            Propose {outcome}
          </button>
        ))}
      {canSettle && (
        <button
          type="button"
          className="btn"
          data-testid="settle"
          onClick={() => void act('Settling', () => wallet.client.settleMarket(market.id))}
        >
          Settle now
        </button>
      )}
      <p role="status">{note}</p>
    </div>
  );
}
