// The columns of a market screen, the same for every kind: header and chart, tabs, book and trades, ticket.

import type { Market, OutcomeName } from '@presage/sdk';
import { type ReactNode, useEffect } from 'react';
import { topOf } from '../lib/book-view.ts';
import { cents, money } from '../lib/format.ts';
import { OUTCOMES } from '../lib/outcomes.ts';
import type { MarketFeed } from '../state/market-feed.ts';
import { usePage } from '../state/page-context.ts';
import { PHONE, useMedia } from '../state/preferences.ts';
import { useChain } from '../state/service-config.ts';
import { usePart, useWatched } from '../state/store.ts';
import { OrderTicket, type TicketProps } from '../ticket/ticket.tsx';
import { Button } from '../ui/controls.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Panel } from '../ui/panel.tsx';
import { Related } from '../ui/related.tsx';
import { Skeleton } from '../ui/states.tsx';
import { Tabs } from '../ui/tabs.tsx';
import { HealthNotice } from './health-notice.tsx';
import { Ladder } from './ladder.tsx';
import { Activity, Holders } from './market-people.tsx';
import { OrdersTable } from './orders-table.tsx';
import { PositionsTable } from './positions-table.tsx';
import { ResolutionTimeline } from './resolution-timeline.tsx';
import { Tape } from './tape.tsx';
import { useCanTrade } from './use-can-trade.ts';
import { usePosition } from './use-position.ts';

/** Width from which the book has its own column. */
const WIDE = '(min-width: 1280px)';
/** Columns scroll by themselves, so the keyboard must reach them. */
const REACHABLE = 0;

interface ColumnsProps extends TicketProps {
  /** Asset of a quick market, whose price feed is watched too. */
  readonly asset?: string;
  /** Header and chart. */
  readonly children: ReactNode;
}

interface PartProps {
  readonly feed: MarketFeed;
}

export function MarketColumns({ feed, asset, offer, children }: ColumnsProps) {
  const isPhone = useMedia(PHONE);
  const isWide = useMedia(WIDE);
  const { ticket, account } = usePage();
  const market = usePart(feed.facts, (facts) => facts.market);
  const chainId = market?.chainId;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each market begins with an empty ticket.
  useEffect(() => ticket.begin(asset), [ticket, asset, feed.marketId]);
  useEffect(() => {
    account.showChain(chainId);
    return () => account.showChain(undefined);
  }, [account, chainId]);
  return (
    <>
      <section className="col" aria-label="Question, chart and your shares" tabIndex={REACHABLE}>
        <HealthNotice {...(asset !== undefined && { asset })} />
        {children}
        {!isWide && (
          <div className="mid-book">
            <BookAndTape feed={feed} />
          </div>
        )}
        <section className="panel" aria-label="Yours and the market's">
          <MarketTabs feed={feed} />
        </section>
        <section className="panel road-panel" aria-label="How it is decided">
          <ResolutionTimeline feed={feed} />
        </section>
        {market?.kind === 'standard' && <Related market={market} title="Related markets" />}
      </section>
      {isWide && (
        <section className="col col-book" aria-label="Book and trades" tabIndex={REACHABLE}>
          <BookAndTape feed={feed} />
        </section>
      )}
      {isPhone ? (
        <PhoneTicket feed={feed} offer={offer} />
      ) : (
        <section className="col col-ticket" aria-label="Order ticket" tabIndex={REACHABLE}>
          <section className="panel ticket" id="ticket" aria-labelledby="h-t">
            <OrderTicket feed={feed} offer={offer} />
          </section>
        </section>
      )}
    </>
  );
}

function BookAndTape({ feed }: PartProps) {
  return (
    <>
      <Ladder feed={feed} />
      <Panel id="tape" title="Latest trades">
        <Tape feed={feed} />
      </Panel>
    </>
  );
}

function MarketTabs({ feed }: PartProps) {
  const market = usePart(feed.facts, (facts) => facts.market);
  const holding = usePosition(feed.marketId);
  const count = Number((holding?.yesShares ?? 0n) > 0n) + Number((holding?.noShares ?? 0n) > 0n);
  const orders = usePart(
    usePage().account.state,
    (state) => state.orders?.filter(({ marketId }) => marketId === feed.marketId).length ?? 0,
  );
  const tabs = [
    { key: 'positions', title: 'Position', count, content: () => <PositionsTable feed={feed} market={market} /> },
    { key: 'orders', title: 'Orders', count: orders, content: () => <OrdersTable feed={feed} /> },
    { key: 'holders', title: 'Holders', content: () => <Holders feed={feed} /> },
    { key: 'activity', title: 'Activity', content: () => <Activity feed={feed} /> },
    { key: 'about', title: 'Rules', content: () => <Rules market={market} /> },
  ];
  return <Tabs label="Account and market data" tabs={tabs} />;
}

function Rules({ market }: { readonly market: Market | undefined }) {
  const { oracle, bondAmount, disputeWindowSeconds } = useChain(market?.chainId);
  if (market === undefined) return <Skeleton rows={3} />;
  const source =
    market.kind === 'quick'
      ? 'The price feed at the end of the window decides.'
      : `Anyone may propose the result with a bond of ${money(BigInt(bondAmount))}; for ${disputeWindowSeconds / 3_600} h anyone may dispute it.`;
  return (
    <div className="pad stack" data-testid="rules">
      <p className="prose">{market.description || 'There is no description.'}</p>
      <p className="sm t2">{source}</p>
      {market.earlyResolution && (
        <p className="sm t2">
          A result may be proposed before the end. Trading then stops, and resumes if the result is rejected.
        </p>
      )}
      {oracle !== null && market.kind !== 'quick' && (
        <p className="sm t2">
          Oracle <span className="mono wrap-any">{oracle}</span>
        </p>
      )}
      <p className="sm t2">
        Contract <span className="mono wrap-any">{market.contractAddress}</span>
      </p>
    </div>
  );
}

/** The ticket on a phone: a bar that is always visible opens it as a sheet. */
function PhoneTicket({ feed, offer }: TicketProps) {
  const { ticket } = usePage();
  const isOpen = useWatched(ticket.isSheetOpen);
  const market = usePart(feed.facts, (facts) => facts.market);
  const canTrade = useCanTrade(market);
  const prices = {
    YES: usePart(feed.books, ({ YES }) => topOf(YES).ask),
    NO: usePart(feed.books, ({ NO }) => topOf(NO).ask),
  };
  const open = (outcome: OutcomeName) => {
    ticket.write({ side: 'buy', outcome });
    ticket.isSheetOpen.set(true);
  };
  if (!canTrade) return null;
  return (
    <>
      <aside className="buybar" aria-label="Quick trade">
        {market?.event && <p className="clip">{market.event.name}</p>}
        {OUTCOMES.map((outcome) => {
          const [name, side, price] = [feed.names[outcome], outcome.toLowerCase(), prices[outcome]];
          const text = price === undefined ? undefined : cents(price);
          return (
            <Button
              key={outcome}
              look={`${side}-soft`}
              testId={`m-buy-${side}`}
              aria-label={`Buy ${name} ${text ?? ''}`}
              onClick={() => open(outcome)}
            >
              <span>{name}</span>
              <span>{text ?? '–'}</span>
            </Button>
          );
        })}
      </aside>
      <Dialog title="Order ticket" isOpen={isOpen} onClose={() => ticket.isSheetOpen.set(false)} isSheet>
        <HealthNotice />
        <OrderTicket feed={feed} offer={offer} />
      </Dialog>
    </>
  );
}
