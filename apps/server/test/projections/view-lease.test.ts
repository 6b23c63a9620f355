// The right to write a shared view: one has it at a time, and nobody keeps it for ever by falling silent.
import { waitFor } from '@presage/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { ViewFenced, ViewLease } from '../../src/projections/view-lease.ts';
import { ViewFixture } from './view-fixture.ts';

const LEASE_MS = 100;

const fixture = new ViewFixture();
afterEach(() => fixture.close());

async function openLeases() {
  const { sql } = await fixture.openStore();
  const open = (address: string) => ViewLease.open({ sql, address, leaseMs: LEASE_MS });
  return { sql, ann: await open('ann'), ben: await open('ben') };
}

describe('the lease of a shared view', () => {
  it("is one node's until it runs out, and then the next one's", async () => {
    const { sql, ann, ben } = await openLeases();
    expect([await ann.take(), await ben.take()]).toEqual([true, false]);
    await waitFor('the lease has run out', () => ben.take());
    expect(await ann.renew()).toBe(false);
    await expect(sql.begin((transaction) => ann.hold(transaction))).rejects.toThrow(ViewFenced);
    await ben.release();
    expect(await ann.take()).toBe(true);
  });

  it('is not taken while its holder writes, however late that is', async () => {
    const { sql, ann, ben } = await openLeases();
    await ann.take();
    const found = await sql.begin(async (transaction) => {
      await ann.hold(transaction);
      await transaction`select pg_sleep(${(2 * LEASE_MS) / 1_000})`;
      return ben.take();
    });
    expect(found).toBe(false);
    expect(await ben.take()).toBe(true);
  });

  it('is taken from a holder that fell asleep in the middle of a statement, and what it wrote is void', async () => {
    const { sql, ann, ben } = await openLeases();
    await sql`create table written (by text)`;
    await ann.take();
    const asleep = sql.begin(async (transaction) => {
      await ann.hold(transaction);
      await transaction`insert into written values ('ann')`;
      // To the server the same as a client that was stopped between two messages: its session is at work, and nothing comes of it.
      await transaction`select pg_sleep(3600)`;
    });
    const ended = expect(asleep).rejects.toThrow();
    // Both have the same connections here: a question may meet the one that is being ended, and is asked again.
    await waitFor('another has it', () => ben.take().catch(() => false));
    await ended;
    const rows = await waitFor('what was written is read', () => sql`select * from written`.catch(() => undefined));
    expect(rows).toEqual([]);
  });
});
