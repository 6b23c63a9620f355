// A market feed that runs as long as its market is on the screen.
import { useEffect, useMemo } from 'react';
import { type OutcomeNames, PLAIN_NAMES } from '../lib/outcomes.ts';
import { MarketFeed } from './market-feed.ts';
import { usePage } from './page-context.ts';
import { QuickFeed } from './quick-feed.ts';

export function useMarketFeed(marketId: string, names: OutcomeNames = PLAIN_NAMES): MarketFeed {
  const page = usePage();
  const feed = useMemo(() => new MarketFeed(page, marketId, names), [page, marketId, names]);
  useEffect(() => feed.start(), [feed]);
  return feed;
}

export function useQuickFeed(asset: string): QuickFeed {
  const page = usePage();
  const feed = useMemo(() => new QuickFeed(page, asset), [page, asset]);
  useEffect(() => feed.start(), [feed]);
  return feed;
}
