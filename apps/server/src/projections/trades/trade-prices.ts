// What a trade says in terms of one outcome: its price, or what a trade of the other outcome leaves of 1.
import { type Outcome, PRICE_SCALE, YES } from '@presage/protocol';
import type { Sql } from '../../store/column-types.ts';

/** Of the table of trades under the name `t`. */
export function priceInTermsOf(sql: Sql, outcome: Outcome) {
  return sql`case when t.outcome = ${outcome} then t.price else ${PRICE_SCALE}::integer - t.price end`;
}

export function yesPriceOf(sql: Sql) {
  return priceInTermsOf(sql, YES);
}
