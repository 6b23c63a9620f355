// The entrance of the API: given the ports of the other modules, it serves every endpoint, stream and page.

import { parseBytes32 } from '@presage/protocol';
import type { Admission } from '../admission/admission.ts';
import type { ApiKeyService } from '../auth/api-key-service.ts';
import type { MovableClock } from '../clock.ts';
import type { Config } from '../config.ts';
import type { DeadManSwitches } from '../host/dead-man-switches.ts';
import type { HostCommands } from '../host/host-commands.ts';
import type { MarketReads } from '../host/ports.ts';
import type { Log } from '../log/log.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { MarketPresentation } from '../operator/market-presentation.ts';
import type { OperatorGuard } from '../operator/operator-guard.ts';
import type { OperatorState } from '../operator/operator-state.ts';
import type { FeedState } from '../prices/ports.ts';
import type { Views } from '../projections/views.ts';
import type { PublicJournal } from '../proof/public-journal.ts';
import type { Receipts } from '../proof/receipts.ts';
import type { CallerGuard } from './callers.ts';
import type { Endpoint } from './endpoint.ts';
import { HttpListener } from './http-listener.ts';
import { openHttpServer } from './http-server.ts';
import type { JournalPositions } from './journal-positions.ts';
import { createOrderService } from './order-service.ts';
import { divertToSettler, type PassOn } from './passed-on.ts';
import { PriceStream, type PriceTicker } from './price-stream.ts';
import { QuickAnswers } from './quick-answers.ts';
import { routesOf } from './register.ts';
import { apiKeyEndpoints } from './routes/api-keys.ts';
import { candleEndpoints } from './routes/candles.ts';
import { docsRoutes, operatorDocsRoutes } from './routes/docs.ts';
import { type AnchorLists, journalEndpoints } from './routes/journal.ts';
import { marketEndpoints } from './routes/markets.ts';
import { operatorEndpoints } from './routes/operator.ts';
import { operatorLogEndpoints } from './routes/operator-log.ts';
import { orderBulkEndpoints } from './routes/order-bulk.ts';
import { orderValidationEndpoints } from './routes/order-validation.ts';
import { orderEndpoints } from './routes/orders.ts';
import { pageRoutes } from './routes/page.ts';
import { positionEndpoints } from './routes/positions.ts';
import { priceEndpoints } from './routes/prices.ts';
import { quickMarketEndpoints } from './routes/quick-markets.ts';
import { relayerEndpoints } from './routes/relayer.ts';
import { resolutionEndpoints } from './routes/resolution.ts';
import { SANDBOX_ELSEWHERE, type SandboxPorts, sandboxEndpoints } from './routes/sandbox.ts';
import { serviceEndpoints } from './routes/service.ts';
import { solvencyEndpoints } from './routes/solvency.ts';
import { statisticsEndpoints } from './routes/statistics.ts';
import { streamEndpoints } from './routes/stream.ts';
import { tradeEndpoints } from './routes/trades.ts';
import { userEndpoints } from './routes/users.ts';
import { walletEndpoints } from './routes/wallets.ts';
import type { ApiServices, OperatorPorts, PricePort, ServedChains } from './services.ts';
import { type JournalFault, StatusService, VERSION } from './status.ts';
import { Stream } from './stream/stream.ts';
import type { StreamHubOptions } from './stream/stream-hub.ts';

export { HttpListener, VERSION };

/** What the status page shows of the rest of the service. */
interface StatusSources {
  readonly isDatabaseUp: () => Promise<boolean>;
  readonly journalFault: () => JournalFault | undefined;
  readonly lacking: () => readonly ('journal' | 'engine')[];
  readonly viewLag: () => number;
  readonly viewTrouble: () => string | undefined;
  readonly signatureQueue: () => number;
}

