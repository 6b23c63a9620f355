// The entrance of the API: given the ports of the other rooms, it puts every endpoint, stream and page behind the door.
import type { Rpc } from '@presage/chain';
import type { Engine } from '@presage/engine';
import type { Admission } from '../admission/admission.ts';
import type { ApiKeyService } from '../auth/api-key-service.ts';
import type { ChainIdentity } from '../chains/chain-identity.ts';
import type { Clock } from '../clock.ts';
import type { ChainConfig, Config } from '../config.ts';
import type { DeadManSwitches } from '../host/dead-man-switches.ts';
import type { HostCommands } from '../host/host-commands.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { FeedState } from '../prices/ports.ts';
import type { Views } from '../projections/views.ts';
import type { CallerGuard } from './callers.ts';
import { FrontDoor } from './front-door.ts';
import { openHttpServer, type RequestLog, type Routes } from './http-server.ts';
import { createOrderService } from './order-service.ts';
import { PriceStream, type PriceTicker } from './price-stream.ts';
import { QuickAnswers, type QuickMarketPort } from './quick-answers.ts';
import { apiKeyRoutes } from './routes/api-keys.ts';
import { candleRoutes } from './routes/candles.ts';
import { docsRoutes } from './routes/docs.ts';
import { marketRoutes } from './routes/markets.ts';
import { orderBulkRoutes } from './routes/order-bulk.ts';
import { orderValidationRoutes } from './routes/order-validation.ts';
import { orderRoutes } from './routes/orders.ts';
import { pageRoutes } from './routes/page.ts';
import { positionRoutes } from './routes/positions.ts';
import { priceRoutes } from './routes/prices.ts';
import { quickMarketRoutes } from './routes/quick-markets.ts';
import { type RelayerPort, relayerRoutes } from './routes/relayer.ts';
import { resolutionRoutes } from './routes/resolution.ts';
import { sandboxRoutes } from './routes/sandbox.ts';
import { type MakerPort, sandboxMakerRoutes } from './routes/sandbox-maker.ts';
import { sandboxOracleRoutes } from './routes/sandbox-oracle.ts';
import { sandboxPriceRoutes } from './routes/sandbox-prices.ts';
import { healthRoutes, serviceRoutes } from './routes/service.ts';
import { statisticsRoutes } from './routes/statistics.ts';
import { tradeRoutes } from './routes/trades.ts';
import { userRoutes } from './routes/users.ts';
import { type WalletPort, walletRoutes } from './routes/wallets.ts';
import type {
  ApiServices,
  PositionPort,
  PricePort,
  SandboxOraclePort,
  SandboxPort,
  SandboxPricePort,
} from './services.ts';
import { StatusService, VERSION } from './status.ts';
import { Stream } from './stream/stream.ts';
import type { StreamHubOptions } from './stream/stream-hub.ts';

export { FrontDoor };

/** What the sandbox adds; elsewhere its endpoints do not exist. */
export interface SandboxPorts {
  readonly controls: SandboxPort;
  readonly oracle: SandboxOraclePort;
  readonly maker: MakerPort;
  readonly prices: SandboxPricePort;
}

/** What the status page shows of the rest of the service. */
export interface StatusSources {
  readonly isDatabaseUp: () => Promise<boolean>;
  readonly viewLag: () => number;
  /** The newest block of the chain that was seen. */
  readonly lastBlock: () => { readonly number: number; readonly seenMs: number } | undefined;
  readonly signatureQueue: () => number;
  readonly settlement: { readonly queued: number; readonly batchesInFlight: number };
}

