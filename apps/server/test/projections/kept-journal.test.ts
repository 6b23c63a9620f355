// A journal of record version 1, kept as it was written, is read by today's program to the same state.
import { readFile } from 'node:fs/promises';
import { Engine } from '@presage/engine';
import { decodeRecord, isEngineEvent, type JournalRecord, UsedTokens } from '@presage/protocol';
import { afterAll, describe, expect, it } from 'vitest';
import { appendAll, ViewFixture } from './view-fixture.ts';

/** The life of a sandbox up to its claims, and a drawn history with failures, permits and reorganizations. */
const STATE_HASHES = {
  sandbox: '0xa9269e371a301a1d8d77315e7d4ea78d6b8da559190fa9475509a73e26c76622',
  drawn: '0xac470817b3921ebe8a5189bef794a0a4a5a4e3af6c70a40657bd50e53e9da2f7',
} as const;

async function readKept(name: string): Promise<JournalRecord[]> {
  const file = new URL(`../fixtures/journal-v1/${name}.jsonl`, import.meta.url);
  const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '');
  return lines.map((line) => decodeRecord(new TextEncoder().encode(line)));
}

describe('a journal of version 1', () => {
  it.each(['sandbox', 'drawn'] as const)(
    'leads the engine to the state it led to when it was written: %s',
    async (name) => {
      const engine = new Engine();
      for (const [index, record] of (await readKept(name)).entries()) {
        if (isEngineEvent(record)) engine.evolve(record, index + 1);
      }
      expect(engine.stateHash()).toBe(STATE_HASHES[name]);
      expect(Engine.restore(engine.checkpointLines()).stateHash()).toBe(STATE_HASHES[name]);
    },
  );

  it('has its notes of the chain and its keys in the types of today', async () => {
    const types = new Set([...(await readKept('chain')), ...(await readKept('control'))].map(({ type }) => type));
    const expected = ['api-key-registered', 'api-key-revoked', 'chain-noted', 'heartbeat-set', 'quick-market-changed'];
    expect([...types].sort()).toEqual([...expected, 'token-used']);
  });

  it('still knows which tokens were used: none of them is good again', async () => {
    const tokens = new UsedTokens();
    const used = (await readKept('control')).filter((record) => record.type === 'token-used');
    for (const record of used) tokens.follow(record);
    expect(used.length).toBeGreaterThan(0);
    for (const { keyId, nonce, issuedAt } of used) expect(tokens.take(keyId, nonce, issuedAt)).toBe(false);
    tokens.prune(Math.max(...used.map(({ issuedAt }) => issuedAt)) + 10_000);
    expect(tokens.size).toBe(0);
  });
});

describe('the view of a journal of version 1', () => {
  const fixture = new ViewFixture();
  afterAll(() => fixture.close());

  it('shows every order and trade of it', async () => {
    const records = await readKept('drawn');
    const log = await fixture.openLog();
    await appendAll(log, [records]);
    const { sql } = await fixture.openStore();
    await fixture.openProjector({ source: log, sql }).start();
    const countOf = (type: JournalRecord['type']) => records.filter((record) => record.type === type).length;
    const [counts] = await sql`select (select count(*) from presage_view.orders) as orders,
      (select count(*) from presage_view.trades) as trades, (select count(*) from presage_view.markets) as markets`;
    expect(counts).toEqual({
      orders: BigInt(countOf('order-accepted')),
      trades: BigInt(countOf('trade-matched')),
      markets: BigInt(countOf('market-listed')),
    });
  });
});
