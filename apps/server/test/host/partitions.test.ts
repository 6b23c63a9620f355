// Markets spread over several partitions: the same commands come to the same books and trades as in one.
import {
  type EngineCommand,
  type EngineEvent,
  fromServiceSeq,
  isEngineEvent,
  type MarketId,
  marketPartitionName,
  NO,
  PresageError,
  partitionOfMarket,
  toServiceSeq,
  YES,
} from '@presage/protocol';
import { isLongRun, MemoryJournal, MemoryStorage, SeededRandom, seedFromEnv } from '@presage/testkit';
import { describe, expect, it } from 'vitest';
import { RandomCommands } from '../../../../packages/engine/test/random-commands.ts';
import { ControlState } from '../../src/host/control-state.ts';
import { Host } from '../../src/host/host.ts';
import type { HostCommands, TradeChange } from '../../src/host/host-commands.ts';
import { MarketHosts } from '../../src/host/market-hosts.ts';
import { agreePartitionCount } from '../../src/host/partition-count.ts';
import { PartitionLog } from '../../src/host/partition-log.ts';

const COMMANDS = isLongRun ? 30_000 : 3_000;
const SEED = seedFromEnv(7);

/** What is over is forgotten with a later step of its partition, and a quiet partition has fewer of them: either is told of it. */
const FORGOTTEN: ReadonlySet<string> = new Set([
  'order_not_open',
  'order_not_found',
  'trade_not_found',
  'expiration_too_soon',
  'market_closed',
]);
const OVER = 'over or forgotten';

const rethrow = (error: unknown) => {
  throw error;
};

async function openLog(partition: string, nowMs: () => number): Promise<PartitionLog> {
  const journal = await MemoryJournal.open({ storage: new MemoryStorage(partition) });
  return PartitionLog.open({ journal, nowMs, onFatal: rethrow });
}

/** What the commands of one service came to. */
class Service {
  readonly hosts: MarketHosts;
  readonly commands: HostCommands;
  readonly events: EngineEvent[] = [];
  readonly ids: number[] = [];

  private constructor(hosts: MarketHosts) {
    this.hosts = hosts;
    this.commands = hosts.commands;
  }

  static async open(count: number, nowMs: () => number): Promise<Service> {
    const names = Array.from({ length: count }, (_, index) => marketPartitionName(index));
    const logs = await Promise.all(names.map((name) => openLog(name, nowMs)));
    const opened = await Promise.all(logs.map((log) => Host.open({ log, nowMs })));
    const service = new Service(new MarketHosts(opened as [Host, ...Host[]]));
    for (const log of logs) {
      log.subscribe(({ records }) => service.events.push(...records.filter(isEngineEvent)));
    }
    return service;
  }

  /** Its answer, or the code of its refusal. */
  async run(command: EngineCommand): Promise<unknown> {
    try {
      return await this.#run(command);
    } catch (error) {
      if (error instanceof PresageError) return FORGOTTEN.has(error.code) ? OVER : error.code;
      throw error;
    }
  }

  /** Whether the order would be refused had it not been there before. */
  #isOver({ order, timeMs }: Extract<EngineCommand, { type: 'place-order' }>): boolean {
    const { facts, status, resolution } = this.hosts.reads.market(order.marketId)!;
    const lapsesMs = Math.min(Number(order.expiration), facts.expiration) * 1_000;
    return lapsesMs <= timeMs || status === 'closed' || resolution?.status === 'proposed';
  }

  async #run(command: EngineCommand): Promise<unknown> {
    const { commands, hosts } = this;
    switch (command.type) {
      case 'place-order': {
        const { answer, replayed } = await commands.placeOrder(command);
        if (replayed && this.#isOver(command)) return OVER;
        if (!replayed) this.ids.push(...answer.trades.map(({ id }) => id));
        return { ...answer, replayed, trades: answer.trades.map(({ id, ...fill }) => fill) };
      }
      case 'cancel-order':
        return (await commands.cancelOrder(command.marketId, command.orderHash, command.trader)).cancelled;
      case 'cancel-orders':
        return (await commands.cancelOrders(command.trader, command.reason, command.marketId)).cancelled.toSorted();
      case 'move-trade':
      case 'fail-trade':
        return commands.changeTrades([toChange(command)]);
      case 'list-market':
        return commands.listMarket(command.market);
      case 'close-market':
        return commands.closeEarly(command.marketId);
      case 'change-resolution':
        return commands.changeResolutions(new Map([[command.marketId, command.resolution]]));
      case 'tick':
        await Promise.all(hosts.partitions.map((host) => host.submit({ type: 'tick' })));
    }
  }
}

