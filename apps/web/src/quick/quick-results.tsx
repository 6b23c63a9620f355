// The last outcomes of an asset's windows, and what the one that just closed brought the visitor.
import type { QuickMarket, UserPosition } from '@presage/sdk';
import { useEffect, useRef } from 'react';
import { money, moneyDown } from '../lib/format.ts';
import { assetName, outcomeLook } from '../lib/quick.ts';
import { clockMinute, zonedMinute } from '../lib/times.ts';
import { usePage } from '../state/page-context.ts';
import type { QuickFeed } from '../state/quick-feed.ts';
import { useChain } from '../state/service-config.ts';
import { useWatched } from '../state/store.ts';
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
        // It scrolls sideways on a phone, so the keyboard must reach it.
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

/** Says "you won" or "you lost" once when a window that the wallet had shares of is decided. */
export function QuickVerdicts({ quick }: { readonly quick: QuickFeed }) {
  const { reader, account, toasts } = usePage();
  const { chainId } = useChain();
  const { wallet } = useWatched(account.state);
  const { results } = useWatched(quick.state);
  const known = useRef<Set<string>>(undefined);
  const address = wallet?.address;
  useEffect(() => {
    if (results.length === 0) return;
    const fresh = known.current && results.filter(({ marketId }) => !known.current?.has(marketId));
    known.current = new Set(results.map(({ marketId }) => marketId));
    if (address === undefined || fresh === undefined || fresh.length === 0) return;
    account.touch();
    void reader
      .listPositions(address, { chain_id: chainId })
      .then(({ positions }) => {
        for (const result of fresh) {
          const position = positions.find(({ marketId }) => marketId === result.marketId);
          if (position !== undefined) toasts.show(verdictOf(result, position));
        }
      })
      .catch(() => undefined);
  }, [results, address, reader, account, toasts, chainId]);
  return null;
}

function verdictOf(result: QuickMarket, position: UserPosition) {
  const [profit, value] = [BigInt(position.pnl), BigInt(position.value)];
  const title =
    result.outcome === null
      ? 'Void: every share pays 50¢'
      : `${profit >= 0n ? 'You won' : 'You lost'} ${money(profit < 0n ? -profit : profit)}`;
  const word = result.outcome === null ? 'has no result' : `went ${outcomeLook(result.outcome).word}`;
  return {
    key: `verdict ${result.marketId}`,
    tone: profit >= 0n ? ('ok' as const) : ('warn' as const),
    title,
    text: `${assetName(result.asset)} ${word} at ${zonedMinute(result.endTime)}.`,
    link: value > 0n ? { href: '/portfolio', text: `Claim ${moneyDown(value)}` } : undefined,
  };
}