interface ApiOptions {
  /** Listens already; from here on it leads to the endpoints. */
  readonly listener: HttpListener;
  /** Of the operators, where they have one of their own. */
  readonly adminListener: HttpListener | undefined;
  readonly config: Config;
  readonly chains: ServedChains;
  readonly clock: MovableClock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly status: StatusSources;
  /** Follows durable frames only. */
  readonly reads: MarketReads;
  readonly views: Views;
  /** The partition of the markets: what becomes durable there is sent on the stream. */
  readonly marketLogs: StreamHubOptions['logs'];
  readonly publicJournal: PublicJournal;
  /** Absent where the chain has no contract for them. */
  readonly anchors: AnchorLists;
  readonly receipts: Receipts;
  /** Absent where one node answers everything. */
  readonly positions?: JournalPositions;
  /** To the settler, where that is another node. */
  readonly passOn?: PassOn | undefined;
  /** How many nodes answer callers; absent where one does. */
  readonly gateways?: () => number;
  readonly admission: Admission;
  readonly commands: HostCommands;
  readonly switches: DeadManSwitches;
  readonly keys: ApiKeyService;
  readonly guard: CallerGuard;
  readonly operator: { readonly guard: OperatorGuard; readonly state: OperatorState } & OperatorPorts;
  readonly presentation: MarketPresentation;
  readonly prices: PricePort & PriceTicker & { states(): readonly FeedState[] };
  /** Absent elsewhere: then its endpoints do not exist. */
  readonly sandbox?: SandboxPorts;
}

interface Api {
  /** Streams end in order, requests under way are answered. */
  close(): Promise<void>;
}

export async function openApi(options: ApiOptions): Promise<Api> {
  const { listener, config, chains, log, metrics, prices, clock, reads } = options;
  const firstChainId = (config.chains[0] as Config['chains'][number]).chainId;
  const priceStream = new PriceStream({ prices });
  const quickAnswers = new QuickAnswers({ chains, firstChainId, prices, reads, clock });
  const stream = new Stream({
    reads,
    logs: options.marketLogs,
    receipts: options.receipts,
    nowMs: () => clock.nowMs(),
    balances: (wallet) =>
      chains.list().map(({ config: { chainId }, wallets }) => ({ chainId, asked: wallets.service.balances(wallet) })),
    hasAsset: ({ asset, chainId = firstChainId }) => chains.find(chainId)?.quick !== undefined && prices.has(asset),
    quickMarket: (asset, chainId) => quickAnswers.active(asset, chainId),
  });
  await chains.onOpened(({ config: { chainId }, quick }) => {
    quick?.onActiveChange((asset) => {
      stream.publishQuickMarket({ asset, chainId });
      if (chainId === firstChainId) stream.publishQuickMarket({ asset });
    });
  });
  clock.onMove(() => stream.publishClock());
  metrics.addGauges({
    presage_price_readers: { help: 'Open price streams', read: () => priceStream.readerCount },
    presage_stream_connections: { help: 'Open WebSocket connections', read: () => stream.connections },
    presage_stream_backlog_bytes: { help: 'What waits to be read by all of them', read: () => stream.backlogBytes },
  });
  const { endpoints, forOperators } = allEndpoints(options, { priceStream, quickAnswers, stream });
  const guards = {
    guard: options.guard,
    operators: options.operator.guard,
    isAuthRequired: config.auth === 'required',
  };
  const page = pageRoutes({ describeMarket: (id) => describeMarket(options, id) });
  const operatorRoutes = [operatorDocsRoutes(VERSION, forOperators), routesOf(forOperators, guards)];
  const serve = (isPublic: boolean) => {
    const served = endpoints(isPublic);
    return [docsRoutes(VERSION, served), page, routesOf(served, guards)];
  };
  const { rateLimits, corsOrigins, proxies, profile } = config;
  // Elsewhere a token or a signature protects every write, and the own page may stand behind a proxy that renames the host.
  const pages = profile === 'sandbox' ? { origins: corsOrigins, hosts: config.allowedHosts } : undefined;
  const onAnswer = metrics.observe.bind(metrics);
  // In a sandbox operators act on the main port too: everything can be tried there.
  const isPublic = profile === 'live';
  const routes = [...serve(isPublic), ...(isPublic ? [] : operatorRoutes)];
  const { positions, gateways, status, passOn } = options;
  const settlers = [...endpoints(isPublic), ...(isPublic ? [] : forOperators)];
  const divertFrom = (served: readonly Endpoint[]) => passOn && divertToSettler(served, passOn);
  const common = { log, proxies, onAnswer, positions, gateways, journalFault: status.journalFault };
  const ofCallers = { ...common, listener, rateLimits, corsOrigins, ...(pages && { pages }) };
  await openHttpServer({ ...ofCallers, divert: divertFrom(settlers) }, routes);
  const { adminListener } = options;
  if (adminListener !== undefined) {
    // The whole page is there too, so that operators have one address for everything.
    // Metrics and status ask for no token there, so a foreign page must not reach them by a name that it pointed here.
    const byName = { origins: '*', hosts: config.allowedHosts } as const;
    const ofOperators = { ...common, listener: adminListener, rateLimits: false, corsOrigins: [], pages: byName };
    const divert = divertFrom([...endpoints(false), ...forOperators]);
    await openHttpServer({ ...ofOperators, divert }, [...serve(false), ...operatorRoutes]);
  }
  return {
    close: async () => {
      // Before the listener closes, which would wait for them.
      await stream.close();
      await options.publicJournal.close();
      priceStream.close();
      await Promise.all([listener.close(), adminListener?.close()]);
    },
  };
}

