// kill -9 and a standstill of everything or of one part under load, again and again: what was answered is there, and nothing settles twice.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isLongRun, type SandboxPart, SeededRandom, seedFromEnv, waitFor } from '@presage/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAnswered, expectFilledOnChain, expectSettledOnce } from './answered-check.ts';
import { Exchange } from './exchange.ts';
import { BUYERS, RecordedLoad, SELLERS } from './recorded-load.ts';
import type { MarketBody } from './wire.ts';

type Fault = 'kill all' | `${'kill' | 'stop'} ${SandboxPart}`;

/** The supervisor gives up a part that ends five times in a minute: no part comes more often than that. */
const FAULTS: readonly Fault[] = ['kill all', 'kill service', 'stop service', 'kill database', 'kill chain'];
const MORE: readonly Fault[] = ['kill all', 'kill service', 'kill all', 'stop database', 'stop chain'];
const ROUNDS = isLongRun ? 200 : FAULTS.length;
const STANDSTILL_MS = 1_500;
const random = new SeededRandom(seedFromEnv(Date.now()));
const load = new RecordedLoad(random);
const markets: MarketBody[] = [];
const WALLETS = [...BUYERS, ...SELLERS];
let exchange: Exchange;

beforeAll(async () => {
  exchange = await Exchange.open();
  await exchange.seededMarkets();
});
afterAll(() => exchange?.close());

const faultOf = (round: number): Fault => [...FAULTS, ...MORE][(round - 1) % 10]!;

/** The head of the chain a moment before. */
async function strike(fault: Fault, round: number): Promise<{ number: bigint; hash: string }> {
  const market = await exchange.newMarket(`Does round ${round} survive?`);
  markets.push(market);
  const writing = load.run(exchange.client, market.id);
  await load.answers(random.int(5, isLongRun ? 60 : 15));
  const head = await exchange.chain.head();
  await sleep(random.int(0, 50));
  if (fault === 'kill all') {
    await exchange.sandbox.killGroup();
    await writing;
    exchange = await exchange.reopen();
    return head;
  }
  const [how, part] = fault.split(' ') as ['kill' | 'stop', SandboxPart];
  try {
    await (how === 'kill' ? exchange.sandbox.signal(part, 'SIGKILL') : standStill(part));
    if (fault !== 'kill service') await load.answers(5);
  } finally {
    load.stop();
  }
  await writing;
  await recovered();
  return head;
}

async function standStill(part: SandboxPart): Promise<void> {
  exchange.sandbox.signal(part, 'SIGSTOP');
  await sleep(STANDSTILL_MS);
  exchange.sandbox.signal(part, 'SIGCONT');
}

async function recovered(): Promise<void> {
  // The database and the chain are asked as well: for a moment after its death /ready has what was last known of a part.
  const isWhole = async () => {
    const { status, body } = await exchange.client.get<{ degraded: string[] }>('/ready');
    const view = await exchange.client.get(`/api/v1/markets/${markets.at(-1)!.id}`);
    await exchange.chain.head();
    return status === 200 && body.degraded.length === 0 && view.status === 200;
  };
  await waitFor('everything is there again', () => isWhole().catch(() => false), { timeoutMs: 60_000 });
}

describe(`${ROUNDS} faults under load, seed ${random.seed}`, () => {
  for (let round = 1; round <= ROUNDS; round++) {
    const fault = faultOf(round);
    it(`number ${round}, ${fault}, loses no answered order, trade, cancel or market, and the chain keeps its head`, async () => {
      const from = { answered: load.answered.length, cancelled: load.cancelled.length };
      const head = await strike(fault, round);
      expect(await exchange.chain.hashOfBlock(head.number)).toBe(head.hash);
      for (const { id, question } of markets.slice(-10)) {
        expect(await exchange.client.read(`/api/v1/markets/${id}`)).toMatchObject({ question, status: 'open' });
      }
      await load.resolveUnanswered(exchange.client);
      const [answered, cancelled] = [load.answered.slice(from.answered), load.cancelled.slice(from.cancelled)];
      expect(answered.length).toBeGreaterThan(0);
      await expectAnswered(exchange, { answered, cancelled });
    });
  }

  it('settles every trade once: balances on chain are what the answers add up to', async () => {
    await expectSettledOnce(exchange, markets, load.answered);
    const { answered, cancelled, refused } = load;
    process.stderr.write(
      `${ROUNDS} faults: ${answered.length} orders and ${cancelled.length} cancels answered, ${refused.length} refused with 503\n`,
    );
  });

  it('counts on chain as filled exactly what every order says', () => expectFilledOnChain(exchange, load.answered));
});

/** Everything that is read from the database, for everybody and everything of this file. */
async function readEverything(): Promise<Record<string, unknown>> {
  const paths = [
    '/api/v1/markets?kind=standard',
    '/api/v1/pending-trades',
    '/api/v1/failed-trades',
    ...markets.map(({ id }) => `/api/v1/trades/${id}`),
    ...WALLETS.map(({ address }) => `/api/v1/users/${address}/positions?chain_id=31337`),
    ...markets.flatMap(({ id }) => WALLETS.map(({ address }) => `/api/v1/positions/${id}?user=${address}`)),
    ...load.answered.slice(-1_000).map(({ answer }) => `/api/v1/orders/${answer.orderHash}/events`),
  ];
  const answers: Record<string, unknown> = {};
  for (const path of paths) answers[path] = await exchange.client.read(path);
  return answers;
}

describe('a sandbox whose database was deleted', () => {
  it('builds it again and answers everything as before', async () => {
    const before = await readEverything();
    await exchange.sandbox.stop();
    await rm(join(exchange.sandbox.dataDir, 'service', 'database'), { recursive: true });
    exchange = await exchange.reopen();
    expect(await readEverything()).toEqual(before);
  });
});
