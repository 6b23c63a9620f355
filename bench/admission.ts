// Signed orders per second over HTTP: resting, crossing and in batches, compared with a bare server and with raw signer
// recovery.
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { readJson, waitFor } from '@presage/testkit';
import { type Exchange, withExchange } from './exchange.ts';
import { type FloorKind, type FloorServer, startFloorServer } from './http-floor.ts';
import { type LoadResult, measureRecovery, type OrderMix, postOrders, rateOf, signOrders } from './http-load.ts';
import { findService, readMainThread, type ThreadTime } from './main-thread.ts';
import type { Measurement } from './measurement.ts';
import { readTree, sumTicks, TICKS_PER_SECOND } from './process-tree.ts';

const ROUNDS = 3;
const ORDERS = 3_000;
/** Turns take a fraction of a second each, since other load on the machine changes within seconds. */
const TURNS = 6;
const ORDERS_A_TURN = 1_000;
const CONNECTIONS = 64;
const LIMIT_MS = 15_000;
const BATCH = 50;
/** Longer than the chain waits before it saves its state, which takes a core for seconds after each round of trades. */
const QUIET_MS = 3_000;
/** Share of a core that counts as quiet; an idle exchange takes a third of it. */
const QUIET_SHARE = 0.1;

export async function measure(): Promise<Measurement[]> {
  const floors = { bare: await startFloorServer('bare'), durable: await startFloorServer('durable') };
  try {
    return await withExchange(async (exchange) => {
      const runs = new Runs(exchange, floors);
      // The first round warms up both and is not counted.
      for (let round = 0; round <= ROUNDS; round++) await runs.runRound(round > 0);
      return [...runs.rates(), await runs.latency()];
    });
  } finally {
    await Promise.all([floors.bare.stop(), floors.durable.stop()]);
  }
}

type Turn = Readonly<Record<FloorKind | 'resting', LoadResult>>;

interface PostOptions {
  readonly count?: number;
  readonly batch?: number;
  readonly perSecond?: number;
}

/** Rounds alternate, so that other load on the machine affects all of them alike. */
class Runs {
  readonly #exchange: Exchange;
  readonly #floors: Readonly<Record<FloorKind, FloorServer>>;
  readonly #turns: Turn[] = [];
  readonly #crossing: LoadResult[] = [];
  /** Crossing orders while the chain is unreachable, so that no trade settles meanwhile. */
  readonly #unsettled: LoadResult[] = [];
  readonly #batches: LoadResult[] = [];
  readonly #recoveries: number[] = [];

  constructor(exchange: Exchange, floors: Readonly<Record<FloorKind, FloorServer>>) {
    this.#exchange = exchange;
    this.#floors = floors;
  }

