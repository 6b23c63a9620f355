// What a trade says in terms of YES: its price, or what a trade of NO leaves of 1.
import { PRICE_SCALE, YES } from '@presage/protocol';
import type { Sql } from '../../store/column-types.ts';

/** Of the table of trades under the name `t`. */
export function yesPriceOf(sql: Sql) {
  return sql`case when t.outcome = ${YES} then t.price else ${PRICE_SCALE}::integer - t.price end`;
}
