// The order ticket: side, price and size; a preview; and a button whose text is the order.
import { type FormEvent, useEffect, useId } from 'react';
import { topOf } from '../lib/book-view.ts';
import type { Ticket } from '../lib/ticket.ts';
import { readTicket, type TicketReading } from '../lib/ticket-order.ts';
import type { MarketFeed } from '../state/market-feed.ts';
import { findObstacle, type Obstacle } from '../state/obstacle.ts';
import { usePage } from '../state/page-context.ts';
import { useConfig } from '../state/service-config.ts';
import { usePart, useWatched } from '../state/store.ts';
import { usePosition } from '../state/use-position.ts';
import { OrderProgressList } from './order-progress.tsx';
import { TicketFields } from './ticket-fields.tsx';
import { TicketPreview } from './ticket-preview.tsx';

const FUND_AMOUNT = '1000';

export function OrderTicket({ feed }: { readonly feed: MarketFeed }) {
  const page = usePage();
  const config = useConfig();
  const ticket = useWatched(page.ticket.ticket);
  const account = useWatched(page.account.state);
  const book = usePart(feed.books, (books) => books[ticket.outcome]);
  const market = usePart(feed.facts, (facts) => facts.market);
  const isStale = usePart(page.connection.state, ({ state }) => state === 'stale');
  const nowSeconds = useWatched(page.clock.seconds);
  const holding = usePosition(feed.marketId);
  const held = (ticket.outcome === 'YES' ? holding?.yesShares : holding?.noShares) ?? 0n;
  const reading = readTicket(ticket, book, held);
  const obstacle = findObstacle({ isStale, market, nowSeconds, account, reading, config });

  const { ask, bid } = topOf(book);
  const best = ticket.side === 'buy' ? ask : bid;
  useEffect(() => page.ticket.suggest(feed.marketId, best));

  const submit = () => {
    if (obstacle !== undefined || reading.order === undefined) return;
    const { params, text } = reading.order;
    void page.orderTracker.place({ ...params, marketId: feed.marketId }, text);
  };
  useEffect(() => {
    page.ticket.submit = submit;
  });
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    submit();
  };
  return (
    <form className="pad" data-testid="ticket" data-state={obstacle?.state ?? 'ready'} onSubmit={onSubmit} noValidate>
      <TicketFields feed={feed} ticket={ticket} held={held} />
      <TicketPreview ticket={ticket} order={reading.order} />
      <SubmitButton ticket={ticket} reading={reading} obstacle={obstacle} />
      <OrderProgressList />
    </form>
  );
}

interface SubmitProps {
  readonly ticket: Ticket;
  readonly reading: TicketReading;
  readonly obstacle: Obstacle | undefined;
}

function SubmitButton({ ticket, reading, obstacle }: SubmitProps) {
  const why = useId();
  const text = reading.order?.text ?? `${ticket.side === 'buy' ? 'Buy' : 'Sell'} ${ticket.outcome}`;
  return (
    <>
      <button
        type="submit"
        className={`cta ${ticket.outcome === 'YES' ? '' : 'cta-no'}`}
        data-testid="submit"
        aria-disabled={obstacle !== undefined}
        aria-describedby={why}
      >
        {text}
      </button>
      <p id={why} className={obstacle ? 'why warn' : 'why muted'} data-testid="why">
        {obstacle?.text ?? 'One signature. Nothing is sent on-chain by your wallet.'}
      </p>
      {obstacle?.fix && <FixButton fix={obstacle.fix} />}
    </>
  );
}

function FixButton({ fix }: { readonly fix: NonNullable<Obstacle['fix']> }) {
  const { account } = usePage();
  const config = useConfig();
  const fixes = {
    'demo-wallet': { text: 'Start with a demo wallet', act: () => account.open('demo', config) },
    'injected-wallet': { text: 'Connect a wallet', act: () => account.open('injected', config) },
    fund: { text: 'Get $1,000 of test money', act: () => account.fund(FUND_AMOUNT) },
    'set-up': { text: 'Set up trading, no gas', act: () => account.setUp() },
  };
  const { text, act } = fixes[fix];
  return (
    <button type="button" className="btn wide" data-testid={`fix-${fix}`} onClick={() => void act()}>
      {text}
    </button>
  );
}
