// What the service says of itself: configuration for clients, readiness for machines, status for the operator.
import type { Rpc } from '@presage/chain';
import {
  apiKeyMessagePrefix,
  type ChainDescription,
  DOMAIN_OF_TYPE,
  type Hex,
  LIMITS,
  listSignedTypes,
  listTermChoices,
  PRICE_DECIMALS,
  type ServiceConfig,
  type ServiceReadiness,
  type ServiceStatus,
  toChecksumAddress,
} from '@presage/protocol';
import type { ChainIdentity } from '../chains/chain-identity.ts';
import type { ChainConfig, Config } from '../config.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { FeedState } from '../prices/ports.ts';
import type { Answer } from './answer.ts';
import { RelayerRunway } from './relayer-runway.ts';
import type { StatusPort } from './services.ts';

export const VERSION = '0.1.0';

interface StatusServiceOptions {
  readonly config: Config;
  readonly chain: ChainConfig;
  readonly identity: ChainIdentity;
  readonly rpc: Rpc;
  readonly relayer: { readonly address: Hex };
  readonly metrics: Metrics;
  readonly isDatabaseUp: () => Promise<boolean>;
  readonly viewLag: () => number;
  readonly lastBlock: () => { readonly number: number; readonly seenMs: number } | undefined;
  readonly settlement: { readonly queued: number; readonly batchesInFlight: number };
  readonly signatureQueue: () => number;
  /** Whose transactions do not get on. */
  readonly stuckSenders: () => readonly string[];
  readonly prices: { states(): readonly FeedState[] };
  readonly nowMs: () => number;
  readonly receiptKey: Hex;
}

const REUSE_MS = 1_000;

interface Dependencies {
  readonly database: boolean;
  readonly chain: boolean;
  /** Of the relayer, in wei. */
  readonly balance: string | null;
  readonly nonce: number | null;
}

export class StatusService implements StatusPort {
  readonly #options: StatusServiceOptions;
  readonly #description: Answer<typeof ServiceConfig>;
  readonly #runway: RelayerRunway;
  #asked: { readonly atMs: number; readonly found: Promise<Dependencies> } | undefined;
  /** Dependencies that have answered at least once since the start. */
  readonly #answered = new Set<'chain' | 'database'>();

  constructor(options: StatusServiceOptions) {
    this.#options = options;
    this.#description = describe(options);
    this.#runway = new RelayerRunway(options.nowMs);
  }

  describe(): Answer<typeof ServiceConfig> {
    return this.#description;
  }

  headBlock(): number {
    return this.#options.lastBlock()?.number ?? 0;
  }

