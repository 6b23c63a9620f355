// Opens what only the sandbox has: its simulated feed, its demo maker, and on its chain free money, markets, disputes and faults.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Contracts, Rpc } from '@presage/chain';
import {
  type Address,
  type ClockOffsetSet,
  type JournalRecord,
  type MakerSet,
  type MarketId,
  PresageError,
  type PricePinned,
} from '@presage/protocol';
import type { SandboxOraclePort } from '../api/services.ts';
import type { ServedChain } from '../chains/chain-actor.ts';
import type { ServiceClock } from '../clock.ts';
import type { ChainConfig, Config } from '../config.ts';
import type { MarketReads } from '../host/ports.ts';
import type { Log } from '../log/log.ts';
import type { WalletPreparation } from '../settlement/ports.ts';
import { Autofund, type AutofundOptions } from './autofund.ts';
import { FeedControl } from './feed-control.ts';
import { MakerSwitch } from './maker-switch.ts';
import { SandboxControls } from './sandbox-controls.ts';
import { SandboxNode } from './sandbox-node.ts';
import { SandboxOracle } from './sandbox-oracle.ts';
import { SandboxPrices, type SandboxPricesOptions } from './sandbox-prices.ts';
import { type Seeding, type SeedOptions, seedMarkets } from './seed-markets.ts';
import { TimeTravel } from './time-travel.ts';

export interface OpenSandboxOptions {
  readonly config: Pick<Config, 'profile' | 'autofund' | 'demo' | 'prices' | 'roles'>;
  readonly clock: ServiceClock;
  /** Writes to the control partition; resolves once the record is durable and applied. */
  readonly note: (record: ClockOffsetSet | MakerSet | PricePinned) => Promise<void>;
  readonly onMaker: (running: boolean) => void;
}

export interface SandboxChainOptions {
  readonly chain: ChainConfig;
  readonly rpc: Rpc;
  readonly contracts: Contracts;
  readonly shortfalls: AutofundOptions['shortfalls'];
}

/** Sandbox controls of one chain, which act as the contracts' owner. */
export interface SandboxChain {
  readonly rpc: Rpc;
  readonly contracts: Contracts;
  readonly node: SandboxNode;
  readonly autofund: Autofund;
  readonly owner: Address;
  readonly disputer: Address;
}

interface ControlledChain extends Pick<ServedChain, 'config' | 'reads' | 'wallets'> {
  readonly sandbox: SandboxChain | undefined;
}

interface ControlledChains {
  isQuiet(): boolean;
  onOpened(listener: (chain: ControlledChain) => unknown): Promise<void>;
}

/** Anybody who reaches a sandbox may act as its operator. */
interface OperatorKey {
  readonly keyId: string;
  readonly privateKey: string;
}

export interface SandboxParts extends Pick<SeedOptions, 'log'> {
  readonly operatorKey: OperatorKey | undefined;
  readonly chains: ControlledChains;
  readonly reads: MarketReads;
  readonly prices: SandboxPricesOptions['prices'];
}

/** Ports for the API. */
export interface SandboxServices {
  /** Controls by chain id, in the order of the configuration; more may join. */
  readonly controls: ReadonlyMap<number, SandboxControls>;
  readonly oracle: SandboxOraclePort;
  readonly time: TimeTravel;
  readonly maker: MakerSwitch;
  readonly operatorKey: OperatorKey;
  readonly prices: SandboxPrices;
}

/** Waits for the first markets, so that the first visitor finds some; an unreachable chain delays nobody. */
const SEED_TIMEOUT_MS = 5_000;

export class Sandbox {
  readonly #options: OpenSandboxOptions;
  readonly #feed: FeedControl;
  readonly #maker: MakerSwitch;
  readonly #seedings: Seeding[] = [];
  readonly #controls = new Map<number, SandboxControls>();
  readonly #nodes = new Map<number, SandboxNode>();
  readonly #oracles = new Map<number, SandboxOracle>();

  constructor(options: OpenSandboxOptions) {
    const { config, clock, note, onMaker } = options;
    const nowMs = () => clock.nowMs();
    this.#options = options;
    this.#feed = new FeedControl({ url: config.prices.pythUrl, assets: config.prices.assets, nowMs, journal: note });
    this.#maker = new MakerSwitch({ isOnAtFirst: config.demo, nowMs, onSet: onMaker, journal: note });
  }

