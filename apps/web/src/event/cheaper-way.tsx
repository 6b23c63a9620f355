// Compares the two ways to buy an outcome, below its ticket: YES itself, or NO of all others, converted. Offers the second if it is cheaper.
import {
  type EventQuote,
  type MarketEvent,
  type OutcomePurchase,
  PresageApiError,
  PresageInputError,
} from '@presage/sdk';
import { useEffect, useState } from 'react';
import { money, moneyDown, moneyUp, plural, shares } from '../lib/format.ts';
import { usePage } from '../state/page-context.ts';
import { useRemote } from '../state/remote.ts';
import { useWatched } from '../state/store.ts';
import { useAct } from '../state/use-act.ts';
import { mostPaid } from '../ticket/worst-case.ts';
import { Button } from '../ui/controls.tsx';

interface CheaperWayProps {
  readonly event: MarketEvent;
  readonly index: number;
  /** Shares that the ticket would buy now. */
  readonly size: bigint;
  /** Taker fee rate of the market. */
  readonly rate: number;
}

type Way = NonNullable<EventQuote['converted']>;

const BEAT_MS = 2_000;
/** Pause in typing after which a quote is read: a half-typed number needs none. */
const TYPING_MS = 300;

export function CheaperWay({ event, index, size, rate }: CheaperWayProps) {
  const { reader, ticket } = usePage();
  const { side, outcome, kind } = useWatched(ticket.ticket);
  const isOffered = side === 'buy' && outcome === 'YES' && kind === 'now' && size > 0n;
  const wanted = useCalm(isOffered ? `${index} ${size}` : '');
  const isCurrent = isOffered && wanted === `${index} ${size}`;
  const { value: quote } = useRemote(
    isCurrent ? `quote ${event.id} ${wanted}` : '',
    (signal) => reader.quoteEvent(event.id, { index, size }, { signal }),
    { everyMs: BEAT_MS },
  );
  const { direct, converted, best } = quote ?? {};
  if (!direct || !converted) return null;
  const others = plural(event.outcomes.length - 1, 'other');
  return (
    <div className="ways" data-testid="ways" data-best={best}>
      <p className="sm">
        {best === 'converted' ? (
          <>
            NO of the {others}, converted into YES, costs <b data-testid="converted-total">{money(converted.total)}</b>{' '}
            instead of <span data-testid="direct-total">{money(direct.total)}</span>.
          </>
        ) : (
          <>
            YES is the cheapest way: by NO of the {others} it would cost{' '}
            <span data-testid="converted-total">{money(converted.total)}</span> instead of{' '}
            <b data-testid="direct-total">{money(direct.total)}</b>.
          </>
        )}
      </p>
      {best === 'converted' && <Offer {...{ event, index, size, rate, way: converted }} />}
    </div>
  );
}

/** Button for the converted way. The first payment is higher than the final cost: the conversion returns the difference. */
function Offer({ event, index, size, rate, way }: CheaperWayProps & { readonly way: Way }) {
  const { account, ticket } = usePage();
  const { wallet, balances } = useWatched(account.state);
  const { isBusy, run } = useAct(`buy outcome ${event.id}`);
  const { name = '' } = event.outcomes.find((each) => each.index === index) ?? {};
  const [freed, first] = [
    BigInt(way.freed),
    way.orders.reduce((sum, { price }) => sum + mostPaid(Number(price), size, rate), 0n),
  ];
  if (!wallet || balances === undefined) return null;
  const isShort = BigInt(balances.available) < first;
  const buy = async () => {
    const title = `Buy ${shares(size)} YES of ${name}`;
    const told = {
      doing: title,
      done: (bought: OutcomePurchase) => toDone(bought, title),
      failed: `${title}: not finished`,
    };
    const price = BigInt(way.worstPrice) > 0n ? BigInt(way.worstPrice) : 1n;
    const isDone = await run(told, async () => {
      const bought = await wallet.client.buyOutcome(event.id, { index, size, price }).catch(tellMoved);
      await bought.conversion?.wait();
      return bought;
    });
    if (isDone) ticket.clearAmount();
  };
  return (
    <>
      <p className="xs t2" data-testid="first">
        {isShort ? 'You need ' : 'It takes '}
        {moneyUp(first)} at first; {moneyDown(freed)} of it comes back with the conversion.
        {wallet.kind === 'injected' && ` Your wallet asks for ${way.orders.length + 1} signatures.`}
      </p>
      {!isShort && (
        <Button look="line sm wide" testId="buy-converted" aria-busy={isBusy} onClick={() => void buy()}>
          {isBusy ? 'Buying' : `Buy it that way for ${moneyUp(first - freed)} at most`}
        </Button>
      )}
    </>
  );
}

/** Message after the purchase. If a fill failed, the bought NO shares stay in the wallet and are offered for conversion. */
function toDone({ quote, conversion }: OutcomePurchase, title: string): string {
  if (conversion !== undefined) return `${title}: done, converted`;
  return quote.best === 'direct' ? `${title}: done` : 'Not all NO settled; you keep what did';
}

/** Explains the refusal of the batch: all orders fill within the button's price, or none is placed. */
function tellMoved(error: unknown): never {
  const isRefused = error instanceof PresageApiError && error.code === 'batch_not_filled';
  const isMoved = isRefused && error.details?.code === 'fok_not_filled';
  if (isMoved || error instanceof PresageInputError)
    throw new Error('The book moved before the orders arrived. Nothing was bought');
  throw error;
}

/** The value, once it has not changed for a moment. */
function useCalm(value: string): string {
  const [calm, setCalm] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setCalm(value), TYPING_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return calm;
}