function describeMarket({ reads, presentation }: Pick<ApiOptions, 'reads' | 'presentation'>, text: string) {
  const id = parseBytes32(text);
  const market = id && reads.market(id);
  return market && presentation.textsOf(market);
}

interface Answerers {
  readonly priceStream: PriceStream;
  readonly quickAnswers: QuickAnswers;
  readonly stream: Stream;
}

interface AllEndpoints {
  readonly endpoints: (isPublic: boolean) => Endpoint[];
  readonly forOperators: Endpoint[];
}

function allEndpoints(options: ApiOptions, answerers: Answerers): AllEndpoints {
  const { clock, reads, views, keys, chains, presentation } = options;
  const symbols = symbolsOf(chains);
  const isElsewhere = options.passOn !== undefined && options.config.profile === 'sandbox';
  const sandbox = isElsewhere ? { sandbox: SANDBOX_ELSEWHERE } : {};
  const services: ApiServices = {
    clock,
    reads,
    views,
    keys,
    chains,
    presentation,
    orders: createOrderService(options),
    service: new StatusService({
      ...options,
      ...options.status,
      symbols,
      nowMs: Date.now,
      receiptKey: options.receipts.publicKey,
    }),
  };
  return {
    endpoints: (isPublic) => listEndpoints({ ...options, ...sandbox, ...answerers, services, symbols, isPublic }),
    forOperators: listOperatorEndpoints(options.operator, services),
  };
}

interface EndpointPorts extends Answerers, Pick<ApiOptions, 'prices' | 'sandbox' | 'publicJournal' | 'anchors'> {
  readonly services: ApiServices;
  /** Of the stablecoins, each once. */
  readonly symbols: readonly string[];
  /** What concerns only operators is left out. */
  readonly isPublic: boolean;
}

/** In the order of the documentation. Nothing is asked of the ports before a request comes. */
export function listEndpoints(ports: EndpointPorts): Endpoint[] {
  const { services, prices, sandbox, priceStream, quickAnswers, stream, symbols, publicJournal, anchors } = ports;
  return [
    ...orderEndpoints(services),
    ...orderBulkEndpoints(services),
    ...orderValidationEndpoints(services),
    ...marketEndpoints(services),
    ...statisticsEndpoints(services),
    ...candleEndpoints(services),
    ...tradeEndpoints(services),
    ...quickMarketEndpoints(quickAnswers),
    ...priceEndpoints({ prices, stream: priceStream }),
    ...positionEndpoints(services),
    ...userEndpoints(services),
    ...walletEndpoints(services),
    ...relayerEndpoints({ chains: services.chains, symbols }),
    ...resolutionEndpoints(services),
    ...apiKeyEndpoints(services, () => Math.floor(Date.now() / 1_000)),
    ...journalEndpoints(publicJournal, anchors),
    ...solvencyEndpoints(services),
    ...serviceEndpoints(services, ports.isPublic),
    ...streamEndpoints(stream),
    ...(sandbox === undefined ? [] : sandboxEndpoints(sandbox, services)),
  ];
}

/** In the order of the operator's documentation. */
export function listOperatorEndpoints(operator: OperatorPorts, services: ApiServices): Endpoint[] {
  return [...operatorEndpoints(operator, services), ...operatorLogEndpoints(operator, services)];
}

/** Each once; the permit of a chain that joins later goes by the general path. */
function symbolsOf(chains: ServedChains): string[] {
  return [...new Set(chains.list().map(({ identity }) => identity.stablecoin.symbol.toLowerCase()))];
}