  async runRound(isCounted: boolean): Promise<void> {
    const turns: Turn[] = [];
    for (let turn = 0; turn < TURNS; turn++) turns.push(await this.#takeTurn());
    const recovery = await measureRecovery(ORDERS);
    const batches = await this.#post(this.#service('/api/v1/orders/batch'), 'resting', { batch: BATCH });
    const crossing = await this.#post(this.#service('/api/v1/orders'), 'crossing');
    // Waits until its trades are settled and saved, because admission, settlement and chain share two cores.
    await settled(this.#exchange);
    await quiet(this.#exchange);
    await setChain(this.#exchange, 'down');
    const unsettled = await this.#post(this.#service('/api/v1/orders'), 'crossing');
    await setChain(this.#exchange, 'up');
    for (const result of [...turns.map(({ resting }) => resting), batches, crossing, unsettled]) assertAccepted(result);
    await settled(this.#exchange);
    await quiet(this.#exchange);
    if (!isCounted) return;
    this.#turns.push(...turns);
    this.#batches.push(batches);
    this.#crossing.push(crossing);
    this.#unsettled.push(unsettled);
    this.#recoveries.push(recovery);
  }

  async #takeTurn(): Promise<Turn> {
    return {
      bare: await this.#post(this.#floors.bare.target, 'resting', { count: ORDERS_A_TURN }),
      durable: await this.#post(this.#floors.durable.target, 'resting', { count: ORDERS_A_TURN }),
      resting: await this.#post(this.#service('/api/v1/orders'), 'resting', { count: ORDERS_A_TURN }),
    };
  }

  #rateOf(kind: keyof Turn): number {
    return rateOf(this.#turns.map((turn) => turn[kind]));
  }

  rates(): Measurement[] {
    const [bare, resting, crossing] = [this.#rateOf('bare'), this.#rateOf('resting'), rateOf(this.#crossing)];
    const batch = rateOf(this.#batches) * BATCH;
    const recovery = (this.#recoveries.reduce((sum, rate) => sum + rate, 0) / ROUNDS) * availableParallelism();
    const say = (count: number) => `${count.toLocaleString('en')} orders, ${CONNECTIONS} connections`;
    const per = (rate: number) => `${rate.toFixed(0)}/s`;
    return [
      {
        key: 'admission.vs.bare',
        value: resting / bare,
        conditions: `${ROUNDS * TURNS} alternating turns of ${say(ORDERS_A_TURN)}: ${per(resting)}, bare ${per(bare)}, durable ${per(this.#rateOf('durable'))}`,
      },
      {
        key: 'admission.crossing',
        value: crossing / resting,
        conditions: `${ROUNDS} rounds of ${say(ORDERS)}; each second order takes the one before it: ${per(crossing)}, resting ${per(resting)}; with the chain down, so that nothing settles beside them, ${per(rateOf(this.#unsettled))}`,
      },
      {
        key: 'admission.batch.vs.recover',
        value: batch / recovery,
        conditions: `batches of ${BATCH}: ${per(batch)}, recoveries ${per(recovery)} on ${availableParallelism()} cores`,
      },
    ];
  }

  /** Sends evenly at half the rate of each server; the medians of alternating rounds. */
  async latency(): Promise<Measurement> {
    const [bareRate, durableRate, ourRate] = [
      this.#rateOf('bare') / 2,
      this.#rateOf('durable') / 2,
      this.#rateOf('resting') / 2,
    ];
    const service = findService(this.#exchange.sandbox.pid);
    const rounds: { bare: LoadResult; durable: LoadResult; ours: LoadResult; thread: ThreadTime }[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const bare = await this.#post(this.#floors.bare.target, 'resting', { perSecond: bareRate });
      const durable = await this.#post(this.#floors.durable.target, 'resting', { perSecond: durableRate });
      const before = readMainThread(service);
      const ours = await this.#post(this.#service('/api/v1/orders'), 'resting', { perSecond: ourRate });
      rounds.push({ bare, durable, ours, thread: since(before, readMainThread(service)) });
    }
    const median = (of: FloorKind | 'ours') => medianOf(rounds.map((each) => each[of]));
    const [bare, durable, ours] = [median('bare'), median('durable'), median('ours')];
    const describe = ({ p50, p99 }: LoadResult['latencyMs'], rate: number) =>
      `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms at ${rate.toFixed(0)}/s`;
    return {
      key: 'latency.p99',
      value: ours.p99 / bare.p99,
      conditions: `medians of ${ROUNDS} alternating rounds: ours ${describe(ours, ourRate)}, bare ${describe(bare, bareRate)}, durable ${describe(durable, durableRate)}; main thread ${rounds.map(({ thread }) => describeThread(thread)).join(', ')}`,
    };
  }

  #service(path: string) {
    const { domain, marketId, url } = this.#exchange;
    return { domain, marketId, url: url(path) };
  }

  async #post(target: FloorServer['target'], mix: OrderMix, options: PostOptions = {}): Promise<LoadResult> {
    const { url, domain, marketId } = target;
    const { count = ORDERS, batch = 1, perSecond } = options;
    const bodies = await signOrders({ count, domain, marketId, mix, batch });
    // As many orders in flight as without batches: more would be a flood, of which the service refuses a part.
    const connections = Math.max(1, Math.ceil(CONNECTIONS / batch));
    return postOrders({ url, bodies, connections, limitMs: LIMIT_MS, ...(perSecond && { perSecond }) });
  }
}

async function settled({ url }: Exchange): Promise<void> {
  const read = () => readJson<{ count: number }>(url('/api/v1/pending-trades'));
  await waitFor('every trade is settled', async () => (await read()).count === 0, { timeoutMs: 120_000, pollMs: 250 });
}

async function setChain({ url }: Exchange, chain: 'up' | 'down'): Promise<void> {
  const headers = { 'Content-Type': 'application/json' };
  const answer = await fetch(url('/sandbox/faults'), { method: 'POST', headers, body: JSON.stringify({ chain }) });
  if (!answer.ok) throw new Error(`the sandbox did not set its chain ${chain}: ${await answer.text()}`);
}

/** Measures processor time, so that other load on the machine does not count. */
async function quiet({ sandbox }: Exchange): Promise<void> {
  const readSeconds = () => sumTicks(readTree(sandbox.pid)) / TICKS_PER_SECOND;
  await waitFor('the sandbox is quiet', async () => {
    const before = readSeconds();
    await sleep(QUIET_MS);
    return readSeconds() - before < (QUIET_MS / 1_000) * QUIET_SHARE;
  });
}

function since(before: ThreadTime, after: ThreadTime): ThreadTime {
  return { workedMs: after.workedMs - before.workedMs, waitedMs: after.waitedMs - before.waitedMs };
}

/** Time that a thread waits for a core is not its own, yet the largest part of a p99. */
function describeThread({ workedMs, waitedMs }: ThreadTime): string {
  return `${((workedMs / ORDERS) * 1_000).toFixed(0)} us an order and ${waitedMs.toFixed(0)} ms without a core`;
}

function medianOf(results: readonly LoadResult[]): LoadResult['latencyMs'] {
  const of = (part: 'p50' | 'p99') =>
    results.map(({ latencyMs }) => latencyMs[part]).toSorted((a, b) => a - b)[Math.floor(results.length / 2)]!;
  return { p50: of('p50'), p99: of('p99') };
}

function assertAccepted({ sent, ok, statuses }: LoadResult): void {
  if (sent !== ok) throw new Error(`the service did not accept every order: ${JSON.stringify(statuses)}`);
}
