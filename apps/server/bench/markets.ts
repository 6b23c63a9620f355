// Orders per second with ten thousand open markets compared with ten: host, both engines and the journal's files.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileJournal } from '@presage/journal';
import { DEFAULT_TERMS, type MarketId, toPrice, toSize, ZERO_ADDRESS } from '@presage/protocol';
import { marketFacts, SeededRandom } from '@presage/testkit';
import { type Measurement, median } from '../../../bench/measurement.ts';
import { Host } from '../src/host/host.ts';
import { PartitionLog } from '../src/host/partition-log.ts';

const FEW = 10;
const MANY = 10_000;
const ROUNDS = 5;
/** Rounds of 5,000 (a third of a second) varied by a factor of two. */
const ORDERS = 40_000;
/** As many as a busy service decides in one turn of the event loop. */
const AT_ONCE = 64;
const WALLETS = 500;

/** @public Called by `bench/modules.ts`, by the path of this file. */
export async function measure(): Promise<Measurement> {
  const dir = await mkdtemp(join(tmpdir(), 'presage-bench-'));
  const [few, many] = [await Venue.open(join(dir, 'few'), FEW), await Venue.open(join(dir, 'many'), MANY)];
  try {
    await few.run();
    await many.run();
    const rates: { few: number; many: number }[] = [];
    for (let round = 0; round < ROUNDS; round++) rates.push({ few: await few.run(), many: await many.run() });
    const list = (of: 'few' | 'many') => rates.map((rate) => rate[of].toFixed(0)).join(', ');
    const load = `${ORDERS.toLocaleString('en')} orders a round of ${WALLETS} wallets, one in ten trades, rounds alternate`;
    return {
      key: 'markets.10000',
      value: median(rates.map((rate) => rate.many / rate.few)),
      conditions: `${load}; host, engines and journal without HTTP, a second of processor time: ${list('many')} of ${MANY} markets, ${list('few')} of ${FEW}`,
    };
  } finally {
    await few.close();
    await many.close();
    await rm(dir, { recursive: true, force: true });
  }
}

class Venue {
  readonly #log: PartitionLog;
  readonly #host: Host;
  readonly #markets: readonly MarketId[];
  readonly #random = new SeededRandom(3);
  readonly #wallets = Array.from({ length: WALLETS }, () => this.#random.hex(20));
  #nonce = 0n;

  private constructor(log: PartitionLog, host: Host, markets: readonly MarketId[]) {
    this.#log = log;
    this.#host = host;
    this.#markets = markets;
  }

  static async open(dir: string, count: number): Promise<Venue> {
    const journal = await FileJournal.open({ dir, partition: 'm0' });
    const onFatal = (error: unknown) => {
      throw error;
    };
    const log = await PartitionLog.open({ journal, nowMs: Date.now, onFatal });
    const host = await Host.open({ log, nowMs: Date.now });
    const random = new SeededRandom(count);
    const markets = Array.from({ length: count }, () => random.hex(32));
    const expiration = Math.floor(Date.now() / 1_000) + 86_400;
    const facts = markets.map((marketId) => marketFacts({ marketId, expiration }));
    await host.submitAll(facts.map((market) => ({ type: 'list-market' as const, market })));
    return new Venue(log, host, markets);
  }

  /** Orders per second of processor time. */
  async run(): Promise<number> {
    const cpu = process.cpuUsage();
    for (let sent = 0; sent < ORDERS; sent += AT_ONCE) {
      await this.#host.submitAll(Array.from({ length: AT_ONCE }, () => this.#makeOrder()));
    }
    const { user, system } = process.cpuUsage(cpu);
    return (ORDERS / (user + system)) * 1e6;
  }

  async close(): Promise<void> {
    await this.#host.close();
    await this.#log.close();
  }

  #makeOrder() {
    const random = this.#random;
    const side = random.pick<0 | 1>([0, 1]);
    const distance = random.int(-20, 180);
    const order = {
      marketId: random.pick(this.#markets),
      trader: random.pick(this.#wallets),
      side,
      outcome: 0 as const,
      price: toPrice(side === 0 ? 500_000 - distance : 500_000 + distance),
      size: toSize(1_000_000),
      nonce: this.#nonce++,
      expiration: BigInt(Math.floor(Date.now() / 1_000) + 3_600),
      makerFeeRecipient: ZERO_ADDRESS,
    };
    const orderHash = random.hex(32);
    const signature = `0x${orderHash.slice(2).repeat(2)}1b` as const;
    return { type: 'place-order' as const, orderHash, order, signature, terms: DEFAULT_TERMS };
  }
}
