// Hours at half of what the service can take, with a kill of everything every five minutes: nothing answered is lost, and memory and disk grow by what the orders are worth.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SeededRandom, seedFromEnv } from '@presage/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAnswered, expectFilledOnChain } from './answered-check.ts';
import { Exchange } from './exchange.ts';
import { BUYERS, RecordedLoad, SELLERS } from './recorded-load.ts';

const MINUTES = Number(process.env.PRESAGE_SOAK_MINUTES ?? 0);
const MINUTES_A_ROUND = 5;
const ROUNDS = MINUTES > 0 ? Math.ceil(MINUTES / MINUTES_A_ROUND) : 2;
const ROUND_MS = MINUTES > 0 ? MINUTES_A_ROUND * 60_000 : 1_000;
const ROUND_LIMIT_MS = 2 * ROUND_MS + 300_000;
const FULL_LOAD_MS = MINUTES > 0 ? 30_000 : 500;
/** Orders of a round that are compared one by one, with the service and with the chain. */
const COMPARED = MINUTES > 0 ? 500 : 20;
const WALLETS = [...BUYERS, ...SELLERS];
const MEBIBYTE = 1024 * 1024;
/** Of an open order in the memory of the service, as `bench/README.md` has it, rounded up. */
const ORDER_BYTES = 1_100;
/** What a process has more at one time than at another without having more to keep. */
const SLACK_BYTES = 96 * MEBIBYTE;

interface Size {
  /** Orders answered so far. */
  readonly orders: number;
  readonly residentBytes: number;
  readonly journalBytes: number;
  readonly dataBytes: number;
}

const random = new SeededRandom(seedFromEnv(Date.now()));
const sizes: Size[] = [];
let exchange: Exchange;
let orders = 0;
let pauseMs = 0;

beforeAll(async () => {
  exchange = await Exchange.open();
  await exchange.seededMarkets();
});
afterAll(() => exchange?.close());

/** Orders for a while; returns what was answered, cancelled and left open by whatever ended it. */
async function trade(question: string, forMs: number, pause: number) {
  const market = await exchange.newMarket(question);
  const load = new RecordedLoad(random, pause);
  const writing = load.run(exchange.client, market.id);
  await sleep(forMs);
  return { market, load, writing };
}

async function measure(): Promise<Size> {
  const metrics = await (await fetch(`${exchange.sandbox.url}/metrics`)).text();
  const residentBytes = Number(/^process_resident_memory_bytes (\S+)/m.exec(metrics)?.[1]);
  const { dataDir } = exchange.sandbox;
  const journalBytes = bytesBelow(join(dataDir, 'service', 'journal'));
  return { orders, residentBytes, journalBytes, dataBytes: bytesBelow(dataDir) };
}

function bytesBelow(folder: string): number {
  let bytes = 0;
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    // Files of the database come and go while they are counted.
    const found = statSync(join(folder, name), { throwIfNoEntry: false });
    if (found?.isFile()) bytes += found.size;
  }
  return bytes;
}

const mebibytes = (bytes: number) => (bytes / MEBIBYTE).toFixed(0);

describe(`${ROUNDS} rounds of ${ROUND_MS / 1_000} s at half load, seed ${random.seed}`, () => {
  it('knows what full load is', async () => {
    const { load, writing } = await trade('How much can it take?', FULL_LOAD_MS, 0);
    load.stop();
    await writing;
    orders += load.answered.length;
    // A writer that rests for as long as an order takes sends half as many.
    pauseMs = (FULL_LOAD_MS * WALLETS.length) / load.answered.length;
    await exchange.settled();
    process.stderr.write(`full load: ${((load.answered.length / FULL_LOAD_MS) * 1_000).toFixed(0)} orders/s\n`);
  });

  for (let round = 1; round <= ROUNDS; round++) {
    it(
      `number ${round} ends with a kill of everything, which takes nothing`,
      async () => {
        const { market, load, writing } = await trade(`Does round ${round} last?`, ROUND_MS, pauseMs);
        const head = await exchange.chain.head();
        await exchange.sandbox.killGroup();
        await writing;
        exchange = await exchange.reopen();
        expect(await exchange.chain.hashOfBlock(head.number)).toBe(head.hash);
        await load.resolveUnanswered(exchange.client);
        orders += load.answered.length;
        await exchange.settled();
        const picked = Array.from({ length: COMPARED }, () => random.pick(load.answered));
        await expectAnswered(exchange, {
          answered: [...picked, ...load.answered.slice(-COMPARED)],
          cancelled: load.cancelled.slice(-COMPARED),
        });
        await expectFilledOnChain(exchange, picked);
        for (const wallet of WALLETS) {
          const { reported, onChain } = await exchange.sharesBothWays(market, wallet);
          expect(reported).toEqual(onChain);
        }
        expect(await exchange.client.read('/api/v1/failed-trades')).toMatchObject({ count: 0 });
        const size = await measure();
        sizes.push(size);
        process.stderr.write(
          `round ${round}: ${load.answered.length} orders, ${load.cancelled.length} cancels, ${load.refused.length} refused; ` +
            `${mebibytes(size.residentBytes)} MiB resident, journal ${mebibytes(size.journalBytes)} MiB, all files ${mebibytes(size.dataBytes)} MiB\n`,
        );
      },
      ROUND_LIMIT_MS,
    );
  }

  it('has grown by no more than its orders take', () => {
    const [first, last] = [sizes[0]!, sizes.at(-1)!];
    const grown = last.orders - first.orders;
    expect(last.residentBytes - first.residentBytes).toBeLessThan(grown * ORDER_BYTES + SLACK_BYTES);
    const middle = sizes[Math.floor(sizes.length / 2)]!;
    const journalOf = (from: Size, to: Size) => (to.journalBytes - from.journalBytes) / (to.orders - from.orders);
    process.stderr.write(
      `${last.orders} orders: ${journalOf(first, last).toFixed(0)} bytes of the journal an order, ` +
        `${((last.dataBytes - first.dataBytes) / grown).toFixed(0)} of all files, ${((last.residentBytes - first.residentBytes) / grown).toFixed(0)} resident\n`,
    );
    // The last thousand orders cost what the first did.
    if (MINUTES > 0) expect(journalOf(middle, last)).toBeLessThan(journalOf(first, middle) * 1.25);
  });
});
