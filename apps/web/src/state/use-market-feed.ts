// A market feed that lives as long as its market is on the screen.
import { useEffect, useMemo } from 'react';
import { MarketFeed } from './market-feed.ts';
import { usePage } from './page-context.ts';
import { QuickFeed } from './quick-feed.ts';

export function useMarketFeed(marketId: string | undefined): MarketFeed | undefined {
  const { reader, connection } = usePage();
  const feed = useMemo(
    () => (marketId === undefined ? undefined : new MarketFeed({ reader, connection, marketId })),
    [reader, connection, marketId],
  );
  useEffect(() => feed?.start(), [feed]);
  return feed;
}

export function useQuickFeed(asset: string): QuickFeed {
  const { reader, clock } = usePage();
  const feed = useMemo(() => new QuickFeed({ reader, clock, asset }), [reader, clock, asset]);
  useEffect(() => feed.start(), [feed]);
  return feed;
}
