// The event screen: outcomes with their chances, one chart of them, and the book and ticket of the chosen outcome.
import type { EventOutcome, MarketEvent, OutcomeName } from '@presage/sdk';
import { useEffect, useMemo, useRef, useState } from 'react';
import { byChance, type Listed } from '../lib/listed.ts';
import { isDecided } from '../lib/portfolio.ts';
import { HUGE, MarketList } from '../market/market.tsx';
import { MarketColumns } from '../market/market-columns.tsx';
import { ResolvedColumns } from '../market/resolved.tsx';
import { useAskedSide } from '../market/use-asked-side.ts';
import { usePage } from '../state/page-context.ts';
import { PHONE, useMedia } from '../state/preferences.ts';
import { usePart } from '../state/store.ts';
import { useMarketFeed } from '../state/use-market-feed.ts';
import type { TicketOrder } from '../ticket/ticket-order.ts';
import { Failed, Skeleton } from '../ui/states.tsx';
import { CheaperWay } from './cheaper-way.tsx';
import { Convert } from './convert.tsx';
import { EventChart, LINE_COLOURS } from './event-chart.tsx';
import { EventHead } from './event-head.tsx';
import { OutcomeList } from './outcome-list.tsx';
import { useEvent, useEventPositions } from './use-event.ts';

interface EventScreenProps {
  readonly eventId: string;
  readonly listed: readonly Listed[];
}

export function EventScreen({ eventId, listed }: EventScreenProps) {
  const event = useEvent(eventId);
  const hasList = useMedia(HUGE);
  return (
    <main id="main" tabIndex={-1} className={hasList ? 'terminal has-list' : 'terminal'} data-screen="event">
      {hasList && <MarketList listed={listed} currentId={eventId} />}
      {event.value ? (
        <Outcomes event={event.value} />
      ) : (
        <section className="col" aria-label="Event">
          {event.state === 'error' ? <Failed what="The event" of={event} /> : <Skeleton rows={20} rowHeight={30} />}
        </section>
      )}
    </main>
  );
}

function Outcomes({ event }: { readonly event: MarketEvent }) {
  const { ticket } = usePage();
  useEffect(() => () => ticket.leave(), [ticket]);
  const outcomes = useSteadyOrder(event);
  const [chosen, setChosen] = useState(() => askedOutcome(event) ?? event.winningIndex ?? outcomes[0]?.index ?? 0);
  const outcome = outcomes.find(({ index }) => index === chosen) ?? outcomes[0]!;
  const feed = useMarketFeed(outcome.marketId);
  const market = usePart(feed.facts, (facts) => facts.market);
  useAskedSide(outcome.marketId);
  const positions = useEventPositions(event);
  const drawn = useMemo(() => pickDrawn(outcomes, chosen), [outcomes, chosen]);
  const colours = new Map(drawn.map(({ index }, at) => [index, LINE_COLOURS[at]!]));
  const choose = (index: number, side?: OutcomeName) => {
    setChosen(index);
    if (side === undefined) return;
    ticket.write({ side: 'buy', outcome: side });
    ticket.isSheetOpen.set(matchMedia(PHONE).matches);
  };
  const held = outcomes.map(({ index, marketId }) => ({
    index,
    shares: BigInt(positions.get(marketId)?.noShares ?? 0),
  }));
  const offer = ({ size }: TicketOrder, rate: number) => (
    <CheaperWay event={event} index={outcome.index} size={size} rate={rate} />
  );
  const shown = (
    <>
      <EventHead event={event} />
      <EventChart event={event} outcomes={drawn} chosen={chosen} />
      <OutcomeList {...{ event, outcomes, chosen, colours, positions }} onChoose={choose} />
      {!event.resolved && (
        <section className="panel" aria-label="Conversion">
          <Convert eventId={event.id} count={event.outcomes.length} held={held} />
        </section>
      )}
    </>
  );
  return market !== undefined && isDecided(market) ? (
    <ResolvedColumns feed={feed} market={market}>
      {shown}
    </ResolvedColumns>
  ) : (
    <MarketColumns feed={feed} offer={offer}>
      {shown}
    </MarketColumns>
  );
}

/** The outcome that the address names (`?outcome=2`), read once when the screen opens. */
function askedOutcome({ outcomes }: MarketEvent): number | undefined {
  const text = new URLSearchParams(location.search).get('outcome');
  return outcomes.find(({ index }) => text === String(index))?.index;
}

/** Outcomes by chance when the screen opened; later ones come last. The order stays, so that rows do not move under the pointer. */
function useSteadyOrder({ outcomes }: MarketEvent): readonly EventOutcome[] {
  const order = useRef<readonly number[]>([]);
  return useMemo(() => {
    if (order.current.length === 0) order.current = byChance(outcomes).map(({ index }) => index);
    const place = (index: number) => (order.current.includes(index) ? order.current.indexOf(index) : Infinity);
    return outcomes.toSorted((a, b) => place(a.index) - place(b.index) || a.index - b.index);
  }, [outcomes]);
}

/** The first outcomes; the chosen one replaces the last if it is not among them. */
function pickDrawn(outcomes: readonly EventOutcome[], chosen: number): readonly EventOutcome[] {
  const first = outcomes.slice(0, LINE_COLOURS.length);
  const other = outcomes.find(({ index }) => index === chosen);
  return other === undefined || first.includes(other) ? first : [...first.slice(0, -1), other];
}
