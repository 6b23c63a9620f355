// The order ticket: side and amount, the payoff either way, and a button whose text is what a press does.
import { type FormEvent, type KeyboardEvent, type ReactNode, useEffect } from 'react';
import { topOf } from '../lib/book-view.ts';
import { OrderProgressList } from '../market/order-progress.tsx';
import { useFreeShares } from '../market/use-free-shares.ts';
import { useOthersBook } from '../market/use-others-book.ts';
import { usePosition } from '../market/use-position.ts';
import type { MarketFeed } from '../state/market-feed.ts';
import { usePage } from '../state/page-context.ts';
import { useConfig } from '../state/service-config.ts';
import { usePart, useWatched } from '../state/store.ts';
import { findObstacle } from './obstacle.ts';
import { OwnOrdersNote, ShortBook } from './short-book.tsx';
import { TicketAdvanced } from './ticket-advanced.tsx';
import { TicketButton } from './ticket-button.tsx';
import { AmountField, OutcomeChoice, PriceField, SideChoice } from './ticket-fields.tsx';
import { readTicket, type TicketOrder } from './ticket-order.ts';
import { TicketPayoff } from './ticket-payoff.tsx';
import { useSubmission } from './use-submission.ts';

export interface TicketProps {
  readonly feed: MarketFeed;
  /** Renders an alternative way to buy the same. */
  readonly offer?: ((order: TicketOrder, rate: number) => ReactNode) | undefined;
}

export function OrderTicket({ feed, offer }: TicketProps) {
  const { names } = feed;
  const page = usePage();
  const config = useConfig();
  const ticket = useWatched(page.ticket.ticket);
  const account = useWatched(page.account.state);
  const market = usePart(feed.facts, (facts) => facts.market);
  const isStale = usePart(page.connection.state, ({ state }) => state === 'stale');
  const nowSeconds = useWatched(page.clock.seconds);
  const holding = usePosition(feed.marketId);
  const held = (ticket.outcome === 'YES' ? holding?.yesShares : holding?.noShares) ?? 0n;
  // The preview leaves out the wallet's own orders.
  const { book, own } = useOthersBook(feed, ticket.outcome);
  const free = useFreeShares(feed.marketId)?.[ticket.outcome] ?? 0n;
  const rate = market?.feeRateBps ?? 0;
  const reading = readTicket(ticket, book, free, rate);
  const { isPicked } = ticket;
  const obstacle = findObstacle({ isStale, market, nowSeconds, account, isPicked, reading, config });
  const available = account.balances === undefined ? undefined : BigInt(account.balances.available);
  const submission = useSubmission({ feed, ticket, book, available, reading, obstacle });

  const { ask, bid } = topOf(book);
  const best = ticket.side === 'buy' ? ask : bid;
  useEffect(() => page.ticket.suggest(feed.marketId, best));

  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    submission.press();
  };
  return (
    <form
      data-testid="ticket"
      data-state={obstacle?.state ?? 'ready'}
      onSubmit={onSubmit}
      onKeyDown={ignoreRepeats}
      noValidate
    >
      <h2 id="h-t" className="sr">
        Order
      </h2>
      <div className="ticket-body">
        {market?.event && (
          <p className="ticket-of clip" data-testid="ticket-of" title={market.event.name}>
            {market.event.name}
          </p>
        )}
        <SideChoice ticket={ticket} />
        <OutcomeChoice feed={feed} ticket={ticket} />
        {ticket.kind === 'limit' && <PriceField price={ticket.price} />}
        <AmountField
          ticket={ticket}
          book={book}
          held={held}
          free={free}
          rate={rate}
          order={reading.order}
          problem={obstacle}
        />
        {isPicked && reading.order && (
          <ShortBook ticket={ticket} order={reading.order} book={book} free={free} rate={rate} />
        )}
        {isPicked && reading.order && <OwnOrdersNote ticket={ticket} order={reading.order} own={own} />}
        <TicketPayoff ticket={ticket} order={isPicked ? reading.order : undefined} names={names} />
        {isPicked && reading.order && offer?.(reading.order, rate)}
      </div>
      {/* Stays visible at the bottom of a sheet. */}
      <div className="ticket-foot">
        <TicketButton ticket={ticket} submission={submission} obstacle={obstacle} names={names} />
      </div>
      <div className="ticket-body">
        <TicketAdvanced feed={feed} ticket={ticket} order={reading.order} />
      </div>
      <OrderProgressList marketId={feed.marketId} />
    </form>
  );
}

/** Treats a held Enter key as one press. */
function ignoreRepeats(event: KeyboardEvent): void {
  if (event.key === 'Enter' && event.repeat) event.preventDefault();
}
