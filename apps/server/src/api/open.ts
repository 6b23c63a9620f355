// Opens the API: serves every endpoint, stream and page through the ports of the other modules.

import { parseBytes32 } from '@presage/protocol';
import type { Admission } from '../admission/admission.ts';
import type { ApiKeyService } from '../auth/api-key-service.ts';
import type { ApiKey } from '../auth/key-registry.ts';
import type { TokenChecker } from '../auth/token-checker.ts';
import type { MovableClock } from '../clock.ts';
import type { Config } from '../config.ts';
import type { DeadManSwitches } from '../host/dead-man-switches.ts';
import type { HostCommands } from '../host/host-commands.ts';
import type { MarketReads } from '../host/ports.ts';
import type { Log } from '../log/log.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { Operator } from '../operator/open.ts';
import type { Prices } from '../prices/prices.ts';
import type { Views } from '../projections/views.ts';
import type { ChainAnchors } from '../proof/anchors.ts';
import type { ArchiveFolder } from '../proof/archive-folder.ts';
import type { PublicJournal } from '../proof/public-journal.ts';
import type { Receipts } from '../proof/receipts.ts';
import type { Operations } from '../relayer/operations/operations.ts';
import type { SandboxServices } from '../sandbox/open.ts';
import type { ServedChains } from './chain-probe.ts';
import { type Endpoint, routesOf } from './endpoint.ts';
import { findEvent } from './event-list.ts';
import type { HeldBytes } from './held-bytes.ts';
import { HttpListener } from './http-listener.ts';
import { type HttpServerOptions, openHttpServer } from './http-server.ts';
import type { JournalPositions } from './journal-positions.ts';
import { LanePass } from './lane-pass.ts';
import { createOrderService } from './order-service.ts';
import { blockOrigins } from './origin-blocks.ts';
import { divertToSettler, type PassOn } from './passed-on.ts';
import { PriceStream } from './price-stream.ts';
import { QuickAnswers } from './quick-answers.ts';
import { apiKeyEndpoints } from './routes/api-keys.ts';
import { archiveEndpoints } from './routes/archive.ts';
import { docsRoutes, operatorDocsRoutes } from './routes/docs.ts';
import { eventEndpoints } from './routes/events.ts';
import { exportEndpoints, operatorExportEndpoints } from './routes/exports.ts';
import { journalEndpoints } from './routes/journal.ts';
import { marketEndpoints } from './routes/markets.ts';
import { operatorEndpoints } from './routes/operator.ts';
import { withApprovals } from './routes/operator-approvals.ts';
import { operatorEventEndpoints } from './routes/operator-events.ts';
import { operatorLogEndpoints } from './routes/operator-log.ts';
import { operatorMarketEndpoints } from './routes/operator-markets.ts';
import { operatorRevenueEndpoints } from './routes/operator-revenue.ts';
import { orderBulkEndpoints } from './routes/order-bulk.ts';
import { orderValidationEndpoints } from './routes/order-validation.ts';
import { orderEndpoints } from './routes/orders.ts';
import { pageRoutes } from './routes/page.ts';
import { positionEndpoints } from './routes/positions.ts';
import { priceEndpoints, quickMarketEndpoints } from './routes/prices.ts';
import { relayerEndpoints } from './routes/relayer.ts';
import { resolutionEndpoints } from './routes/resolution.ts';
import { SANDBOX_ELSEWHERE, sandboxEndpoints } from './routes/sandbox.ts';
import { serviceEndpoints, streamEndpoints } from './routes/service.ts';
import { solvencyEndpoints } from './routes/solvency.ts';
import { candleEndpoints, statisticsEndpoints } from './routes/statistics.ts';
import { tradeEndpoints } from './routes/trades.ts';
import { userEndpoints } from './routes/users.ts';
import { walletEndpoints } from './routes/wallets.ts';
import type { ApiServices, OperatorPorts } from './services.ts';
import { StatusService, type StatusSources, VERSION } from './status.ts';
import { Stream } from './stream/stream.ts';
import type { StreamHubOptions } from './stream/stream-hub.ts';
import { openUnsentBytes } from './unsent-answers.ts';

export { HttpListener, LanePass, VERSION };

