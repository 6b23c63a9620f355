// The last outcomes of an asset's windows.
import type { QuickMarket } from '@presage/sdk';
import { useEffect } from 'react';
import { outcomeLook } from '../lib/quick.ts';
import { clockMinute } from '../lib/times.ts';
import { usePage } from '../state/page-context.ts';
import type { QuickFeed } from '../state/quick-feed.ts';
import { usePart, useWatched } from '../state/store.ts';
import { Icon } from '../ui/icon.tsx';
import { Panel } from '../ui/panel.tsx';

export function QuickResults({ quick }: { readonly quick: QuickFeed }) {
  const { results } = useWatched(quick.state);
  const count = (wanted: number | null) => results.filter(({ outcome }) => outcome === wanted).length;
  const voids = count(null);
  return (
    <Panel
      id="results"
      title="Recent results"
      note={`${count(0)} Up, ${count(1)} Down${voids > 0 ? `, ${voids} void` : ''}`}
    >
      {results.length === 0 ? (
        <p className="pad t2">No window has been decided yet.</p>
      ) : (
        // The list scrolls sideways on a phone, so the keyboard must reach it.
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region has to be reachable
        <ol className="past" aria-label="Last results, newest first" data-testid="results" tabIndex={0}>
          {results.map((result) => (
            <Result key={result.id} result={result} />
          ))}
        </ol>
      )}
    </Panel>
  );
}

function Result({ result }: { readonly result: QuickMarket }) {
  const { outcome, endTime } = result;
  const { tone, icon, word } = outcomeLook(outcome);
  return (
    <li className={tone}>
      <span className="side">
        <Icon name={icon} size={12} />
        {word}
      </span>
      <span className="xs">{outcome === null ? '50¢ each' : changeOf(result)}</span>
      <span className="xs">{clockMinute(endTime)}</span>
    </li>
  );
}

function changeOf({ startPrice, endPrice }: QuickMarket): string {
  const [start, end] = [Number(startPrice), Number(endPrice ?? startPrice)];
  const percentage = ((end - start) / start) * 100;
  return `${percentage < 0 ? '−' : '+'}${Math.abs(percentage).toFixed(2)}%`;
}

/** Reads the wallet's claims and positions again as soon as a window is decided. */
export function useResults(quick: QuickFeed): void {
  const { account } = usePage();
  const newest = usePart(quick.state, ({ results }) => results[0]?.marketId);
  useEffect(() => {
    if (newest !== undefined) account.touch();
  }, [newest, account]);
}
