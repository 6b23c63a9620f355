// Reports on the service: configuration for clients, readiness for machines, status for the operator.
import {
  apiKeyMessagePrefix,
  DOMAIN_OF_TYPE,
  type Hex,
  LIMITS,
  listSignedTypes,
  listTermChoices,
  PRICE_DECIMALS,
  toChecksumAddress,
} from '@presage/protocol';
import type { ServedChain } from '../chains/chain-actor.ts';
import type { Config } from '../config.ts';
import type { JournalFaults } from '../host/journal-faults.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { OperatorState } from '../operator/operator-state.ts';
import type { Prices } from '../prices/prices.ts';
import type { Wire } from './answer.ts';
import { type ChainHealth, ChainProbe, type ServedChains } from './chain-probe.ts';
import { LastKnown } from './last-known.ts';

export const VERSION = '0.1.0';

/** Sources of the state of the service's other parts. */
export interface StatusSources {
  readonly isDatabaseUp: () => Promise<boolean>;
  /** Reason why nothing can be written, if any. */
  readonly faults: Pick<JournalFaults, 'current'>;
  /** Whether the journal's database has lost its synchronous standby. */
  readonly isStandbyAway: () => boolean;
  /** Whether another node and this one refuse each other because their receipts have different keys. */
  readonly hasOtherReceiptKey: () => boolean;
  /** Reasons why this node is not ready: no journal to write or follow, no reachable engine, or a shutdown. */
  readonly lacking: () => readonly ('journal' | 'engine' | 'stopping')[];
  readonly viewLag: () => number;
  /** Reason why the view or the audit log is incomplete; undefined while both are complete. */
  readonly viewTrouble: () => string | undefined;
  readonly signatureQueue: () => number;
}

interface StatusServiceOptions extends StatusSources {
  readonly config: Config;
  readonly chains: ServedChains;
  /** Symbols of the stablecoins whose permits have their own path. */
  readonly symbols: readonly string[];
  readonly metrics: Metrics;
  readonly prices: Pick<Prices, 'states'>;
  readonly nowMs: () => number;
  readonly receiptKey: Hex;
  readonly operator: { readonly state: Pick<OperatorState, 'halt'> };
}

/** Age up to which an answer is reused: every open page polls the status, but chains and database are asked once a second at most. */
const REUSE_MS = 1_000;
/** Wait for a fresh answer, after which the last known one is used; shorter than the timeout of a hanging chain. */
const PATIENCE_MS = 500;

interface Dependencies {
  readonly database: boolean;
  /** All configured chains, in configuration order. */
  readonly chains: readonly { readonly probe: ChainProbe; readonly health: ChainHealth }[];
}

export class StatusService {
  readonly #options: StatusServiceOptions;
  readonly #probes: readonly ChainProbe[];
  #described: { readonly count: number; readonly description: Wire<'ServiceConfig'> } | undefined;
  readonly #dependencies: LastKnown<Dependencies>;
  /** Dependencies that have answered at least once since the start. */
  readonly #answered = new Set<'chain' | 'database'>();

  constructor(options: StatusServiceOptions) {
    const { config, chains, nowMs } = options;
    this.#options = options;
    this.#probes = config.chains.map((chain) => new ChainProbe(chain, chains, nowMs));
    const ask = () => this.#askDependencies();
    this.#dependencies = new LastKnown({ ask, nowMs, reuseMs: REUSE_MS, patienceMs: PATIENCE_MS });
  }

  /** Configuration for clients; cached until a chain joins. */
  describe(): Wire<'ServiceConfig'> {
    const count = this.#options.chains.list().length;
    if (this.#described?.count !== count) this.#described = { count, description: describe(this.#options) };
    return this.#described.description;
  }

  async status() {
    const { metrics, viewLag, viewTrouble, signatureQueue, prices, operator, faults } = this.#options;
    const lacking = this.#options.lacking();
    const trouble = viewTrouble();
    const { chains: probed, database } = await this.#dependencies.read();
    const chains = probed.map(({ probe, health }) => probe.describe(health));
    const [first] = chains.flatMap(({ relayer, block }) => (relayer === null ? [] : [{ relayer, block }]));
    if (first === undefined) throw new Error('no chain is served yet');
    const dependencies = {
      journal: { up: faults.current === undefined && !lacking.includes('journal') },
      engine: { up: !lacking.includes('engine') },
      database: { up: database, lag: viewLag(), ...(trouble !== undefined && { trouble }) },
      chain: { up: chains.every(({ up }) => up), block: first.block },
    };
    return {
      dependencies,
      settlementQueue: {
        waiting: sum(chains.map(({ settlementQueue }) => settlementQueue.waiting)),
        batchesInFlight: sum(chains.map(({ settlementQueue }) => settlementQueue.batchesInFlight)),
      },
      relayer: first.relayer,
      chains,
      feeds: prices.states().map(toFeed),
      rates: metrics.rates(),
      latency: metrics.latency(),
      signatureQueue: signatureQueue(),
      trading: { halted: operator.state.halt !== undefined, reason: operator.state.halt ?? null },
    };
  }

  /** Status without the paying accounts, which concern only the operator. */
  async publicStatus(): Promise<Wire<'ServiceStatus'>> {
    const { relayer, chains, dependencies, ...status } = await this.status();
    const { up, lag } = dependencies.database;
    const hide = ({ address }: typeof relayer) => ({ address, ...NOT_SHOWN });
    const hidden = chains.map(({ problem, ...chain }) => ({
      ...chain,
      relayer: chain.relayer && hide(chain.relayer),
      ...(problem && { problem: { ...problem, detail: null } }),
    }));
    const shown = { ...dependencies, database: { up, lag } };
    return { ...status, dependencies: shown, relayer: hide(relayer), chains: hidden };
  }

  /** Readiness: database and one chain must have answered once; then only the journal, its disk space and the engine count, the rest is `degraded`. */
  async ready(): Promise<Wire<'ServiceReadiness'>> {
    const { chains: probed, database } = await this.#dependencies.read();
    const chains = probed.map(({ health }) => health);
    if (chains.some(({ up }) => up)) this.#answered.add('chain');
    if (database) this.#answered.add('database');
    const named = (what: string, chainId: number) => (chains.length === 1 ? what : `${what} ${chainId}`);
    const unreachable = chains.filter(({ up }) => !up).map(({ chainId }) => named('chain', chainId));
    const stuck = this.#options.chains
      .list()
      .flatMap(({ config, actor }) =>
        [...(actor?.stuckSenders() ?? []), ...(actor?.operations.alarms() ?? [])].map((name) =>
          named(name, config.chainId),
        ),
      );
    const disk = this.#options.faults.current === 'disk_full' ? ['disk'] : [];
    const view = this.#options.viewTrouble() === undefined ? [] : ['view'];
    const lacking = this.#options.lacking();
    const standby = this.#options.isStandbyAway() ? ['standby'] : [];
    const otherKey = this.#options.hasOtherReceiptKey() ? ['receipt_key'] : [];
    const degraded = [
      ...lacking,
      ...otherKey,
      ...disk,
      ...standby,
      ...(database ? [] : ['database']),
      ...view,
      ...unreachable,
      ...stuck,
    ];
    const isReady = this.#answered.size === 2 && lacking.length === 0 && disk.length === 0;
    const { lane } = this.#options.config;
    return { status: isReady ? 'ready' : 'waiting', degraded, ...(lane && { lane: lane.index }) };
  }

  metrics(): Promise<{ contentType: string; text: string }> {
    return this.#options.metrics.render();
  }

  async #askDependencies(): Promise<Dependencies> {
    const [database, chains] = await Promise.all([
      this.#options.isDatabaseUp(),
      Promise.all(this.#probes.map(async (probe) => ({ probe, health: await probe.ask() }))),
    ]);
    return { database, chains };
  }
}

const NOT_SHOWN = { balance: null, nonce: null, spentPerDay: null, daysLeft: null } as const;

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}