function toChange(command: Extract<EngineCommand, { type: 'move-trade' | 'fail-trade' }>): TradeChange {
  const { marketId, tradeId, settlement } = command;
  const to = command.type === 'move-trade' ? command.stage : command;
  return { trade: { marketId, tradeId }, to, ...(settlement && { settlement }) };
}

function byMarket(events: readonly EngineEvent[]): Map<MarketId, EngineEvent[]> {
  const markets = new Map<MarketId, EngineEvent[]>();
  for (const event of events) markets.set(event.marketId, [...(markets.get(event.marketId) ?? []), event]);
  return markets;
}

function standOf({ hosts: { reads } }: Service, marketId: MarketId) {
  return {
    market: reads.market(marketId),
    books: [reads.bookHash(marketId), ...([YES, NO] as const).map((outcome) => reads.levels(marketId, outcome, 0))],
    open: reads.openOrders({ marketId }).map(({ sequence, ...order }) => order),
    trades: reads.unsettledTrades({ marketId }).map(({ id, ...trade }) => trade),
  };
}

describe(`four partitions of markets, seed ${SEED}`, () => {
  it(`answer ${COMMANDS} commands as one partition does, market by market`, async () => {
    let timeMs = 0;
    const nowMs = () => timeMs;
    const [one, four] = await Promise.all([Service.open(1, nowMs), Service.open(4, nowMs)]);
    const flow = new RandomCommands(SEED);
    let seen = 0;
    for (let n = 0; n < COMMANDS; n++) {
      const command = flow.next();
      timeMs = command.timeMs;
      const answer = await one.run(structuredClone(command));
      expect(await four.run(structuredClone(command)), `command ${n}: ${command.type}`).toEqual(answer);
      flow.observe(one.events.slice(seen));
      seen = one.events.length;
    }
    const expected = byMarket(one.events);
    expect(byMarket(four.events)).toEqual(expected);
    for (const marketId of expected.keys()) expect(standOf(four, marketId)).toEqual(standOf(one, marketId));
    expect(four.hosts.reads.marketCount).toBe(one.hosts.reads.marketCount);
    const wallets = new Set(one.hosts.reads.openOrders().map(({ signed }) => signed.order.trader));
    for (const trader of wallets) {
      const open = four.hosts.reads.openOrders({ trader });
      const times = open.map(({ acceptedMs }) => acceptedMs);
      expect(times).toEqual(times.toSorted((a, b) => b - a));
      expect(open).toHaveLength(one.hosts.reads.openOrders({ trader }).length);
    }
    expect(new Set(four.hosts.partitions.map(({ reads }) => reads.marketCount > 0))).toEqual(new Set([true]));
    expect(four.ids.length).toBeGreaterThan(100);
    expect(new Set(four.ids).size).toBe(four.ids.length);
    expect(four.ids).toHaveLength(one.ids.length);
  });

  it('note a fact of a market in its own partition, and one of a whole chain in every partition', async () => {
    const service = await Service.open(4, () => 5);
    const { hosts } = service;
    const marketId = `0x${'12'.repeat(32)}` as const;
    await hosts.note({ type: 'chain-rewound', timeMs: 5, chainId: 31337, toBlock: 3, cause: 'reorg' });
    expect(hosts.partitions.map(({ durableSeq }) => durableSeq)).toEqual([1, 1, 1, 1]);
    const shares = { yesShares: '1', noShares: '0', blockNumber: 4 };
    await hosts.note({
      type: 'position-synced',
      timeMs: 5,
      marketId,
      userAddress: `0x${'0a'.repeat(20)}` as const,
      ...shares,
    });
    const own = partitionOfMarket(marketId, 4);
    expect(hosts.partitions.map(({ durableSeq }) => durableSeq)).toEqual(
      [0, 1, 2, 3].map((at) => (at === own ? 2 : 1)),
    );
  });
});

