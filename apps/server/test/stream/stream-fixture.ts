// The stream, whole and real, over a journal in memory: the host, the HTTP listener, the sockets, and clients that read it.
import { openSigningKey } from '@presage/protocol/ed25519';
import { ManualClock, MemoryJournal, MemoryStorage, marketFacts, SILENT_LOG } from '@presage/testkit';
import { routesOf } from '../../src/api/endpoint.ts';
import type { HeldBytes } from '../../src/api/held-bytes.ts';
import { HttpListener } from '../../src/api/http-listener.ts';
import { openHttpServer } from '../../src/api/http-server.ts';
import { docsRoutes } from '../../src/api/routes/docs.ts';
import { streamEndpoints } from '../../src/api/routes/service.ts';
import { Stream, type StreamOptions } from '../../src/api/stream/stream.ts';
import { openUnsentBytes } from '../../src/api/unsent-answers.ts';
import { Host } from '../../src/host/host.ts';
import { HostCommands } from '../../src/host/host-commands.ts';
import { PartitionLog } from '../../src/host/partition-log.ts';
import { Receipts } from '../../src/proof/receipts.ts';
import type { WalletBalances } from '../../src/wallets/wallet-service.ts';
import { StreamClient } from './stream-client.ts';

export interface StreamFixture {
  readonly url: string;
  readonly clock: ManualClock;
  readonly host: Host;
  readonly log: PartitionLog;
  readonly commands: HostCommands;
  readonly stream: Stream;
  readonly unsent: HeldBytes;
  connect(): Promise<StreamClient>;
  close(): Promise<void>;
}

const BALANCES: WalletBalances = {
  balance: 5_000_000n,
  allowance: 4n,
  deposited: 2n,
  reserved: 3n,
  available: 4_999_997n,
  unsettled: 0n,
};

const rethrow = (error: unknown): never => {
  throw error;
};

const noMarket = (asset: string) => ({ active: false, asset, nextMarket: null, quickMarket: null }) as const;

export type StreamFixtureOptions = Pick<StreamOptions, 'heartbeatMs' | 'tellsPosition'>;

/** With one market listed. */
export async function openStreamFixture(options: StreamFixtureOptions = {}): Promise<StreamFixture> {
  const clock = new ManualClock();
  const nowMs = () => clock.nowMs;
  const log = await PartitionLog.open({
    journal: await MemoryJournal.open({ storage: new MemoryStorage('m0') }),
    nowMs,
    onFatal: rethrow,
  });
  const host = await Host.open({ log, nowMs });
  const unsent = openUnsentBytes();
  const stream = new Stream({
    unsent,
    balances: () => [{ chainId: 31337, asked: Promise.resolve(BALANCES) }],
    hasAsset: () => true,
    quickMarket: noMarket,
    receipts: new Receipts(openSigningKey('07'.repeat(32))),
    ...options,
    reads: host.reads,
    logs: [log],
    nowMs,
  });
  const endpoints = streamEndpoints(stream);
  const listener = new HttpListener();
  const url = await listener.listen(0, '127.0.0.1');
  const errors: object[] = [];
  const serverLog = {
    ...SILENT_LOG,
    warn: (details: object) => errors.push(details),
    error: (details: object) => errors.push(details),
  };
  openHttpServer({ listener, unsent, onAnswer: () => undefined, log: serverLog, rateLimits: false, corsOrigins: '*' }, [
    routesOf(endpoints),
    docsRoutes('0', endpoints),
  ]);
  const commands = new HostCommands([host]);
  await commands.listMarket(marketFacts());
  const clients: StreamClient[] = [];
  return {
    url,
    clock,
    host,
    log,
    commands,
    stream,
    unsent,
    connect: async () => {
      const client = await StreamClient.open(url);
      clients.push(client);
      return client;
    },
    close: async () => {
      for (const client of clients) client.end();
      await stream.close();
      await listener.close();
      await log.close();
      if (errors.length > 0) throw new Error(`requests failed: ${JSON.stringify(errors)}`);
    },
  };
}
