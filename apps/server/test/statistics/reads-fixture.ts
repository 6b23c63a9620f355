// The reading half of the service, whole and real: journal, engine, PostgreSQL, chain, and the routes of these tests.
import { NodeReader } from '@presage/chain';
import { type EngineEvent, isEngineEvent, type MarketFacts, parseJson } from '@presage/protocol';
import { ManualClock, MemoryJournal, MemoryStorage, SILENT_LOG, waitFor } from '@presage/testkit';
import type { TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import { expect } from 'vitest';
import type { ServedChains } from '../../src/api/chain-probe.ts';
import { routesOf } from '../../src/api/endpoint.ts';
import { HttpListener } from '../../src/api/http-listener.ts';
import { openHttpServer } from '../../src/api/http-server.ts';
import { marketEndpoints } from '../../src/api/routes/markets.ts';
import { positionEndpoints } from '../../src/api/routes/positions.ts';
import { candleEndpoints, statisticsEndpoints } from '../../src/api/routes/statistics.ts';
import { userEndpoints } from '../../src/api/routes/users.ts';
import { walletEndpoints } from '../../src/api/routes/wallets.ts';
import type { ServedChain } from '../../src/chains/chain-actor.ts';
import { ChainReads } from '../../src/chains/chain-reads.ts';
import { Host } from '../../src/host/host.ts';
import { PartitionLog } from '../../src/host/partition-log.ts';
import { OperatorState } from '../../src/operator/operator-state.ts';
import { ViewProjector } from '../../src/projections/view-projector.ts';
import { createViews, type Views } from '../../src/projections/views.ts';
import { loadViewSchema } from '../../src/store/schema.ts';
import { HoldingsReader } from '../../src/wallets/holdings-reader.ts';
import { KnownWallets } from '../../src/wallets/known-wallets.ts';
import { ReadingQueue } from '../../src/wallets/reading-queue.ts';
import type { Holdings } from '../../src/wallets/wallet.ts';
import { WalletReads } from '../../src/wallets/wallet-reads.ts';
import { WalletService } from '../../src/wallets/wallet-service.ts';
import { createContext } from '../chain-context.ts';
import { openEmptyStore } from '../store/worker-database.ts';
import { ChainBench } from './chain-bench.ts';

export const CHAIN_ID = 31_337;

interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Record<string, unknown>;
}

export interface ReadsFixture {
  readonly clock: ManualClock;
  readonly chain: ChainBench;
  readonly host: Host;
  readonly views: Views;
  /** Everything journalled, in order. */
  readonly events: readonly EngineEvent[];
  /** The view has reached the journal's end. */
  caughtUp(): Promise<void>;
  list(market: MarketFacts): Promise<MarketFacts>;
  get(path: string, headers?: Record<string, string>): Promise<Reply>;
  /** The body of a 200. */
  read(path: string): Promise<Record<string, unknown>>;
  /** The same, as the schema says it is. */
  readChecked(path: string, schema: TSchema): Promise<Record<string, unknown>>;
  close(): Promise<void>;
}

/** Compiled once for each schema: that takes longer than to read an answer. */
const validators = new Map<TSchema, Validator>();

function validatorOf(schema: TSchema): Validator {
  const validator = validators.get(schema) ?? Compile(schema);
  validators.set(schema, validator);
  return validator;
}

const rethrow = (error: unknown): never => {
  throw error;
};

