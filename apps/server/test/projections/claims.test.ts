// Claims and payouts as the view shows them: the newest state of each, and every redemption once.
import { Engine } from '@presage/engine';
import { type ClaimChanged, isJournalled, type JournalRecord, type PayoutRedeemed } from '@presage/protocol';
import { listMarket, TEST_MARKET, TRADERS } from '@presage/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PartitionLog } from '../../src/host/partition-log.ts';
import { listFailedClaims, listPendingClaims, listUserPayouts } from '../../src/projections/claims/claim-queries.ts';
import type { Projector } from '../../src/projections/projector.ts';
import type { Sql } from '../../src/store/column-types.ts';
import { ViewFixture } from './view-fixture.ts';

const OTHER_MARKET = `0x${'0e'.repeat(32)}` as const;
const hash = (byte: string) => `0x${byte.repeat(32)}` as const;
const { alice } = TRADERS;
const query = { wallet: alice, chainId: 31_337, limit: 10 };

const fixture = new ViewFixture();
let sql: Sql;
let log: PartitionLog;
let projector: Projector;

beforeEach(async () => {
  sql = (await fixture.openStore()).sql;
  log = await fixture.openLog();
  projector = fixture.openProjector({ source: log, sql });
  await projector.start();
  const engine = new Engine();
  const markets = [listMarket(1_000), listMarket(1_000, { marketId: OTHER_MARKET })];
  await note(markets.flatMap((command) => engine.apply(command)).filter(isJournalled));
});
afterEach(() => fixture.close());

async function note(records: readonly JournalRecord[]): Promise<void> {
  await log.append(records);
  expect(await projector.waitFor(log.lastSeq, 30_000)).toBe(true);
}

function claim(changes: Partial<ClaimChanged> = {}): ClaimChanged {
  return {
    type: 'claim-changed',
    timeMs: 2_000,
    claimId: 'one',
    txHash: hash('01'),
    userAddress: alice,
    marketAddress: TRADERS.bob,
    marketId: TEST_MARKET,
    payout: '12345678901234567890',
    winningOutcome: 0,
    submittedAt: 50,
    status: 'pending',
    ...changes,
  };
}

function redemption(changes: Partial<PayoutRedeemed> = {}): PayoutRedeemed {
  return {
    type: 'payout-redeemed',
    timeMs: 3_000,
    marketId: TEST_MARKET,
    userAddress: alice,
    txHash: hash('01'),
    logIndex: 4,
    blockNumber: 9,
    blockHash: hash('0b'),
    timestamp: 60,
    yesShares: '5',
    noShares: '0',
    payout: '5',
    winningOutcome: 0,
    ...changes,
  };
}

describe('claims', () => {
  it('are pending, exact past 2^53, until they are confirmed', async () => {
    await note([claim()]);
    const [pending] = await listPendingClaims(sql, 10);
    expect(pending).toMatchObject({ txHash: hash('01'), userAddress: alice, payout: 12_345_678_901_234_567_890n });
    await note([claim({ status: 'confirmed' })]);
    expect([await listPendingClaims(sql, 10), await listFailedClaims(sql, 10)]).toEqual([[], []]);
  });

  it('of one batch stand for themselves, and a replaced transaction changes them all', async () => {
    const both = (changes: Partial<ClaimChanged>) => [claim(changes), claim({ ...changes, marketId: OTHER_MARKET })];
    await note(both({}));
    await note(both({ txHash: hash('02') }));
    expect((await listPendingClaims(sql, 10)).map(({ txHash }) => txHash)).toEqual([hash('02'), hash('02')]);
    await note([claim({ status: 'failed', txHash: hash('02'), reason: 'out of gas' })]);
    expect(await listPendingClaims(sql, 10)).toMatchObject([{ marketId: OTHER_MARKET }]);
    expect(await listFailedClaims(sql, 10)).toMatchObject([{ marketId: TEST_MARKET, reason: 'out of gas' }]);
  });

  it('that failed are listed newest first, as many as asked for', async () => {
    const failed = ['a', 'b', 'c'].map((claimId) => claim({ claimId, status: 'failed', reason: claimId }));
    await note(failed);
    expect((await listFailedClaims(sql, 2)).map(({ reason }) => reason)).toEqual(['c', 'b']);
  });
});

describe('payouts', () => {
  it('are pending while the claim is, and listed once when the chain has them', async () => {
    await note([claim({ payout: '5' })]);
    expect(await listUserPayouts(sql, query)).toMatchObject([{ status: 'pending', payout: 5n, timestamp: 50 }]);
    await note([redemption()]);
    expect(await listUserPayouts(sql, query)).toMatchObject([{ status: 'confirmed', payout: 5n, timestamp: 60 }]);
    await note([claim({ payout: '5', status: 'confirmed' }), redemption()]);
    expect(await listUserPayouts(sql, query)).toHaveLength(1);
    expect(await listUserPayouts(sql, { ...query, chainId: 1 })).toEqual([]);
  });

  it('leave with their block, and come back with another', async () => {
    await note([redemption()]);
    await note([{ type: 'chain-rewound', timeMs: 3_500, chainId: 31_337, toBlock: 8, cause: 'reorg' }]);
    expect(await listUserPayouts(sql, query)).toEqual([]);
    await note([redemption({ blockNumber: 10, blockHash: hash('0d'), logIndex: 1 })]);
    expect(await listUserPayouts(sql, query)).toMatchObject([{ payout: 5n, status: 'confirmed' }]);
  });

  it('come newest first', async () => {
    const later = redemption({ marketId: OTHER_MARKET, txHash: hash('03'), timestamp: 70, payout: '7' });
    await note([later, redemption()]);
    expect((await listUserPayouts(sql, query)).map(({ payout }) => payout)).toEqual([7n, 5n]);
  });
});