  /** Called with every durable record of the control partition, at recovery and live. */
  follow(record: JournalRecord): void {
    this.#feed.follow(record);
    this.#maker.follow(record);
  }

  /** Runs before each connection to the price feed; does nothing in the live profile. */
  async beforeConnect(): Promise<void> {
    if (this.#options.config.profile === 'sandbox') await this.#feed.sendPins();
  }

  /** Undefined for an external chain, whose contracts the sandbox does not own. */
  openChain({ chain, rpc, contracts, shortfalls }: SandboxChainOptions): SandboxChain | undefined {
    const owner = chain.ownerAddress;
    if (owner === undefined) return undefined;
    const node = new SandboxNode(rpc);
    const autofund = new Autofund({ node, contracts, owner, shortfalls });
    return { rpc, contracts, node, autofund, owner, disputer: chain.disputerAddress ?? owner };
  }

  /** Undefined if wallets must bring their own funds. */
  toPreparation(chain: SandboxChain | undefined): WalletPreparation | undefined {
    return this.#options.config.autofund ? chain?.autofund : undefined;
  }

  /** Also creates the first markets, so the chains must be followed already. Undefined outside the sandbox. */
  async serve({ chains, reads, prices, operatorKey, log }: SandboxParts): Promise<SandboxServices | undefined> {
    const { config, clock, note } = this.#options;
    // In a cluster the settler has the controls; other nodes pass requests on to it.
    if (config.profile !== 'sandbox' || !config.roles.includes('settler')) return undefined;
    await chains.onOpened((chain) => this.#serveChain(chain, log));
    if (this.#controls.size === 0 || operatorKey === undefined) return undefined;
    const seeded = Promise.all(this.#seedings.map(({ done }) => done));
    await Promise.race([seeded, sleep(SEED_TIMEOUT_MS, undefined, { ref: false })]);
    return {
      controls: this.#controls,
      oracle: {
        dispute: (marketId) => this.#oracleOf(reads, marketId).dispute(marketId),
        arbitrate: (marketId, isTruthful) => this.#oracleOf(reads, marketId).arbitrate(marketId, isTruthful),
      },
      time: new TimeTravel({
        nodes: () => this.#nodes,
        clock,
        isQuiet: () => chains.isQuiet(),
        saveOffset: (offsetSeconds) => note({ type: 'clock-offset-set', timeMs: clock.nowMs(), offsetSeconds }),
      }),
      maker: this.#maker,
      operatorKey,
      prices: new SandboxPrices({ control: this.#feed, prices }),
    };
  }

  /** Creates its markets in the background, because a joining chain is followed only after this call. */
  #serveChain({ config: { chainId }, sandbox, reads, wallets }: ControlledChain, log: Log): void {
    if (sandbox === undefined) return;
    const { node, disputer, ...parts } = sandbox;
    const isListed = (marketId: MarketId) => reads.market(marketId) !== undefined;
    const service = new SandboxControls({ ...parts, node, feed: this.#feed, wallets: wallets.reads, isListed });
    this.#controls.set(chainId, service);
    this.#nodes.set(chainId, node);
    this.#oracles.set(chainId, new SandboxOracle({ ...parts, node, disputer, reads }));
    this.#seedings.push(seedMarkets({ service, reads, node, clock: this.#options.clock, log }));
  }

  #oracleOf(reads: MarketReads, marketId: MarketId): SandboxOracle {
    const market = reads.market(marketId);
    if (market === undefined) throw new PresageError('market_not_found', { marketId });
    const { chainId } = market.facts;
    const oracle = this.#oracles.get(chainId);
    if (oracle === undefined) throw new PresageError('chain_unavailable', { reason: `chain ${chainId} is not served` });
    return oracle;
  }

  /** Called once the service is reachable. */
  start(): void {
    if (this.#options.config.roles.includes('settler')) this.#maker.start();
  }

  async close(): Promise<void> {
    await Promise.all(this.#seedings.map((seeding) => seeding.stop()));
  }
}

export function openSandbox(options: OpenSandboxOptions): Sandbox {
  return new Sandbox(options);
}
