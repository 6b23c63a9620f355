// What a command that nobody answered has left in the journal: all that is its own, nothing of others, and nothing from before.
import type { JournalRecord } from '@presage/protocol';
import {
  createOrderBuilders,
  ManualClock,
  MemoryJournal,
  MemoryStorage,
  marketFacts,
  TEST_MARKET,
  TRADERS,
} from '@presage/testkit';
import { describe, expect, it } from 'vitest';
import { findAppended, findCancelled, findEvidence } from '../../src/cluster/evidence.ts';
import { Host } from '../../src/host/host.ts';
import { PartitionLog } from '../../src/host/partition-log.ts';
import type { HostCommand } from '../../src/host/ports.ts';

const OTHER_MARKET = `0x${'77'.repeat(32)}` as const;
const FAR_MARKET = `0x${'78'.repeat(32)}` as const;
const FAR_CHAIN = 4_242;
const clock = new ManualClock();
const nowMs = () => clock.nowMs;
const traders = createOrderBuilders(clock);
const onFatal = (error: unknown) => {
  throw error;
};

async function openHost() {
  const journal = await MemoryJournal.open({ storage: new MemoryStorage('m0') });
  const log = await PartitionLog.open({ journal, nowMs, onFatal });
  const host = await Host.open({ log, nowMs });
  await host.submit({ type: 'list-market', market: marketFacts() });
  await host.submit({ type: 'list-market', market: marketFacts({ marketId: OTHER_MARKET }) });
  await host.submit({ type: 'list-market', market: marketFacts({ marketId: FAR_MARKET, chainId: FAR_CHAIN }) });
  return { host, log };
}

/** Orders of alice and bob in every market that trade with nobody. */
async function placeEverywhere(host: Host): Promise<void> {
  for (const marketId of [TEST_MARKET, OTHER_MARKET, FAR_MARKET])
    for (const place of [traders.aliceSellsYes, traders.bobSellsYes])
      await host.submit(place({ price: '0.6', size: '10', marketId }));
}

describe('a cancel-all that is asked again', () => {
  const mine = { type: 'cancel-orders', trader: TRADERS.alice, reason: 'user' } as const;
  const rows: [string, HostCommand, readonly string[]][] = [
    ['of every market finds its wallet’s orders in all of them', mine, [TEST_MARKET, OTHER_MARKET, FAR_MARKET]],
    ['of one market finds those of no other', { ...mine, marketId: OTHER_MARKET }, [OTHER_MARKET]],
    ['of one chain finds those of no other', { ...mine, chainId: FAR_CHAIN }, [FAR_MARKET]],
    ['for another reason finds nothing', { ...mine, reason: 'heartbeat_lapsed' }, []],
    ['of a wallet that has cancelled nothing finds nothing', { ...mine, trader: TRADERS.carol }, []],
  ];
  it.each(rows)('%s', async (_, command, expected) => {
    const { host, log } = await openHost();
    await placeEverywhere(host);
    await host.submit({ type: 'cancel-orders', trader: TRADERS.alice, reason: 'user' });
    const before = log.lastSeq;
    await placeEverywhere(host);
    await host.submit({ type: 'cancel-orders', trader: TRADERS.bob, reason: 'user' });
    await host.submit({ type: 'cancel-orders', trader: TRADERS.alice, reason: 'user' });
    const found = await findCancelled({ log, reads: host.reads }, before + 1, command);
    expect(found.map(({ marketId }) => marketId).sort()).toEqual([...expected].sort());
    expect(found.every((event) => event.type === 'order-cancelled' && event.trader === TRADERS.alice)).toBe(true);
  });
});

describe('the events of a command', () => {
  it('are found behind the place from which it was asked, and are all of its step', async () => {
    const { host, log } = await openHost();
    const maker = traders.aliceSellsYes({ price: '0.6', size: '10' });
    await host.submit(maker);
    const before = log.lastSeq;
    const events = await host.submit(traders.bobBuysYes({ price: '0.6', size: '4' }));
    const [tradeId] = events.flatMap((event) => (event.type === 'trade-matched' ? [event.tradeId] : []));
    const trade = { marketId: TEST_MARKET, tradeId: tradeId! };
    const commands = [
      { type: 'move-trade', ...trade, stage: 'submitted' },
      { type: 'fail-trade', ...trade, faultParty: 'buyer', reason: 'no money' },
      { type: 'cancel-order', marketId: TEST_MARKET, orderHash: maker.orderHash, reason: 'user' },
      { type: 'close-market', marketId: TEST_MARKET, reason: 'expired' },
    ] as const satisfies readonly HostCommand[];
    for (const command of commands) {
      const from = log.lastSeq + 1;
      expect(await findEvidence(log, before + 1, command), command.type).toBeUndefined();
      const { outputs, firstSeq } = await host.run({ ...command });
      const found = await findEvidence(log, before + 1, command);
      expect(found, command.type).toEqual({ events: outputs, firstSeq, lastSeq: log.lastSeq });
      expect(await findEvidence(log, from, command), command.type).toEqual(found);
      expect(await findEvidence(log, log.lastSeq + 1, command), command.type).toBeUndefined();
    }
    const others = [
      { ...commands[0], stage: 'mined' },
      { ...commands[0], tradeId: 'another' },
      { ...commands[1], tradeId: 'another' },
      { ...commands[2], orderHash: OTHER_MARKET },
      { ...commands[3], marketId: OTHER_MARKET },
      { type: 'list-market', market: marketFacts() },
    ] as const satisfies readonly HostCommand[];
    for (const other of others) expect(await findEvidence(log, before + 1, other), other.type).toBeUndefined();
    const listing: HostCommand = { type: 'list-market', market: marketFacts({ marketId: OTHER_MARKET }) };
    expect((await findEvidence(log, 1, listing))?.events).toMatchObject([{ marketId: OTHER_MARKET }]);
  });
});

describe('records that were sent to be appended', () => {
  const used = (nonce: string): JournalRecord => ({
    type: 'token-used',
    timeMs: clock.nowMs,
    keyId: 'key_1',
    nonce: nonce.padStart(32, '0'),
    issuedAt: 1,
  });

  it('are found where they stand, behind the place from which it was asked', async () => {
    const { log } = await openHost();
    await log.append([used('1')]);
    const before = log.lastSeq;
    await log.append([used('2')]);
    const { lastSeq } = await log.append([used('3'), used('4')]);
    const found = await findAppended(log, before + 1, [used('3'), used('4')]);
    expect(found).toMatchObject({ firstSeq: lastSeq - 1, lastSeq });
    expect(await findAppended(log, before + 1, [used('1')])).toBeUndefined();
    expect(await findAppended(log, before + 1, [used('5')])).toBeUndefined();
    expect(await findAppended(log, before + 1, [])).toBeUndefined();
  });
});