  async status(): Promise<Answer<typeof ServiceStatus>> {
    const { settlement, relayer, metrics, viewLag, signatureQueue, prices } = this.#options;
    const { chain, database, balance, nonce } = await this.#dependencies();
    const dependencies = {
      journal: { up: true },
      engine: { up: true },
      database: { up: database, lag: viewLag() },
      chain: { up: chain, block: this.headBlock() },
    };
    return {
      dependencies,
      settlementQueue: { waiting: settlement.queued, batchesInFlight: settlement.batchesInFlight },
      relayer: { address: toChecksumAddress(relayer.address), balance, nonce, ...this.#runway.observe(balance) },
      feeds: prices.states().map(toFeed),
      rates: metrics.rates(),
      latency: metrics.latency(),
      signatureQueue: signatureQueue(),
    };
  }

  /** Until all have answered once it is not ready; afterwards the database and the chain only degrade it. */
  async ready(): Promise<Answer<typeof ServiceReadiness>> {
    const { chain, database } = await this.#dependencies();
    if (chain) this.#answered.add('chain');
    if (database) this.#answered.add('database');
    const degraded = [...(database ? [] : ['database']), ...(chain ? [] : ['chain']), ...this.#options.stuckSenders()];
    return { status: this.#answered.size === 2 ? 'ready' : 'waiting', degraded };
  }

  metrics(): Promise<{ contentType: string; text: string }> {
    return this.#options.metrics.render();
  }

  /** Every open page asks how the service is: the chain and the database are asked once a second at most. */
  #dependencies(): Promise<Dependencies> {
    const nowMs = this.#options.nowMs();
    if (this.#asked === undefined || nowMs - this.#asked.atMs >= REUSE_MS || nowMs < this.#asked.atMs) {
      this.#asked = { atMs: nowMs, found: this.#askDependencies() };
    }
    return this.#asked.found;
  }

  async #askDependencies(): Promise<Dependencies> {
    const { rpc, relayer, isDatabaseUp } = this.#options;
    const [database, [balance, nonce]] = await Promise.all([
      isDatabaseUp(),
      rpc.batch([
        { method: 'eth_getBalance', params: [relayer.address, 'latest'] },
        { method: 'eth_getTransactionCount', params: [relayer.address, 'latest'] },
      ]),
    ]);
    return {
      database,
      chain: balance?.ok === true,
      balance: balance?.ok ? BigInt(String(balance.result)).toString() : null,
      nonce: nonce?.ok ? Number(nonce.result) : null,
    };
  }
}

function describe({ config, chain, identity, receiptKey }: StatusServiceOptions): Answer<typeof ServiceConfig> {
  return {
    service: config.serviceName,
    version: VERSION,
    sandbox: config.profile === 'sandbox',
    authRequired: config.auth === 'required',
    apiKeyMessagePrefix: apiKeyMessagePrefix(config.serviceName),
    orderTypes: listTermChoices(),
    types: listSignedTypes(config.serviceName),
    signingDomains: DOMAIN_OF_TYPE,
    chains: [describeChain(config, chain, identity)],
    quickMarkets: describeQuickMarkets(config, chain),
    receiptKey,
    limits: { ...LIMITS, rates: { ...LIMITS.rates, enabled: config.rateLimits }, minOrderSize: chain.minOrderSize },
  };
}

function toFeed({ asset, isFresh, ageMs, last }: FeedState) {
  return {
    asset,
    fresh: isFresh,
    ageMs: ageMs ?? null,
    source: last?.source ?? null,
    price: last?.price ?? null,
    ...(last?.simulated && { simulated: true }),
  };
}

function describeQuickMarkets(
  { prices }: Config,
  { contracts }: ChainConfig,
): Answer<typeof ServiceConfig>['quickMarkets'] {
  const assets = contracts.quickMarketFactory === undefined ? [] : prices.assets.map(({ asset }) => asset);
  return { assets, intervalMinutes: LIMITS.quickIntervalSeconds / 60, priceDecimals: PRICE_DECIMALS };
}

function describeChain(config: Config, chain: ChainConfig, identity: ChainIdentity): Answer<typeof ChainDescription> {
  const { contracts } = chain;
  const { symbol, decimals } = identity.stablecoin;
  return {
    chainId: chain.chainId,
    name: chain.name,
    confirmations: chain.confirmations,
    settlement: { ...identity.settlement, address: toChecksumAddress(contracts.settlement) },
    conditionalTokens: { ...identity.conditionalTokens, address: toChecksumAddress(contracts.conditionalTokens) },
    stablecoin: {
      symbol,
      name: identity.stablecoin.name,
      version: identity.stablecoin.version,
      decimals,
      address: toChecksumAddress(contracts.stablecoin),
      permitPath: `/api/v1/relayer/${symbol.toLowerCase()}-permit`,
    },
    marketFactory: toChecksumAddress(contracts.marketFactory),
    oracle: toChecksumAddress(contracts.oracle),
    multicall: toChecksumAddress(contracts.multicall),
    disputeWindowSeconds: identity.disputeWindowSeconds,
    bondAmount: identity.bondAmount,
    bondPermitRequired: identity.bondPermitRequired,
    settlementGraceSeconds: identity.settlementGraceSeconds,
    collateralCheck: chain.collateralCheck,
    ...(config.profile === 'sandbox' && { rpcUrl: chain.rpcUrl }),
    ...(chain.explorerUrl !== undefined && { explorerUrl: chain.explorerUrl }),
  };
}
