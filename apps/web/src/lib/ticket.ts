// The fields of an order ticket.
import type { OutcomeName, SideName } from '@presage/sdk';

export interface Ticket {
  readonly side: SideName;
  readonly outcome: OutcomeName;
  /** False while no outcome is chosen, after a quick market has rolled over. */
  readonly isPicked: boolean;
  /** `now` takes what the book has and does not rest; `limit` names a price. */
  readonly kind: 'limit' | 'now';
  /** How far an immediate order goes into the book: within the usual slippage of the best price, or as deep as its amount needs. */
  readonly slippage: 'usual' | 'deep';
  /** Price in cents, as typed. */
  readonly price: string;
  /** Amount in shares or dollars, as typed. */
  readonly amount: string;
  readonly unit: 'shares' | 'dollars';
  readonly lifeSeconds: number;
  readonly postOnly: boolean;
}