export interface ApiOptions {
  /** Listens already; from here on it leads to the endpoints. */
  readonly door: FrontDoor;
  readonly config: Config;
  readonly chain: ChainConfig;
  readonly identity: ChainIdentity;
  readonly rpc: Rpc;
  readonly clock: Clock;
  readonly log: RequestLog;
  readonly metrics: Metrics;
  readonly status: StatusSources;
  /** Follows durable frames only. */
  readonly reads: Engine;
  readonly views: Views;
  /** The partition of the markets: what becomes durable there is told on the stream. */
  readonly marketLog: StreamHubOptions['log'];
  readonly admission: Admission;
  readonly commands: HostCommands;
  readonly switches: DeadManSwitches;
  readonly keys: ApiKeyService;
  readonly guard: CallerGuard;
  readonly wallets: WalletPort;
  readonly positions: PositionPort;
  readonly relayer: { readonly address: `0x${string}`; readonly service: RelayerPort };
  readonly prices: PricePort & PriceTicker & { states(): readonly FeedState[] };
  /** Absent where there are no quick markets. */
  readonly quick: (QuickMarketPort & { onActiveChange(listener: (asset: string) => void): void }) | undefined;
  readonly sandbox?: SandboxPorts;
}

export interface Api {
  /** Streams end in order, requests under way are answered. */
  close(): Promise<void>;
}

export async function openApi(options: ApiOptions): Promise<Api> {
  const { door, config, log, metrics, prices, clock, reads } = options;
  const priceStream = new PriceStream({ prices });
  const quickAnswers = new QuickAnswers({ quick: options.quick, prices, reads, clock });
  const stream = new Stream({
    reads,
    log: options.marketLog,
    nowMs: () => clock.nowMs(),
    balances: (wallet) => options.wallets.balances(wallet),
    quickMarket: (asset) => quickAnswers.active(asset),
  });
  options.quick?.onActiveChange((asset) => stream.publishQuickMarket(asset));
  metrics.addGauges({
    presage_price_readers: { help: 'Open price streams', read: () => priceStream.readerCount },
    presage_stream_connections: { help: 'Open WebSocket connections', read: () => stream.connections },
  });
  const routes = allRoutes(options, { priceStream, quickAnswers, stream });
  const { rateLimits, corsOrigins } = config;
  const onAnswer = metrics.observe.bind(metrics);
  await openHttpServer({ door, log, rateLimits, corsOrigins, onAnswer }, routes);
  return {
    close: async () => {
      // Before the door, which would wait for them.
      await stream.close();
      priceStream.close();
      await door.close();
    },
  };
}

interface Answerers {
  readonly priceStream: PriceStream;
  readonly quickAnswers: QuickAnswers;
  readonly stream: Stream;
}

function allRoutes(options: ApiOptions, { priceStream, quickAnswers, stream }: Answerers): Routes[] {
  const { config, guard, reads, wallets, prices, relayer, identity, sandbox } = options;
  const service = new StatusService({ ...options, ...options.status });
  const services: ApiServices = {
    clock: options.clock,
    reads,
    views: options.views,
    service,
    keys: options.keys,
    orders: createOrderService(options),
    positions: options.positions,
    ...(config.auth === 'required' && { guard }),
  };
  const areas = [
    orderRoutes,
    orderBulkRoutes,
    orderValidationRoutes,
    marketRoutes,
    tradeRoutes,
    positionRoutes,
    resolutionRoutes,
    statisticsRoutes,
    candleRoutes,
    userRoutes,
    serviceRoutes,
  ];
  return [
    docsRoutes(VERSION),
    pageRoutes(),
    healthRoutes(service),
    stream.routes,
    ...areas.map((area) => area(services)),
    walletRoutes({ reads, wallets }),
    priceRoutes({ prices, stream: priceStream }),
    quickMarketRoutes(quickAnswers),
    relayerRoutes({ ...services, relayer: relayer.service, symbol: identity.stablecoin.symbol }),
    apiKeyRoutes(services, guard, () => Math.floor(Date.now() / 1_000)),
    ...(sandbox === undefined ? [] : sandboxOnlyRoutes(sandbox, services)),
  ];
}

function sandboxOnlyRoutes({ controls, oracle, maker, prices }: SandboxPorts, services: ApiServices): Routes[] {
  return [
    sandboxRoutes(controls, services),
    sandboxOracleRoutes(oracle, services),
    sandboxMakerRoutes(maker),
    sandboxPriceRoutes(prices),
  ];
}
