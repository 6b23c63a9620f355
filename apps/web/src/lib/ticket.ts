// The fields of an order ticket.
import type { OutcomeName, SideName } from '@presage/sdk';

export interface Ticket {
  readonly side: SideName;
  readonly outcome: OutcomeName;
  /** False while none of the two is chosen: after a quick market has rolled over. */
  readonly isPicked: boolean;
  /** `now` takes what the book has and does not rest; `limit` names a price. */
  readonly kind: 'limit' | 'now';
  /** How far into the book an immediate order goes: within the usual slippage of the best price, or as deep as its amount takes it. */
  readonly slippage: 'usual' | 'deep';
  /** Cents, as typed. */
  readonly price: string;
  /** Shares or dollars, as typed. */
  readonly amount: string;
  readonly unit: 'shares' | 'dollars';
  readonly lifeSeconds: number;
  readonly postOnly: boolean;
}
