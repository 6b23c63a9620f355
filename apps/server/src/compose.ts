// The service put together, top to bottom as the data flows; what is opened here is closed here, in reverse.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createContracts, JsonRpc, TransactionSender } from '@presage/chain';
import { FileJournal } from '@presage/journal';
import { privateKeyToAccount } from 'viem/accounts';
import { Admission } from './admission/admission.ts';
import { SignaturePool } from './admission/signature-pool.ts';
import { createKnownOrders, createMarketLookup, toDomain } from './admission-ports.ts';
import { FrontDoor } from './api/front-door.ts';
import { openHttpServer } from './api/http-server.ts';
import { PriceStream } from './api/price-stream.ts';
import { QuickAnswers } from './api/quick-answers.ts';
import { docsRoutes } from './api/routes/docs.ts';
import { pageRoutes } from './api/routes/page.ts';
import { healthRoutes } from './api/routes/service.ts';
import type { ApiServices } from './api/services.ts';
import { Stream } from './api/stream/stream.ts';
import { ApiKeyService } from './auth/api-key-service.ts';
import { KeyRegistry } from './auth/key-registry.ts';
import { TokenGuard } from './auth/token-guard.ts';
import { UsedTokens } from './auth/used-tokens.ts';
import { ChainLog } from './chain-log.ts';
import { ServiceClock } from './clock.ts';
import { openCollateral } from './collateral/open-collateral.ts';
import { publicRoutes, sandboxOnlyRoutes } from './compose-routes.ts';
import type { ChainConfig, Config } from './config.ts';
import { DeadManSwitches } from './host/dead-man-switches.ts';
import { Host } from './host/host.ts';
import { HostCommands } from './host/host-commands.ts';
import { type DurableBatch, PartitionLog } from './host/partition-log.ts';
import { learnChainIdentity } from './indexer/chain-identity.ts';
import { openIndexer } from './indexer/open-indexer.ts';
import { PositionSync } from './indexer/position-sync.ts';
import { WalletReads } from './indexer/wallet-reads.ts';
import { Metrics } from './metrics.ts';
import { createOrderService } from './order-service.ts';
import { openPrices } from './prices/open-prices.ts';
import { openViews } from './projections/open.ts';
import { openQuickMarkets } from './quick/open-quick-markets.ts';
import { openRelayer } from './relayer/open-relayer.ts';
import { Keeper } from './resolution/keeper.ts';
import { Autofund } from './sandbox/autofund.ts';
import { FeedControl } from './sandbox/feed-control.ts';
import { MakerSwitch } from './sandbox/maker-switch.ts';
import { SandboxControls } from './sandbox/sandbox-controls.ts';
import { SandboxNode } from './sandbox/sandbox-node.ts';
import { SandboxOracle } from './sandbox/sandbox-oracle.ts';
import { SandboxPrices } from './sandbox/sandbox-prices.ts';
import { type Seeding, seedMarkets } from './sandbox/seed-markets.ts';
import type { PlannedFill } from './settlement/ports.ts';
import { Settlement } from './settlement/settlement.ts';
import { Shutdown } from './shutdown.ts';
import { StatusService, VERSION } from './status-service.ts';
import { openDatabase } from './store/open.ts';
import { WalletService } from './wallet-service.ts';

