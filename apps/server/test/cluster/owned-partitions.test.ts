// A partition that other nodes ask for: handed over once what was asked for is answered, and read in pages of bounded size.
import type { Frame, FrameRef } from '@presage/journal';
import { createOrderBuilders, ManualClock, MemoryJournal, MemoryStorage, marketFacts } from '@presage/testkit';
import { expect, it } from 'vitest';
import type { LinkPeer } from '../../src/cluster/link-listener.ts';
import { NotOwner } from '../../src/cluster/link-messages.ts';
import { OwnedPartitions } from '../../src/cluster/owned-partitions.ts';
import type { DecidedAt } from '../../src/cluster/ports.ts';
import { Host } from '../../src/host/host.ts';
import { PartitionLog } from '../../src/host/partition-log.ts';
import type { HostCommand } from '../../src/host/ports.ts';

const NEXT = { address: 'http://next', linkAddress: '127.0.0.1:1', epoch: 2 };
const PEER: LinkPeer = {
  node: 'http://gateway',
  backlogBytes: () => 0,
  tell: () => undefined,
  onClosed: () => undefined,
};
const REWOUND = { type: 'chain-rewound', timeMs: 5, chainId: 31337, cause: 'reorg' } as const;
const clock = new ManualClock();
const nowMs = () => clock.nowMs;
const traders = createOrderBuilders(clock);
const onFatal = (error: unknown) => {
  throw error;
};

/** A partition whose appends wait while they are held, as at a slow disk. */
async function ownOne() {
  const journal = await MemoryJournal.open({ storage: new MemoryStorage('m0') });
  const log = await PartitionLog.open({ journal, nowMs, onFatal });
  const host = await Host.open({ log, nowMs });
  await host.submit({ type: 'list-market', market: marketFacts() });
  const partitions = new OwnedPartitions();
  partitions.add({ log, host });
  const write = journal.append.bind(journal);
  let release = (): void => undefined;
  const hold = () => {
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    journal.append = async (...frame) => {
      await held;
      return write(...frame);
    };
  };
  const run = async (id: string, command: HostCommand) =>
    (await partitions.handlers().get('run')!({ partition: 'm0', id, command } as never, PEER)) as DecidedAt;
  const append = async (id: string, ...toBlocks: readonly number[]) => {
    const records = toBlocks.map((toBlock) => ({ ...REWOUND, toBlock }));
    return (await partitions.handlers().get('append')!({ partition: 'm0', id, records } as never, PEER)) as FrameRef;
  };
  const read = async (fromSeq: number) =>
    (await partitions.handlers().get('read-frames')!({ partition: 'm0', fromSeq } as never, PEER)) as readonly Frame[];
  return { partitions, host, run, append, read, hold, release: () => release() };
}

it('is held until every call under way is answered, and a call that comes meanwhile learns of the next owner', async () => {
  const { partitions, run, hold, release } = await ownOne();
  hold();
  const underWay = run('call-1', traders.aliceSellsYes({ price: '0.6', size: '10' }));
  let isHeld = false;
  const holding = partitions.hold('m0').then(() => {
    isHeld = true;
  });
  const late = run('call-2', traders.bobSellsYes({ price: '0.6', size: '10' }));
  const lateEnds = expect(late).rejects.toMatchObject({ next: NEXT });
  const again = run('call-1', traders.aliceSellsYes({ price: '0.6', size: '10' }));
  await new Promise((resolve) => setImmediate(resolve));
  expect(isHeld).toBe(false);
  release();
  const { outputs } = await underWay;
  expect(outputs.map(({ type }) => type)).toEqual(['order-accepted']);
  expect((await again).outputs).toBe(outputs);
  await holding;
  partitions.remove('m0', NEXT);
  await lateEnds;
  await expect(run('call-3', traders.bobSellsYes({ price: '0.6', size: '10' }))).rejects.toThrow(NotOwner);
});

it('is read in pages, each of which ends with the frame that makes it a mebibyte', async () => {
  const { host, read } = await ownOne();
  const description = 'x'.repeat(300_000);
  for (let market = 1; market <= 6; market++) {
    const marketId = `0x${market.toString(16).padStart(64, '0')}` as const;
    await host.submit({ type: 'list-market', market: marketFacts({ marketId, description }) });
  }
  const pages = [await read(2)];
  for (let page = pages[0]; page !== undefined && page.length > 0; page = pages.at(-1))
    pages.push(await read(page.at(-1)!.lastSeq + 1));
  expect(pages.map(({ length }) => length)).toEqual([4, 2, 0]);
});

it('answers each append with the place of its own records, also where another one is durable by then', async () => {
  const { append, hold, release } = await ownOne();
  hold();
  const appends = [append('append-1', 7, 6), append('append-2', 5)];
  await new Promise((resolve) => setImmediate(resolve));
  release();
  expect(await Promise.all(appends)).toMatchObject([
    { firstSeq: 2, lastSeq: 3 },
    { firstSeq: 4, lastSeq: 4 },
  ]);
});