interface ApiOptions {
  /** Already listening; `openApi` connects it to the endpoints. */
  readonly listener: HttpListener;
  /** Separate listener for operators, if there is one. */
  readonly adminListener: HttpListener | undefined;
  readonly config: Config;
  readonly chains: ServedChains;
  readonly clock: MovableClock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly status: StatusSources;
  /** Reads that follow durable frames only. */
  readonly reads: MarketReads;
  readonly views: Views;
  /** Market partitions; their durable records are sent on the stream. */
  readonly marketLogs: StreamHubOptions['logs'];
  readonly publicJournal: PublicJournal;
  readonly dailyArchive: ArchiveFolder;
  /** Anchors by chain; missing for chains without a contract for anchors. */
  readonly anchors: Pick<ChainAnchors<never>, 'find'>;
  readonly receipts: Receipts;
  /** Journal positions; set only in a cluster. */
  readonly positions?: JournalPositions;
  /** Forwards requests to the settler; set if that is another node. */
  readonly passOn?: PassOn | undefined;
  /** Number of nodes that answer callers; one by default. */
  readonly gateways?: () => number;
  /** Reads the original caller of a request that a lane passed on; set on a service with lanes. */
  readonly passed?: LanePass['read'];
  readonly admission: Admission;
  readonly commands: HostCommands;
  readonly operations: Operations;
  readonly switches: DeadManSwitches;
  readonly keys: ApiKeyService;
  readonly guard: TokenChecker<ApiKey>;
  readonly operator: Operator & OperatorPorts;
  readonly prices: Prices;
  /** Sandbox controls; set only in a sandbox, otherwise their endpoints do not exist. */
  readonly sandbox?: SandboxServices;
}

export async function openApi(options: ApiOptions) {
  const { listener, adminListener, metrics, prices } = options;
  const priceStream = new PriceStream({ prices });
  const quickAnswers = new QuickAnswers({ ...options, firstChainId: firstChainIdOf(options) });
  const unsent = openUnsentBytes();
  const stream = await openStream(options, quickAnswers, unsent);
  metrics.addGauges({
    presage_price_readers: { help: 'Open price streams', read: () => priceStream.readerCount },
    presage_stream_connections: { help: 'Open WebSocket connections', read: () => stream.connections },
    presage_unsent_bytes: { help: 'What clients have not read yet of answers and streams', read: () => unsent.bytes },
  });
  serveEndpoints(options, unsent, allEndpoints(options, { priceStream, quickAnswers, stream }));
  return {
    /** Ends streams in order and answers requests in progress. */
    close: async () => {
      // Streams close first, because the listener's close would wait for them.
      await stream.close();
      await options.publicJournal.close();
      priceStream.close();
      await Promise.all([listener.close(), adminListener?.close()]);
    },
  };
}

function firstChainIdOf({ config }: ApiOptions): number {
  const [first] = config.chains;
  if (first === undefined) throw new Error('no chain is configured');
  return first.chainId;
}

