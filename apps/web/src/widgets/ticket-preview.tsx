// What the ticket's order would do: now, on the book, and when the market resolves.
import { cents, money, roundedCents, shares, signedMoney } from '../lib/format.ts';
import type { Outcomes } from '../lib/preview.ts';
import type { Ticket } from '../lib/ticket.ts';
import type { TicketOrder } from '../lib/ticket-order.ts';

interface PreviewProps {
  readonly ticket: Ticket;
  readonly order: TicketOrder | undefined;
}

export function TicketPreview({ ticket, order }: PreviewProps) {
  const other = ticket.outcome === 'YES' ? 'NO' : 'YES';
  const fills = order?.fills;
  return (
    <dl className="preview" data-testid="preview" data-state={order ? 'ready' : 'empty'}>
      <Line name={payLabel(ticket, order?.outcomes)} value={order && payText(ticket, order.outcomes)} testId="cost" />
      <Line
        name="Average price"
        value={fills && (fills.filled > 0n ? roundedCents(fills.averagePrice) : '–')}
        testId="average"
      />
      <Line name="Worst price" value={fills && (fills.worstPrice > 0 ? cents(fills.worstPrice) : '–')} testId="worst" />
      <Line
        name="Fills now"
        value={order && fills && `${shares(fills.filled)} of ${shares(order.size)}`}
        testId="fills"
      />
      {ticket.kind === 'limit' && <Line name="Rests" value={fills && shares(fills.rests)} testId="rests" />}
      <Line
        name={`If ${ticket.outcome} wins`}
        value={order && winText(order.outcomes.ifWins, order.outcomes.pays)}
        testId="payout"
        tone={ticket.outcome}
      />
      <Line
        name={`If ${other} wins`}
        value={order && winText(order.outcomes.ifLoses, order.outcomes.pays)}
        testId="loss"
      />
      <Line name="Gas" value="Paid by the relayer" />
    </dl>
  );
}

interface LineProps {
  readonly name: string;
  readonly value: string | undefined;
  readonly testId?: string;
  readonly tone?: 'YES' | 'NO';
}

function Line({ name, value, testId, tone }: LineProps) {
  return (
    <>
      <dt className="muted">{name}</dt>
      <dd data-testid={testId} className={tone?.toLowerCase() ?? ''}>
        {value ?? '–'}
      </dd>
    </>
  );
}

function payLabel({ side }: Ticket, outcomes: Outcomes | undefined): string {
  if (side === 'buy') return 'You pay';
  return outcomes !== undefined && outcomes.pays > 0n ? 'You pay for the pair' : 'You receive';
}

function payText({ side }: Ticket, { pays, receives }: Outcomes): string {
  if (side === 'buy' || receives === 0n) return money(pays);
  return pays > 0n ? `${money(pays)}, get ${money(receives)}` : money(receives);
}

/** `$100.00 (+$45.00, 1.82×)`, or the loss alone. */
function winText({ payout, profit }: Outcomes['ifWins'], pays: bigint): string {
  if (payout === 0n) return signedMoney(profit);
  const times = pays > 0n ? `, ${(Number(payout) / Number(pays)).toFixed(2)}×` : '';
  return `${money(payout)} (${signedMoney(profit)}${times})`;
}