function describe({ config, chains, symbols, receiptKey }: StatusServiceOptions): Wire<'ServiceConfig'> {
  const served = chains.list();
  const minOrderSize = served[0]?.config.minOrderSize;
  return {
    service: config.serviceName,
    version: VERSION,
    sandbox: config.profile === 'sandbox',
    authRequired: config.auth === 'required',
    apiKeyMessagePrefix: apiKeyMessagePrefix(config.serviceName),
    orderTypes: listTermChoices(),
    types: listSignedTypes(config.serviceName),
    signingDomains: DOMAIN_OF_TYPE,
    chains: served.map((chain) => describeChain(config, chain, symbols)),
    quickMarkets: describeQuickMarkets(config, served),
    receiptKey,
    limits: { ...LIMITS, rates: { ...LIMITS.rates, enabled: config.rateLimits }, minOrderSize },
  };
}

function toFeed({ asset, isFresh, ageMs, last }: ReturnType<Prices['states']>[number]) {
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
  { prices, fees }: Config,
  chains: readonly ServedChain[],
): Wire<'ServiceConfig'>['quickMarkets'] {
  const areThere = chains.some(({ config }) => config.contracts.quickMarketFactory !== undefined);
  const assets = areThere ? prices.assets.map(({ asset }) => asset) : [];
  const { feeRateBps = 0, makerShareBps = 0 } = fees.quick;
  const terms = { intervalMinutes: LIMITS.quickIntervalSeconds / 60, priceDecimals: PRICE_DECIMALS };
  return { assets, ...terms, feeRateBps, makerShareBps };
}

function describeChain(
  config: Config,
  { config: chain, identity }: ServedChain,
  symbols: readonly string[],
): Wire<'ChainDescription'> {
  const { contracts } = chain;
  const { symbol, decimals } = identity.stablecoin;
  const permitName = symbols.includes(symbol.toLowerCase()) ? symbol.toLowerCase() : 'stablecoin';
  return {
    chainId: chain.chainId,
    name: chain.name,
    confirmations: chain.confirmations,
    minOrderSize: chain.minOrderSize,
    settlement: { ...identity.settlement, address: toChecksumAddress(contracts.settlement) },
    conditionalTokens: { ...identity.conditionalTokens, address: toChecksumAddress(contracts.conditionalTokens) },
    stablecoin: {
      symbol,
      name: identity.stablecoin.name,
      version: identity.stablecoin.version,
      decimals,
      address: toChecksumAddress(contracts.stablecoin),
      permitPath: `/api/v1/relayer/${permitName}-permit`,
    },
    marketFactory: toChecksumAddress(contracts.marketFactory),
    ...(contracts.eventFactory !== undefined && { eventFactory: toChecksumAddress(contracts.eventFactory) }),
    oracle: toChecksumAddress(contracts.oracle),
    multicall: toChecksumAddress(contracts.multicall),
    disputeWindowSeconds: identity.disputeWindowSeconds,
    bondAmount: identity.bondAmount,
    bondPermitRequired: identity.bondPermitRequired,
    settlementGraceSeconds: identity.settlementGraceSeconds,
    collateralCheck: chain.collateralCheck,
    ...(chain.treasury !== undefined && { treasury: toChecksumAddress(chain.treasury) }),
    ...(config.profile === 'sandbox' && { rpcUrl: chain.rpcUrls[0] }),
    ...(chain.explorerUrl !== undefined && { explorerUrl: chain.explorerUrl }),
  };
}
