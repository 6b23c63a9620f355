// What a reader is told when the database of the view fails.
import { describe, expect, it } from 'vitest';
import { createViews } from '../../src/projections/views.ts';
import type { Sql } from '../../src/store/column-types.ts';

function readFailingWith(code: string) {
  const fail = () => Promise.reject(Object.assign(new Error('failed'), { code }));
  // All that a query does with a connection is to call it with a statement.
  const sql = fail as unknown as Sql;
  const progress = { isUp: true, waitFor: async () => true };
  const views = createViews({ sql, progress, answeredSeqs: () => [] });
  return views.listPendingClaims(1);
}

describe('a read of the view', () => {
  it.each([
    ['CONNECTION_CLOSED', 'database_unavailable'],
    ['ECONNREFUSED', 'database_unavailable'],
    ['ENOTFOUND', 'database_unavailable'],
    ['EAI_AGAIN', 'database_unavailable'],
    ['ETIMEDOUT', 'database_unavailable'],
    ['EHOSTUNREACH', 'database_unavailable'],
    ['ENETUNREACH', 'database_unavailable'],
    // The server stops; all of its connections are taken; its disk is full; a page is damaged.
    ['57P01', 'database_unavailable'],
    ['53300', 'database_unavailable'],
    ['53100', 'database_unavailable'],
    ['XX001', 'database_unavailable'],
    ['42P01', 'view_behind'],
    // A fault of the program.
    ['42601', '42601'],
  ])('that fails with %s is refused with %s', async (code, refusal) => {
    await expect(readFailingWith(code)).rejects.toMatchObject({ code: refusal });
  });
});