describe('the partition of a market', () => {
  it('is the only one there is, or one of several that get about as many markets each', () => {
    const random = new SeededRandom(SEED);
    const drawn = Array.from({ length: 8_000 }, () => random.hex(32));
    const counted = Array.from({ length: 4_000 }, (_, n) => `0x${n.toString(16).padStart(64, '0')}` as const);
    expect(drawn.every((id) => partitionOfMarket(id, 1) === 0)).toBe(true);
    for (const ids of [drawn, counted]) {
      for (const count of [2, 3, 8]) {
        const sizes = Array.from({ length: count }, () => 0);
        for (const id of ids) sizes[partitionOfMarket(id, count)]!++;
        for (const size of sizes) expect(Math.abs(size - ids.length / count)).toBeLessThan(ids.length / count / 4);
      }
    }
  });

  it('never changes: journals of today are read by it tomorrow', () => {
    const ids = ['00', '01', '7f', 'ff'].map((byte) => `0x${byte.repeat(32)}` as const);
    expect(ids.map((id) => [2, 4, 64].map((count) => partitionOfMarket(id, count)))).toMatchInlineSnapshot(`
      [
        [
          0,
          0,
          40,
        ],
        [
          1,
          1,
          17,
        ],
        [
          1,
          3,
          51,
        ],
        [
          0,
          0,
          20,
        ],
      ]
    `);
  });

  it('gives every place a number of its own, which is the place itself where there is one partition', () => {
    expect(toServiceSeq({ partition: 0, seq: 17 }, 1)).toBe(17);
    const places = [0, 1, 2].flatMap((partition) => [1, 2, 3].map((seq) => ({ partition, seq })));
    const numbers = places.map((place) => toServiceSeq(place, 3));
    expect(new Set(numbers).size).toBe(9);
    expect(numbers.map((number) => fromServiceSeq(number, 3))).toEqual(places);
  });
});

describe('the number of partitions', () => {
  async function openPlace() {
    const nowMs = () => 7;
    const [control, first] = [await openLog('control', nowMs), await openLog('m0', nowMs)];
    const fold = new ControlState();
    control.subscribe(({ records }) => {
      for (const record of records) fold.apply(record);
    });
    return { fold, control, first, nowMs };
  }
  const listing: EngineEvent = {
    type: 'market-closed',
    marketId: `0x${'01'.repeat(32)}` as const,
    step: 1,
    timeMs: 7,
    reason: 'expired',
  };

  it('is written down at the first start where it is more than one, and never again', async () => {
    const place = await openPlace();
    await agreePartitionCount({ ...place, wanted: 1 });
    expect(place.control.lastSeq).toBe(0);
    await agreePartitionCount({ ...place, wanted: 4 });
    expect(place.fold.partitionCount).toBe(4);
    await place.first.append([listing]);
    await agreePartitionCount({ ...place, wanted: 4 });
    expect(place.control.lastSeq).toBe(1);
    const restored = new ControlState();
    restored.restore([...place.fold.lines()]);
    expect(restored.partitionCount).toBe(4);
  });

  it('cannot become another: the start is refused, and says which setting goes on', async () => {
    const spread = await openPlace();
    await agreePartitionCount({ ...spread, wanted: 4 });
    await expect(agreePartitionCount({ ...spread, wanted: 2 })).rejects.toThrow('set PRESAGE_PARTITIONS=4');
    await expect(agreePartitionCount({ ...spread, wanted: 1 })).rejects.toThrow('set PRESAGE_PARTITIONS=4');
    const single = await openPlace();
    await single.first.append([listing]);
    await expect(agreePartitionCount({ ...single, wanted: 4 })).rejects.toThrow('or leave it unset');
    expect(single.control.lastSeq).toBe(0);
  });
});