export async function openReadsFixture(): Promise<ReadsFixture> {
  const closers: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const each of closers.splice(0).reverse()) await each();
  };
  try {
    return { ...(await build(closers)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function build(closers: (() => Promise<unknown>)[]): Promise<Omit<ReadsFixture, 'close'>> {
  const clock = new ManualClock();
  const nowMs = () => clock.nowMs;
  const chain = await ChainBench.open();
  closers.push(() => chain.close());
  const database = await openEmptyStore();
  closers.push(() => database.close());

  const journal = await MemoryJournal.open({ storage: new MemoryStorage('m0') });
  const log = await PartitionLog.open({ journal, nowMs, onFatal: rethrow });
  closers.push(() => log.close());
  const events: EngineEvent[] = [];
  log.subscribe(({ records }) => events.push(...records.filter(isEngineEvent)));
  const host = await Host.open({ log, nowMs });
  const { sql } = database;
  const projector = new ViewProjector({ sources: [log], sql, schema: loadViewSchema(), onTrouble: rethrow });
  closers.push(() => projector.close());
  await projector.start();
  const views = createViews({ sql: database.sql, progress: projector, answeredSeqs: () => [host.durableSeq] });

  const { reads } = host;
  const { contracts, rpc } = chain;
  const node = new NodeReader(rpc);
  const known = new KnownWallets({
    reads: new ChainReads(reads, CHAIN_ID),
    wallMs: Date.now,
    keeper: { judge: () => undefined },
  });
  const permits = { isUnconfirmed: () => false, lostAllowance: () => 0n };
  const readings = new ReadingQueue(new HoldingsReader({ node, contracts, reads }, { permits }));
  const deployed = {
    stablecoin: contracts.stablecoin.address,
    conditionalTokens: contracts.conditionalTokens.address,
    settlement: contracts.settlement.address,
  };
  const context = createContext({ chain: { chainId: CHAIN_ID, contracts: deployed }, reads });
  const wallets = new WalletService(context, {
    chain: new WalletReads({ node, contracts }),
    views,
    relays: { nextNonce: () => undefined },
    readWallet: async (address) => {
      const wallet = known.load(address);
      await readings.read(wallet);
      // The blocks of this fixture's trades are made up: each of them is in the past.
      wallet.setHoldings({ ...(wallet.holdings as Holdings), blockNumber: Number.MAX_SAFE_INTEGER });
      return wallet;
    },
  });
  const positions = { sync: () => Promise.reject(new Error('not here')) };
  const served = { wallets: { service: wallets, positions } } as unknown as ServedChain;
  const chains: ServedChains = {
    list: () => [served],
    find: (chainId) => (chainId === CHAIN_ID ? served : undefined),
    problemOf: () => undefined,
    onOpened: async (listener) => void (await listener(served)),
  };
  const presentation = new OperatorState();
  const services = { reads, views, chains, presentation, clock: { nowMs, nowSeconds: () => clock.nowSeconds } };
  const listener = new HttpListener();
  const url = await listener.listen(0, '127.0.0.1');
  closers.push(() => listener.close());
  const say = (details: object, message: string) => process.stderr.write(`${message} ${JSON.stringify(details)}\n`);
  const answers = { log: { ...SILENT_LOG, warn: say, error: say }, onAnswer: () => undefined };
  openHttpServer({ listener, ...answers, rateLimits: false, corsOrigins: '*' }, [
    routesOf([
      ...marketEndpoints(services),
      ...statisticsEndpoints(services),
      ...candleEndpoints(services),
      ...userEndpoints(services),
      ...positionEndpoints(services),
      ...walletEndpoints(services),
    ]),
  ]);

  const get = async (path: string, headers: Record<string, string> = {}): Promise<Reply> => {
    const response = await fetch(`${url}${path}`, { headers });
    const text = await response.text();
    const body = text === '' ? {} : (parseJson(text) as Record<string, unknown>);
    return { status: response.status, headers: response.headers, text, body };
  };
  /** The naive answers are computed in the same process, which then refuses readers for a moment: like any client, it asks again. */
  const getUnlessBusy = async (path: string) => {
    const reply = await get(path);
    return reply.body.code === 'overloaded' ? undefined : reply;
  };
  const read = async (path: string) => {
    const { status, text, body } = await waitFor(`${path} is answered`, () => getUnlessBusy(path));
    if (status !== 200) throw new Error(`${path} answered ${status}: ${text}`);
    return body;
  };
  return {
    clock,
    chain,
    host,
    views,
    events,
    get,
    caughtUp: async () => {
      if (!(await projector.waitFor([host.durableSeq], 300_000))) throw new Error('the view did not catch up');
    },
    list: async (market) => {
      await host.submit({ type: 'list-market', market });
      return market;
    },
    read,
    readChecked: async (path, schema) => {
      const body = await read(path);
      expect([...validatorOf(schema).Errors(body)], path).toEqual([]);
      return body;
    },
  };
}
