// The columns of a market screen, the same for every kind: header and chart, tabs, book and trades, ticket.

import { type ReactNode, useEffect } from 'react';
import { topOf } from '../lib/book-view.ts';
import { cents } from '../lib/format.ts';
import type { MarketFeed } from '../state/market-feed.ts';
import { usePage } from '../state/page-context.ts';
import { PHONE, useMedia } from '../state/preferences.ts';
import { usePart, useWatched } from '../state/store.ts';
import { usePosition } from '../state/use-position.ts';
import { Dialog } from '../widgets/dialog.tsx';
import { Ladder } from '../widgets/ladder.tsx';
import { OrdersTable } from '../widgets/orders-table.tsx';
import { PositionsTable } from '../widgets/positions-table.tsx';
import { ResolutionTimeline } from '../widgets/resolution-timeline.tsx';
import { Tabs } from '../widgets/tabs.tsx';
import { Tape } from '../widgets/tape.tsx';
import { OrderTicket } from '../widgets/ticket.tsx';
import { WideTable } from '../widgets/wide-table.tsx';

interface ColumnsProps {
  readonly feed: MarketFeed;
  /** Header and chart. */
  readonly children: ReactNode;
}

export function MarketColumns({ feed, children }: ColumnsProps) {
  const isPhone = useMedia(PHONE);
  const { ticket } = usePage();
  useEffect(() => ticket.begin(), [ticket]);
  return (
    <>
      <section className="g-main" aria-label="Market">
        {children}
        <MarketTabs feed={feed} />
      </section>
      <div className="g-side">
        <Ladder feed={feed} />
        <section className="g-tape" aria-labelledby="h-tape">
          <div className="pad">
            <h2 id="h-tape">Latest trades</h2>
          </div>
          <WideTable label="Latest trades table">
            <Tape feed={feed} />
          </WideTable>
        </section>
      </div>
      {isPhone ? (
        <PhoneTicket feed={feed} />
      ) : (
        <section className="g-ticket" id="ticket" tabIndex={-1} aria-labelledby="h-t">
          <OrderTicket feed={feed} />
        </section>
      )}
    </>
  );
}

function MarketTabs({ feed }: { readonly feed: MarketFeed }) {
  const market = usePart(feed.facts, (facts) => facts.market);
  const holding = usePosition(feed.marketId);
  const count = Number((holding?.yesShares ?? 0n) > 0n) + Number((holding?.noShares ?? 0n) > 0n);
  const orders = usePart(
    usePage().account.state,
    (state) => state.orders?.filter(({ marketId }) => marketId === feed.marketId).length ?? 0,
  );
  const tabs = [
    {
      key: 'positions',
      title: count === 0 ? 'Positions' : `Positions ${count}`,
      content: () => (
        <>
          <PositionsTable marketId={feed.marketId} market={market} />
          <ResolutionTimeline feed={feed} />
        </>
      ),
    },
    {
      key: 'orders',
      title: orders === 0 ? 'Open orders' : `Open orders ${orders}`,
      content: () => <OrdersTable marketId={feed.marketId} />,
    },
    { key: 'trades', title: 'Trades', content: () => <Tape feed={feed} rows={50} /> },
    {
      key: 'about',
      title: 'About',
      content: () => <p className="pad prose">{market?.description || 'There is no description.'}</p>,
    },
  ];
  return <Tabs label="Account and market data" tabs={tabs} />;
}

/** A bar that is always visible; the ticket opens as a sheet. */
function PhoneTicket({ feed }: { readonly feed: MarketFeed }) {
  const { ticket } = usePage();
  const isOpen = useWatched(ticket.isSheetOpen);
  const yes = usePart(feed.books, ({ YES }) => topOf(YES).ask);
  const no = usePart(feed.books, ({ NO }) => topOf(NO).ask);
  const open = (outcome: 'YES' | 'NO', ask: number | undefined) => {
    ticket.write({ side: 'buy', outcome });
    if (ask !== undefined) ticket.take({ outcome, from: 'asks', price: ask });
    ticket.isSheetOpen.set(true);
  };
  return (
    <>
      <aside className="bar" aria-label="Quick trade">
        <button type="button" className="cta" data-testid="m-buy-yes" onClick={() => open('YES', yes)}>
          Buy YES {yes === undefined ? '' : cents(yes)}
        </button>
        <button type="button" className="cta cta-no" data-testid="m-buy-no" onClick={() => open('NO', no)}>
          Buy NO {no === undefined ? '' : cents(no)}
        </button>
      </aside>
      <Dialog title="Order ticket" isOpen={isOpen} onClose={() => ticket.isSheetOpen.set(false)} isSheet>
        <OrderTicket feed={feed} />
      </Dialog>
    </>
  );
}
