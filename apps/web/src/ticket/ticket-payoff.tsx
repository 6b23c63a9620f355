// The order's effect if the book stays unchanged: shares bought or sold, and the payoff if the outcome wins or loses.
import { money, moneyDown, shares, signedMoney } from '../lib/format.ts';
import type { OutcomeNames } from '../lib/outcomes.ts';
import type { Ticket } from '../lib/ticket.ts';
import { Icon } from '../ui/icon.tsx';
import type { TicketOrder } from './ticket-order.ts';

interface PayoffProps {
  readonly ticket: Ticket;
  readonly order: TicketOrder | undefined;
  readonly names: OutcomeNames;
}

export function TicketPayoff({ ticket, order, names }: PayoffProps) {
  const { outcome } = ticket;
  const other = outcome === 'YES' ? 'NO' : 'YES';
  if (ticket.side === 'sell') return <Proceeds order={order} />;
  return (
    <div className="payoff" data-testid="preview" data-state={order ? 'ready' : 'empty'}>
      <div className="sm t2">
        <span>Expected</span>
        <span data-testid="expected">
          {order ? `${shares(order.size)} shares for ${money(order.outcomes.pays)}${feeText(order)}` : '–'}
        </span>
      </div>
      <Result className={outcome === 'NO' ? 'win is-no' : 'win'} name={names[outcome]} order={order} which="ifWins" />
      <Result className="lose" name={names[other]} order={order} which="ifLoses" />
    </div>
  );
}

/** Names the fee if one is charged; the sum before it includes the fee. */
function feeText(order: TicketOrder | undefined): string {
  return order?.fills.fee ? `, fee ${money(order.fills.fee)}` : '';
}

interface ResultProps {
  readonly className: string;
  readonly name: string;
  readonly order: TicketOrder | undefined;
  readonly which: 'ifWins' | 'ifLoses';
}

function Result({ className, name, order, which }: ResultProps) {
  const result = order?.outcomes[which];
  const pays = order?.outcomes.pays ?? 0n;
  const times =
    result && result.payout > 0n && pays > 0n ? `, ${(Number(result.payout) / Number(pays)).toFixed(2)}×` : '';
  const isWin = which === 'ifWins';
  return (
    <div className={className}>
      <span className="what">
        <Icon name={isWin ? 'check' : 'cross'} />
        If {name}, you get
      </span>
      <span className="get">
        <b data-testid={isWin ? 'payout' : 'loss'}>{money(result?.payout ?? 0n)}</b>
        {/* The colour follows the sign, not the outcome. */}
        <span className={`sm ${toneOf(result?.profit)}`} data-testid={isWin ? 'win-profit' : 'lose-profit'}>
          {signedMoney(result?.profit ?? 0n)}
          {times}
        </span>
      </span>
    </div>
  );
}

function toneOf(profit: bigint | undefined): string {
  if (profit === undefined || profit === 0n) return 't2';
  return profit > 0n ? 'good' : 'bad';
}

function Proceeds({ order }: { readonly order: TicketOrder | undefined }) {
  const { pays, receives } = order?.outcomes ?? { pays: 0n, receives: 0n };
  const least = order ? `at least ${moneyDown(order.atLeast)} if all sell` : 'when it fills';
  return (
    <div className="payoff" data-testid="preview" data-state={order ? 'ready' : 'empty'}>
      <div>
        <span className="what">{pays > 0n ? 'You pay for the pair' : 'You get'}</span>
        <span className="get">
          <b data-testid="proceeds">{money(pays > 0n ? pays : receives)}</b>
          <span className="sm t2">{(pays > 0n ? `and get ${money(receives)}` : least) + feeText(order)}</span>
        </span>
      </div>
    </div>
  );
}