async function openStream(options: ApiOptions, quickAnswers: QuickAnswers, unsent: HeldBytes): Promise<Stream> {
  const { chains, clock, prices, reads, receipts, marketLogs, positions } = options;
  const firstChainId = firstChainIdOf(options);
  const stream = new Stream({
    reads,
    logs: marketLogs,
    tellsPosition: positions !== undefined,
    receipts,
    unsent,
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
  return stream;
}

/** Serves the public on the main listener; operators on their own listener and, in a sandbox, on the main one too. */
function serveEndpoints(
  options: ApiOptions,
  unsent: HeldBytes,
  { endpoints, forOperators }: ReturnType<typeof allEndpoints>,
): void {
  const { config, log, metrics, listener, adminListener, positions, gateways, status, passOn, passed } = options;
  const { rateLimits, corsOrigins, proxies, profile, allowedHosts: hosts } = config;
  const guards = {
    guard: options.guard,
    operator: options.operator,
    isAuthRequired: config.auth === 'required',
  };
  const describeMarket = (text: string) => {
    const id = parseBytes32(text);
    const [outcome] = (id && findEvent(options.reads, id)) ?? [];
    const market = outcome?.view ?? (id && options.reads.market(id));
    return (
      market && { ...options.operator.state.textsOf(market), ...(outcome && { question: outcome.event.question }) }
    );
  };
  const page = pageRoutes({ describeMarket });
  const operatorRoutes = [operatorDocsRoutes(VERSION, forOperators), routesOf(forOperators, guards)];
  const onAnswer = metrics.observe.bind(metrics);
  const refuseBlocked = blockOrigins(config.admission.blocks);
  const common = { log, unsent, proxies, refuseBlocked, onAnswer, positions, gateways, passed, faults: status.faults };
  const serve = (on: ListenerRules, isPublic: boolean, forAll: boolean) => {
    const served = endpoints(isPublic);
    const routes = [docsRoutes(VERSION, served), page, routesOf(served, guards), ...(forAll ? operatorRoutes : [])];
    const divert = passOn && divertToSettler([...served, ...(forAll ? forOperators : [])], passOn, { proxies });
    openHttpServer({ ...common, ...on, divert }, routes);
  };
  // Page rules apply in a sandbox only: in a live service a token or signature protects every write, and a proxy may rename the host.
  const pages = profile === 'sandbox' ? { pages: { origins: corsOrigins, hosts } } : {};
  // In a sandbox operators act on the main port too, so that everything can be tried.
  const isPublic = profile === 'live';
  serve({ listener, rateLimits, corsOrigins, ...pages }, isPublic, !isPublic);
  if (adminListener === undefined) return;
  // The admin listener serves the whole page too, so that operators have one address for everything. Its metrics and status need no
  // token, so foreign pages must neither read them nor reach them by a name pointed at this machine.
  const byName = { origins: profile === 'sandbox' ? corsOrigins : '*', hosts } as const;
  serve({ listener: adminListener, rateLimits: false, corsOrigins: 'none', pages: byName }, false, true);
}

type ListenerRules = Pick<HttpServerOptions, 'listener' | 'rateLimits' | 'corsOrigins' | 'pages'>;

interface Answerers {
  readonly priceStream: PriceStream;
  readonly quickAnswers: QuickAnswers;
  readonly stream: Stream;
}

function allEndpoints(options: ApiOptions, answerers: Answerers) {
  const { clock, reads, views, keys, chains, operator } = options;
  // Lacks the symbols of chains that join later: their permits use the general path.
  const symbols = [...new Set(chains.list().map(({ identity }) => identity.stablecoin.symbol.toLowerCase()))];
  const isElsewhere = options.passOn !== undefined && options.config.profile === 'sandbox';
  const sandbox = isElsewhere ? { sandbox: SANDBOX_ELSEWHERE } : {};
  const services: ApiServices = {
    clock,
    reads,
    views,
    keys,
    chains,
    presentation: operator.state,
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
    endpoints: (isPublic: boolean) =>
      listEndpoints({ ...options, ...sandbox, ...answerers, services, symbols, isPublic }),
    forOperators: listOperatorEndpoints(options.operator, services),
  };
}

interface EndpointPorts
  extends Answerers,
    Pick<ApiOptions, 'prices' | 'sandbox' | 'publicJournal' | 'anchors' | 'dailyArchive' | 'operations'> {
  readonly services: ApiServices;
  /** Symbols of the stablecoins, without repetition. */
  readonly symbols: readonly string[];
  /** Whether endpoints for operators alone are left out. */
  readonly isPublic: boolean;
}

/** All endpoints in the order of the documentation. No port is called before a request arrives. */
export function listEndpoints(ports: EndpointPorts): Endpoint[] {
  const { services, prices, sandbox, priceStream, quickAnswers, stream, symbols, publicJournal, anchors } = ports;
  return [
    ...orderEndpoints(services),
    ...orderBulkEndpoints(services),
    ...orderValidationEndpoints(services),
    ...marketEndpoints(services),
    ...eventEndpoints(services),
    ...statisticsEndpoints(services),
    ...candleEndpoints(services),
    ...tradeEndpoints(services),
    ...quickMarketEndpoints(quickAnswers),
    ...priceEndpoints(prices, priceStream),
    ...positionEndpoints(services),
    ...userEndpoints(services),
    ...exportEndpoints(services),
    ...walletEndpoints(services),
    ...relayerEndpoints(services.chains, ports.operations, symbols),
    ...resolutionEndpoints(services),
    ...apiKeyEndpoints(services, () => Math.floor(Date.now() / 1_000)),
    ...journalEndpoints(publicJournal, anchors),
    ...archiveEndpoints(ports.dailyArchive),
    ...solvencyEndpoints(services),
    ...serviceEndpoints(services, ports.isPublic),
    ...streamEndpoints(stream),
    ...(sandbox === undefined ? [] : sandboxEndpoints(sandbox, services)),
  ];
}

/** The operator's endpoints in the order of their documentation. */
export function listOperatorEndpoints(operator: OperatorPorts, services: ApiServices): Endpoint[] {
  return withApprovals(operator, [
    ...operatorMarketEndpoints(operator),
    ...operatorEventEndpoints(operator, services),
    ...operatorEndpoints(operator, services),
    ...operatorLogEndpoints(operator, services),
    ...operatorRevenueEndpoints(services),
    ...operatorExportEndpoints(services, operator.audit),
  ]);
}
