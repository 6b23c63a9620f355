// What the service says of itself: configuration for clients, readiness for machines, status for the operator.
import type { Rpc } from '@presage/chain';
import {
  apiKeyMessagePrefix,
  type Hex,
  LIMITS,
  PRICE_DECIMALS,
  SELF_TRADE_PREVENTIONS,
  TIMES_IN_FORCE,
  toChecksumAddress,
} from '@presage/protocol';
import type { StatusPort } from './api/services.ts';
import type { ChainConfig, Config } from './config.ts';
import type { ChainIdentity } from './indexer/chain-identity.ts';
import type { Metrics } from './metrics.ts';
import type { FeedState } from './prices/ports.ts';

export const VERSION = '0.1.0';

export interface StatusServiceOptions {
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
  readonly prices: { states(): readonly FeedState[] };
}

export class StatusService implements StatusPort {
  readonly #options: StatusServiceOptions;
  readonly #description: object;
  /** Dependencies that have answered at least once since the start. */
  readonly #answered = new Set<'chain' | 'database'>();

  constructor(options: StatusServiceOptions) {
    this.#options = options;
    this.#description = describe(options);
  }

  describe(): object {
    return this.#description;
  }

  headBlock(): number {
    return this.#options.lastBlock()?.number ?? 0;
  }

  async status(): Promise<object> {
    const { settlement, relayer, metrics, viewLag, signatureQueue, prices } = this.#options;
    const { chain, database, balance, nonce } = await this.#dependencies();
    return {
      dependencies: {
        journal: { up: true },
        engine: { up: true },
        database: { up: database, lag: viewLag() },
        chain: { up: chain, block: this.headBlock() },
      },
      settlementQueue: { waiting: settlement.queued, batchesInFlight: settlement.batchesInFlight },
      relayer: { address: toChecksumAddress(relayer.address), balance, nonce },
      feeds: prices.states().map(toFeed),
      rates: metrics.rates(),
      latency: metrics.latency(),
      signatureQueue: signatureQueue(),
    };
  }

  /** Until all have answered once it is not ready; afterwards the database and the chain only degrade it. */
  async ready(): Promise<{ isReady: boolean; body: object }> {
    const { chain, database } = await this.#dependencies();
    if (chain) this.#answered.add('chain');
    if (database) this.#answered.add('database');
    const isReady = this.#answered.size === 2;
    const degraded = [...(database ? [] : ['database']), ...(chain ? [] : ['chain'])];
    return { isReady, body: { status: isReady ? 'ready' : 'waiting', degraded } };
  }

  metrics(): Promise<{ contentType: string; text: string }> {
    return this.#options.metrics.render();
  }

  async #dependencies() {
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
      balance: balance?.ok ? BigInt(balance.result as string).toString() : null,
      nonce: nonce?.ok ? Number(nonce.result) : null,
    };
  }
}

function describe({ config, chain, identity }: StatusServiceOptions): object {
  return {
    service: config.serviceName,
    version: VERSION,
    sandbox: config.profile === 'sandbox',
    authRequired: config.auth === 'required',
    apiKeyMessagePrefix: apiKeyMessagePrefix(config.serviceName),
    orderTypes: { timeInForce: TIMES_IN_FORCE, postOnly: true, selfTradePrevention: SELF_TRADE_PREVENTIONS },
    chains: [describeChain(config, chain, identity)],
    quickMarkets: describeQuickMarkets(config, chain),
    limits: { ...LIMITS, rates: { ...LIMITS.rates, enabled: config.rateLimits }, minOrderSize: chain.minOrderSize },
  };
}

function toFeed({ asset, isFresh, ageMs, last }: FeedState): object {
  return {
    asset,
    fresh: isFresh,
    ageMs: ageMs ?? null,
    source: last?.source ?? null,
    price: last?.price ?? null,
    ...(last?.simulated && { simulated: true }),
  };
}

function describeQuickMarkets({ prices }: Config, { contracts }: ChainConfig): object {
  const assets = contracts.quickMarketFactory === undefined ? [] : prices.assets.map(({ asset }) => asset);
  return { assets, intervalMinutes: LIMITS.quickIntervalSeconds / 60, priceDecimals: PRICE_DECIMALS };
}

function describeChain(config: Config, chain: ChainConfig, identity: ChainIdentity): object {
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
  };
}