export interface ServiceLog {
  debug(details: object, message: string): void;
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

export interface ComposeOptions {
  readonly config: Config;
  readonly log: ServiceLog;
  /** A step worth showing to the person who waits. */
  readonly onProgress: (step: string) => void;
  /** The sandbox's demo maker is wished for, or not any more. */
  readonly onMaker: (running: boolean) => void;
  /** The journal cannot be trusted any more: the process must end. */
  readonly onFatal: (error: unknown) => void;
}

export interface Service {
  readonly url: string;
  close(): Promise<void>;
}

/** Live chains give a block every second or two; the sandbox's comes when it is asked for. */
const POLL_MS = { sandbox: 50, live: 1_000 } as const;
const SEED_TIMEOUT_MS = 5_000;

export async function compose(options: ComposeOptions): Promise<Service> {
  const { log } = options;
  const shutdown = new Shutdown((name, error) => log.error({ name, error: String(error) }, 'a part did not close'));
  try {
    return await build(options, shutdown);
  } catch (error) {
    await shutdown.run();
    throw error;
  }
}

async function build(
  { config, log, onProgress, onMaker, onFatal }: ComposeOptions,
  shutdown: Shutdown,
): Promise<Service> {
  const chain = config.chains[0] as ChainConfig;
  const clock = new ServiceClock();
  const nowMs = () => clock.nowMs();

  // The door is open from the first moment and says 425 until the service stands behind it.
  const door = new FrontDoor();
  const url = await door.listen(config.port, config.host);

  // Threads take a second to load; nothing before admission needs them.
  const openingSigners = SignaturePool.open({
    onWorkerLost: (cause) => log.warn({ error: cause.message }, 'a signature thread was lost and replaced'),
  });
  shutdown.add('signatures', async () => (await openingSigners).close());

  const metrics = new Metrics();
  shutdown.add('metrics', () => metrics.close());

  // Journal: the truth.
  const openLog = async (partition: string): Promise<PartitionLog> => {
    const journal = await FileJournal.open({ dir: join(config.dataDir, 'journal', partition), partition });
    const onDurable = (seconds: number) => metrics.observeJournal(seconds);
    const opened = await PartitionLog.open({ journal, nowMs, onFatal, onDurable });
    shutdown.add(`journal ${partition}`, () => opened.close());
    return opened;
  };
  const control = await openLog('control');
  const keys = new KeyRegistry();
  const tokens = new UsedTokens();
  const switches = new DeadManSwitches({
    wallMs: Date.now,
    journal: async (record) => void (await control.append([record])),
    cancelAll: (trader) => commands.cancelOrders(trader, 'heartbeat_lapsed'),
    onTrouble: (error) => log.warn({ error: String(error) }, 'a lapsed dead-man switch could not be carried out'),
  });
  const feed = new FeedControl({
    url: config.prices.pythUrl,
    assets: config.prices.assets,
    nowMs,
    journal: async (record) => void (await control.append([record])),
  });
  const maker = new MakerSwitch({
    isOnAtFirst: config.demo,
    nowMs,
    tell: onMaker,
    journal: async (record) => void (await control.append([record])),
  });
  const followControl = ({ records }: Pick<DurableBatch, 'records'>): void => {
    for (const record of records) {
      if (record.type === 'clock-offset-set') clock.setOffset(record.offsetSeconds);
      for (const follower of [keys, tokens, switches, feed, maker]) follower.follow(record);
    }
  };
  for await (const batch of control.read(1)) followControl(batch);
  control.subscribe(followControl);
  const [marketLog, chainPartition] = [await openLog('m0'), await openLog(`chain-${chain.chainId}`)];

  const prices = await openPrices({
    config: config.prices,
    profile: config.profile,
    dir: join(config.dataDir, 'prices'),
    nowMs,
    log,
    ...(config.profile === 'sandbox' && { beforeConnect: () => feed.tellAll() }),
  });
  shutdown.add('prices', () => prices.close());

  // Database and engine start side by side: the one waits for disks, the other for the processor.
  onProgress('starting the database');
  const [database, host] = await Promise.all([
    openDatabase({ databaseUrl: config.databaseUrl, dataDir: config.dataDir, onProgress }),
    Host.open({
      log: marketLog,
      nowMs,
      onDecided: (seconds) => metrics.observeMatch(seconds),
      onProgress: ({ done, total }) => onProgress(`replaying the journal: ${done} of ${total}`),
      onWarning: (message) => log.warn({}, message),
    }),
  ]);
  shutdown.add('database', () => database.close());
  shutdown.add('host', () => host.close());
  const reads = host.reads;
  const commands = new HostCommands(host);

  // The database is a view.
  const viewRoom = await openViews({
    source: marketLog,
    sql: database.sql,
    answeredSeq: () => host.durableSeq,
    nowMs,
    onRebuild: (reason) => onProgress(`rebuilding the view: ${reason}`),
    onProgress: ({ cursor, target }) => onProgress(`building the view: ${cursor} of ${target}`),
    onTrouble: (error) => log.warn({ error: String(error) }, 'the database did not do as asked'),
  });
  shutdown.add('views', () => viewRoom.close());
  const { views } = viewRoom;

  // The chain is the judge.
  const rpc = new JsonRpc({ url: chain.rpcUrl });
  shutdown.add('rpc', () => rpc.close());
  const contracts = createContracts({ rpc, deployment: chain.contracts });
  const chainLog = new ChainLog(chainPartition, nowMs);
  const history = await chainLog.history();
  onProgress('asking the chain');
  const identity = history.identity ?? (await learnChainIdentity(contracts, chainLog));
  const settler = privateKeyToAccount(chain.settlerKey);
  const pollMs = POLL_MS[config.profile];
  const sender = new TransactionSender({
    rpc,
    chainId: chain.chainId,
    account: settler,
    pollMs,
    confirmations: chain.confirmations,
    journal: chainLog.sender,
    records: history.senderRecords,
    onChange: (operation) => settlement.onOperation(operation),
    onAlarm: (alarm) => log.error({ alarm }, 'the transaction sender raised an alarm'),
  });
  shutdown.add('sender', () => sender.close());

  const relayer = openRelayer({
    chain,
    identity,
    rpc,
    contracts,
    chainLog,
    reads,
    clock,
    pollMs,
    isBudgeted: config.rateLimits,
    senderRecords: history.relaySenderRecords,
    records: history.relays,
    note: (record) => host.note(record),
    reserve: (wallet, coming) => wallets.reserve(wallet, coming),
    isAutofunded: config.autofund,
    onReleased: () => settlement.goOn(),
    onAlarm: (alarm) => log.error({ alarm }, "the relayer's sender raised an alarm"),
    onTrouble: (error) => log.warn({ error: String(error) }, 'a claim or a permit must wait'),
  });
  shutdown.add('relayer', () => relayer.close());

  const node = new SandboxNode(rpc);
  const owner = chain.ownerAddress;
  const autofund = owner && new Autofund({ node, contracts, owner, market: (id) => reads.market(id)?.facts });
  const settlement = new Settlement({
    contracts,
    rpc,
    settler: settler.address,
    reads,
    commands,
    sender,
    log,
    batches: chainLog.batches,
    held: () => relayer.permits.held(),
    formerBatches: history.batches,
    ...(config.autofund && autofund && { prepareWallets: (fills: readonly PlannedFill[]) => autofund.prepare(fills) }),
    nowSeconds: () => clock.nowSeconds(),
    graceSeconds: identity.settlementGraceSeconds,
  });
  shutdown.add('settlement', () => settlement.close());
  const collateral = openCollateral({
    chain,
    rpc,
    contracts,
    reads,
    commands,
    nowMs,
    pollMs,
    promisedAllowance: (wallet) => relayer.permits.promisedAllowance(wallet),
    onTrouble: (error) => log.warn({ error: String(error) }, 'wallets could not be read'),
  });
  shutdown.add('collateral', () => collateral.close());
  marketLog.subscribe(({ records }) => {
    for (const record of records) {
      metrics.follow(record);
      keeper.follow(record);
      relayer.follow(record);
      collateral.follow(record);
      if (record.type === 'trade-matched') settlement.add(record);
    }
  });

  const place = { chainId: chain.chainId, ...chain.contracts };
  const quick = openQuickMarkets({
    rpc,
    contracts,
    sender,
    place,
    prices,
    clock,
    log,
    fromBlock: chain.fromBlock,
    assets: config.prices.pythUrl === undefined ? [] : config.prices.assets,
    journal: chainLog.quick,
    records: history.quickRecords,
    listings: { isListed: (id) => reads.market(id) !== undefined, list: (market) => commands.listMarket(market) },
  });
  shutdown.add('quick markets', () => quick?.close());

  const indexer = openIndexer({
    rpc,
    chain,
    reads,
    commands,
    pollMs,
    nowMs,
    cursor: history.cursor,
    onTooDeep: onFatal,
    note: (record) => host.note(record),
    saveCursor: (cursor) => chainLog.saveCursor(cursor),
    onTrouble: (error) => log.warn({ error: String(error) }, 'the chain could not be followed'),
  });
  shutdown.add('indexer', () => indexer.close());
  const keeper = new Keeper({
    chainId: chain.chainId,
    contracts,
    reads,
    sender: relayer.sender,
    nowSeconds: () => clock.nowSeconds(),
    onTrouble: (error) => log.warn({ error: String(error) }, 'the keeper could not settle a market'),
  });
  shutdown.add('keeper', () => keeper.close());

  // Admission: may this become a command?
  const signers = await openingSigners;
  const admission = await Admission.open({
    chains: [{ domain: toDomain(chain, identity), minOrderSize: chain.minOrderSize }],
    markets: createMarketLookup(reads, quick),
    known: createKnownOrders(reads),
    signers,
    commands,
    clock,
    permits: relayer.permits,
    funds: collateral,
  });

  // The routes, and nothing behind them but ports.
  const priceStream = new PriceStream({ prices });
  metrics.addGauges({
    ...prices.gauges(),
    presage_price_readers: { help: 'Open price streams', read: () => priceStream.readerCount },
    presage_settlement_waiting: { help: 'Trades that wait to be sent', read: () => settlement.queued },
    presage_signatures_waiting: { help: 'Signature checks under way', read: () => signers.outstanding },
    presage_stream_connections: { help: 'Open WebSocket connections', read: () => stream.connections },
    presage_view_lag: { help: 'Records that the view has not reached', read: () => viewRoom.lag },
    presage_chain_age_seconds: {
      help: 'Time since a block of the chain was seen; NaN before the first',
      read: () => (Date.now() - (indexer.lastBlock?.seenMs ?? Number.NaN)) / 1_000,
    },
  });
  const service = new StatusService({
    config,
    chain,
    identity,
    rpc,
    relayer,
    metrics,
    settlement,
    prices,
    isDatabaseUp: () => database.isUp(),
    viewLag: () => viewRoom.lag,
    lastBlock: () => indexer.lastBlock,
    signatureQueue: () => signers.outstanding,
  });
  const guard = new TokenGuard({
    keys,
    tokens,
    wallMs: Date.now,
    journal: async (record) => void (await control.append([record])),
  });
  const services: ApiServices = {
    clock,
    reads,
    views,
    service,
    ...(config.auth === 'required' && { guard }),
    keys: new ApiKeyService({
      serviceName: config.serviceName,
      keys,
      signers,
      wallMs: Date.now,
      journal: async (record) => void (await control.append([record])),
    }),
    orders: createOrderService({ admission, commands, switches, reads, views }),
    positions: new PositionSync({ rpc, contracts, nowMs, note: (record) => host.note(record) }),
  };
  const wallets = new WalletService({
    chainId: chain.chainId,
    reads,
    views,
    relayer,
    chain: new WalletReads({ rpc, contracts }),
    stablecoin: chain.contracts.stablecoin,
    conditionalTokens: chain.contracts.conditionalTokens,
  });
  const stream = new Stream({
    reads,
    log: marketLog,
    nowMs,
    balances: (wallet) => wallets.balances(wallet),
    quickMarket: (asset) => quickAnswers.active(asset),
  });
  const quickAnswers = new QuickAnswers({ quick, prices, reads, clock });
  quick?.onActiveChange((asset) => stream.publishQuickMarket(asset));
  const routes = publicRoutes({
    services,
    guard,
    reads,
    wallets,
    prices,
    priceStream,
    stream,
    quickAnswers,
    relayer: relayer.service,
    stablecoinSymbol: identity.stablecoin.symbol,
  });
  let seed: (() => Seeding) | undefined;
  if (config.profile === 'sandbox' && autofund && owner) {
    const service = new SandboxControls({
      node,
      rpc,
      contracts,
      autofund,
      owner,
      clock,
      feed,
      isListed: (marketId) => reads.market(marketId) !== undefined,
      isQuiet: () =>
        settlement.queued === 0 && settlement.batchesInFlight === 0 && quick?.isQuiet !== false && relayer.isQuiet(),
      saveOffset: async (offsetSeconds) => {
        await control.append([{ type: 'clock-offset-set', timeMs: nowMs(), offsetSeconds }]);
      },
    });
    const disputer = chain.disputerAddress ?? owner;
    const oracle = new SandboxOracle({ node, rpc, contracts, autofund, disputer, reads });
    const pins = new SandboxPrices({ control: feed, prices });
    routes.push(...sandboxOnlyRoutes({ services, service, oracle, maker, pins }));
    seed = () => seedMarkets({ service, reads, clock, log });
  }

  host.start();
  switches.start();
  shutdown.add('dead-man switches', () => switches.close());
  sender.start();
  relayer.start();
  settlement.start();
  collateral.start();
  indexer.start();
  quick?.start();
  if (config.keeper) keeper.start();
  if (seed !== undefined) {
    const seeding = seed();
    shutdown.add('seeding', () => seeding.stop());
    // A visitor who waits for the first answer finds something to trade; a chain that is away holds nobody up.
    await Promise.race([seeding.done, sleep(SEED_TIMEOUT_MS, undefined, { ref: false })]);
  }
  const { rateLimits, corsOrigins } = config;
  await openHttpServer({ door, log, rateLimits, corsOrigins, onAnswer: (...answer) => metrics.observe(...answer) }, [
    docsRoutes(VERSION),
    pageRoutes(),
    healthRoutes(service),
    ...routes,
  ]);
  shutdown.add('http', () => door.close());
  maker.start();
  // Before the door, which would wait for them.
  shutdown.add('price streams', () => priceStream.close());
  shutdown.add('stream', () => stream.close());
  return { url, close: () => shutdown.run() };
}
