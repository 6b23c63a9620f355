// The life of quick markets on a real chain: every way it can go, and a process that dies at every step of it.
import { RpcError } from '@presage/chain';
import { QUICK_STAGES, type QuickStage } from '@presage/protocol';
import { isLongRun, waitFor } from '@presage/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { QuickBench, STRANGER } from './quick-bench.ts';

const DAY = 86_400;
const PRICE = 65_000_00000000n;
let bench: QuickBench;

beforeAll(async () => {
  bench = await QuickBench.open();
});
afterAll(() => bench?.close());
afterEach(async () => {
  await bench.stop();
  bench.onAppend = () => undefined;
  await bench.travelTo(bench.nextStart + 2);
});

describe('a window', () => {
  it.each([
    ['up is YES', PRICE + 1n, [1n, 0n]],
    ['down is NO', PRICE - 1n, [0n, 1n]],
    ['equal is YES', PRICE, [1n, 0n]],
  ] as const)('that ends %s', async (_, endPrice, payouts) => {
    const { start } = bench;
    bench.setPrice(start, PRICE);
    bench.setPrice(start + 900, endPrice);
    bench.startRun();
    const open = await bench.reaches(start, 'open');
    await waitFor('it is active', async () => bench.service.active('BTC'));
    expect(bench.service.active('BTC')).toEqual(open);
    const facts = bench.listed.get(open.creation.marketId)!;
    expect(facts).toMatchObject({ kind: 'quick', category: 'general', expiration: start + 900 });
    expect(facts.question).toMatch(/^Will BTC be at or above \$65,000 at \d\d:\d\d UTC on \d{4}-\d\d-\d\d\?$/);
    await bench.travelTo(start + 900);
    const settled = await bench.reaches(start, 'settled');
    expect(await bench.payouts(settled)).toEqual(payouts);
    expect(settled.end).toMatchObject({ price: endPrice.toString(), expo: -8, publishTime: start + 900 });
    const next = await bench.reaches(start + 900, 'open');
    expect(next.start).toEqual(settled.end);
    expect(next.id).toBe(open.id! + 1);
    expect(bench.service.opened('BTC').slice(0, 2)).toEqual([next, settled]);
  });

  it('has its contract a minute before it begins, and no strike before its time', async () => {
    const { nextStart } = bench;
    await bench.travelTo(nextStart - 90);
    bench.startRun();
    const created = await bench.reaches(nextStart, 'created');
    expect(created.creation.createdAt).toBeLessThanOrEqual(nextStart - 60);
    expect(bench.listed.has(created.creation.marketId)).toBe(false);
    await bench.travelTo(nextStart);
    await bench.reaches(nextStart, 'open');
  });

  it('without a start price within its minute does not open', async () => {
    const { start } = bench;
    bench.setPrice(start, null);
    bench.startRun();
    const created = await bench.reaches(start, 'created');
    await waitFor('the price was missed', async () => bench.nowSeconds > start + 4);
    await bench.travelTo(start + 70);
    await bench.reaches(start, 'skipped');
    expect(bench.service.active('BTC')).toBeUndefined();
    expect(bench.listed.has(created.creation.marketId)).toBe(false);
    expect(bench.service.opened('BTC').some(({ startTime }) => startTime === start)).toBe(false);
  });

  it('without an end price waits a day for one, and takes it when it comes', async () => {
    const { start } = bench;
    bench.setPrice(start + 900, null);
    bench.startRun();
    await bench.reaches(start, 'open');
    await bench.travelTo(start + DAY);
    await waitFor('the next window is open', async () => bench.service.active('BTC'));
    expect(bench.windowAt(start)?.stage).toBe('open');
    bench.setPrice(start + 900, PRICE - 5n);
    expect(await bench.payouts(await bench.reaches(start, 'settled'))).toEqual([0n, 1n]);
  });

  it('without an end price for a day is void, half and half', async () => {
    const { start } = bench;
    bench.setPrice(start + 900, null);
    bench.startRun();
    await bench.reaches(start, 'open');
    await bench.travelTo(start + 900 + DAY);
    const settled = await bench.reaches(start, 'settled');
    expect(await bench.payouts(settled)).toEqual([1n, 1n]);
    expect(settled.end).toBeUndefined();
  });

  it('that other senders strike and resolve goes on as if the service had done so', async () => {
    const { nextStart } = bench;
    await bench.travelTo(nextStart - 90);
    bench.startRun();
    const { contractAddress } = (await bench.reaches(nextStart, 'created')).creation;
    const market = bench.contracts.quick!.market(contractAddress);
    await bench.stop();
    await bench.travelTo(nextStart);
    await bench.chain.execute(STRANGER, market.call('strike', [[await bench.payloadAt(nextStart)]]));
    bench.startRun();
    await bench.reaches(nextStart, 'open');
    await bench.stop();
    bench.setPrice(nextStart + 900, PRICE - 1n);
    await bench.travelTo(nextStart + 900);
    await bench.chain.execute(STRANGER, market.call('resolve', [[await bench.payloadAt(nextStart + 900)]]));
    bench.startRun();
    expect(await bench.payouts(await bench.reaches(nextStart, 'settled'))).toEqual([0n, 1n]);
  });

  it.each(isLongRun ? [1, 3, 10] : [1, 10])(
    'survives reorganizations of depth %i at every stage of its life',
    async (depth) => {
      const { nextStart } = bench;
      bench.setPrice(nextStart + 900, PRICE - 1n);
      await bench.travelTo(nextStart - 90);
      bench.onAppend = ({ window }) => {
        if (window.startTime === nextStart) void bench.reorganize(depth);
      };
      bench.startRun();
      await bench.reaches(nextStart, 'created');
      await bench.travelTo(nextStart);
      const { creation } = await bench.reaches(nextStart, 'open');
      await bench.travelTo(nextStart + 900);
      const settled = await bench.reaches(nextStart, 'settled');
      bench.onAppend = () => undefined;
      await waitFor('the chain has it again', async () => (await bench.payouts(settled))[1] === 1n);
      expect(settled.creation.marketId).toBe(creation.marketId);
      const market = bench.contracts.quick!.market(creation.contractAddress);
      expect((await market.read('startPrice', [])).publishTime).toBe(BigInt(nextStart));
      expect((await market.read('endPrice', [])).price).toBe(PRICE - 1n);
    },
  );

  it('whose contract is missing in the journal is found again on chain, of which the node searches few blocks at once', async () => {
    const { start } = bench;
    bench.startRun();
    const { creation } = await bench.reaches(start, 'open');
    await bench.stop();
    await bench.chain.rpc.request('presage_mine', [600]);
    bench.rpc.on('eth_getLogs', async ([filter], pass) => {
      const { fromBlock, toBlock } = filter as Record<'fromBlock' | 'toBlock', string>;
      if (Number(toBlock) - Number(fromBlock) < 500) return pass();
      throw new RpcError(-32_005, 'query exceeds max block range 500');
    });
    onTestFinished(() => bench.rpc.off('eth_getLogs'));
    const kept = bench.records.filter(({ window }) => window.startTime !== start);
    bench.records.splice(0, bench.records.length, ...kept);
    bench.forgetTransactions();
    bench.startRun();
    expect((await bench.reaches(start, 'open')).creation).toEqual(creation);
  });
});

