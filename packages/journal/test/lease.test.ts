// The renewals of a lease on a database that answers late.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { JournalFenced } from '../src/errors.ts';
import type { JournalDatabase } from '../src/postgres/database.ts';
import { Lease } from '../src/postgres/lease.ts';

it('a holder is told of its loss once, although several renewals are on their way and all are refused', async () => {
  const answers: (() => void)[] = [];
  const database: JournalDatabase = {
    query: () => new Promise((resolve) => answers.push(() => resolve([]))),
  };
  const lease = Lease.passedOn({ database, partition: 'm0', address: 'a node', leaseMs: 6 }, { owner: 'me', epoch: 1 });
  const lost: JournalFenced[] = [];
  lease.keep((error) => lost.push(error));
  while (answers.length < 3) await sleep(1);
  for (const answer of answers) answer();
  await sleep(1);
  expect(lost).toHaveLength(1);
});