describe('a service', () => {
  it.each(QUICK_STAGES.filter((stage) => stage !== 'skipped' && stage !== 'voiding'))(
    'that dies as a window becomes %s goes on where it was',
    async (fatal: QuickStage) => {
      const { start } = bench;
      bench.setPrice(start + 900, PRICE - 1n);
      let isDead = false;
      bench.onAppend = ({ window }) => {
        if (isDead || window.startTime !== start || window.stage !== fatal) return;
        isDead = true;
        void bench.stop();
      };
      bench.startRun();
      if (['resolving', 'settled'].includes(fatal)) {
        await bench.reaches(start, 'open');
        await bench.travelTo(start + 900);
      }
      await waitFor('the service died', async () => isDead);
      await bench.stop();
      bench.startRun();
      if (bench.windowAt(start)?.stage !== 'settled') {
        await waitFor('it is open or later', async () => (bench.windowAt(start)?.id ?? 0) > 0);
        await bench.travelTo(start + 900);
      }
      const settled = await bench.reaches(start, 'settled');
      expect(await bench.payouts(settled)).toEqual([0n, 1n]);
      expect(bench.listed.has(settled.creation.marketId)).toBe(true);
      const ids = bench.service.opened('BTC').map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
    },
  );

  it('that was down for three windows resolves the one it had opened and makes none of those it missed', async () => {
    const { start } = bench;
    bench.setPrice(start + 900, PRICE - 1n);
    bench.startRun();
    await bench.reaches(start, 'open');
    await bench.stop();
    await bench.travelTo(start + 4 * 900 + 300);
    bench.startRun();
    expect(await bench.payouts(await bench.reaches(start, 'settled'))).toEqual([0n, 1n]);
    const current = await bench.reaches(start + 4 * 900, 'open');
    expect(current.start).toMatchObject({ publishTime: start + 4 * 900 });
    const { factory } = bench.contracts.quick!;
    for (const missed of [1, 2, 3]) {
      expect(BigInt(await factory.read('marketOf', ['BTC', BigInt(start + missed * 900)]))).toBe(0n);
    }
  });
});
