// Opens the sandbox's own parts: simulated feed, demo maker, and on its chains free money, markets, disputes and faults.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Rpc } from '@presage/chain';
import {
  type ClockOffsetSet,
  type JournalRecord,
  type MakerSet,
  type MarketId,
  PresageError,
  type PricePinned,
} from '@presage/protocol';
import type { ServedChain } from '../chains/chain-actor.ts';
import type { ServiceClock } from '../clock.ts';
import type { ChainConfig, Config } from '../config.ts';
import type { MarketReads } from '../host/ports.ts';
import type { Log } from '../log/log.ts';
import type { Operator } from '../operator/open.ts';
import type { Prices } from '../prices/prices.ts';
import type { WalletPreparation } from '../settlement/ports.ts';
import { Autofund, type OwnedChain, type SandboxChain } from './autofund.ts';
import { FeedControl } from './feed-control.ts';
import { SandboxControls } from './sandbox-controls.ts';
import { SandboxNode } from './sandbox-node.ts';
import { SandboxOracle } from './sandbox-oracle.ts';
import { seedMarkets } from './seed-markets.ts';
import { TimeTravel } from './time-travel.ts';

export interface OpenSandboxOptions {
  readonly config: Pick<Config, 'profile' | 'autofund' | 'demo' | 'prices' | 'roles'>;
  readonly clock: ServiceClock;
  /** Writes to the control partition; resolves once the record is durable and applied. */
  readonly note: (record: ClockOffsetSet | MakerSet | PricePinned) => Promise<void>;
  /** Tells the supervisor, which alone starts and stops the demo maker. */
  readonly onMaker: (running: boolean) => void;
}

interface SandboxChainOptions extends Pick<OwnedChain, 'contracts' | 'shortfalls'> {
  readonly chain: ChainConfig;
  readonly rpc: Rpc;
}

interface ControlledChain extends Pick<ServedChain, 'config' | 'reads' | 'wallets'> {
  readonly sandbox: SandboxChain | undefined;
}

/** Operator key of the sandbox, published to anybody who can reach it. */
type OperatorKey = NonNullable<Operator['sandboxKey']>;

interface SandboxParts {
  readonly operatorKey: OperatorKey | undefined;
  readonly chains: { isQuiet(): boolean; onOpened(listener: (chain: ControlledChain) => unknown): Promise<void> };
  readonly reads: MarketReads;
  readonly commands: { readonly endExpired: () => Promise<void> };
  readonly prices: Pick<Prices, 'has' | 'last'>;
  readonly log: Log;
}

/** Services that only a sandbox offers. */
export interface SandboxServices {
  /** Controls by chain id, in configuration order; more may join. The first is the default. */
  readonly controls: ReadonlyMap<number, SandboxControls>;
  readonly oracle: Pick<SandboxOracle, 'dispute' | 'arbitrate'>;
  readonly time: Pick<TimeTravel, 'travel'>;
  /** Starts or stops the demo maker; the choice is durable when this resolves. */
  readonly setMaker: (running: boolean) => Promise<void>;
  /** An operator key with every right. */
  readonly operatorKey: OperatorKey;
  readonly pinPrice: (asset: string, priceUsd: number | null) => ReturnType<FeedControl['pin']>;
}

/** Wait for the first markets, so that the first visitor finds some; limited, so that an unreachable chain delays nobody. */
const SEED_TIMEOUT_MS = 5_000;

export class Sandbox {
  readonly #options: OpenSandboxOptions;
  readonly #feed: FeedControl;
  #isMakerOn: boolean;
  readonly #seedings: ReturnType<typeof seedMarkets>[] = [];
  readonly #controls = new Map<number, SandboxControls>();
  readonly #nodes = new Map<number, SandboxNode>();
  readonly #oracles = new Map<number, SandboxOracle>();

  constructor(options: OpenSandboxOptions) {
    const { config, clock, note } = options;
    this.#options = options;
    this.#feed = new FeedControl(config.prices, clock.nowMs, note);
    this.#isMakerOn = config.demo;
  }

  /** Applies a durable record of the control partition, at recovery and live. */
  follow(record: JournalRecord): void {
    this.#feed.follow(record);
    if (record.type === 'maker-set') this.#isMakerOn = record.running;
  }

  /** Runs before each connection to the price feed; does nothing in the live profile. */
  async beforeConnect(): Promise<void> {
    if (this.#options.config.profile === 'sandbox') await this.#feed.sendPins();
  }

  /** Opens a chain of the sandbox; undefined for an external chain, whose contracts the sandbox does not own. */
  openChain({ chain, rpc, ...parts }: SandboxChainOptions): SandboxChain | undefined {
    const { ownerAddress: owner, disputerAddress: disputer = owner } = chain;
    if (owner === undefined || disputer === undefined) return undefined;
    const owned = { ...parts, node: new SandboxNode(rpc), owner, disputer };
    return { ...owned, autofund: new Autofund(owned) };
  }

  /** Preparation of wallets before settlement; undefined if they must bring their own funds. */
  toPreparation(chain: SandboxChain | undefined): WalletPreparation | undefined {
    return this.#options.config.autofund ? chain?.autofund : undefined;
  }

  /** Opens the services and creates the first markets, so the chains must be followed already. Undefined outside the sandbox. */
  async serve({
    chains,
    reads,
    commands,
    prices,
    operatorKey,
    log,
  }: SandboxParts): Promise<SandboxServices | undefined> {
    const { config, clock, note, onMaker } = this.#options;
    // In a cluster the settler has the controls; other nodes forward requests to it.
    if (config.profile !== 'sandbox' || !config.roles.includes('settler')) return undefined;
    const time = new TimeTravel({
      nodes: () => this.#nodes,
      clock,
      isQuiet: () => chains.isQuiet(),
      saveOffset: (offsetSeconds) => note({ type: 'clock-offset-set', timeMs: clock.nowMs(), offsetSeconds }),
      endExpired: () => commands.endExpired(),
    });
    await chains.onOpened((chain) => this.#serveChain(chain, time, log));
    if (this.#controls.size === 0 || operatorKey === undefined) return undefined;
    const seeded = Promise.all(this.#seedings.map(({ done }) => done));
    await Promise.race([seeded, sleep(SEED_TIMEOUT_MS, undefined, { ref: false })]);
    return {
      controls: this.#controls,
      oracle: {
        dispute: (marketId) => this.#oracleOf(reads, marketId).dispute(marketId),
        arbitrate: (marketId, isTruthful) => this.#oracleOf(reads, marketId).arbitrate(marketId, isTruthful),
      },
      time,
      setMaker: async (running) => {
        await note({ type: 'maker-set', timeMs: clock.nowMs(), running });
        onMaker(running);
      },
      operatorKey,
      pinPrice: (asset, priceUsd) => this.#feed.pin(prices, asset, priceUsd),
    };
  }

  /** Adds a chain's controls. Creates its markets in the background, because a joining chain is followed only after this call. */
  #serveChain({ config: { chainId }, sandbox, ...served }: ControlledChain, time: TimeTravel, log: Log): void {
    if (sandbox === undefined) return;
    const { reads } = served;
    const { node } = sandbox;
    const service = new SandboxControls(sandbox, this.#feed, served);
    this.#controls.set(chainId, service);
    this.#nodes.set(chainId, node);
    this.#oracles.set(chainId, new SandboxOracle(sandbox, reads));
    const alignTime = () => time.align();
    this.#seedings.push(seedMarkets({ service, reads, alignTime, clock: this.#options.clock, log }));
  }

  #oracleOf(reads: MarketReads, marketId: MarketId): SandboxOracle {
    const market = reads.market(marketId);
    if (market === undefined) throw new PresageError('market_not_found', { marketId });
    const { chainId } = market.facts;
    const oracle = this.#oracles.get(chainId);
    if (oracle === undefined) throw new PresageError('chain_unavailable', { reason: `chain ${chainId} is not served` });
    return oracle;
  }

  /** Starts the demo maker again after a restart; called once the service is reachable. */
  start(): void {
    const { config, onMaker } = this.#options;
    if (this.#isMakerOn && config.roles.includes('settler')) onMaker(true);
  }

  async close(): Promise<void> {
    await Promise.all(this.#seedings.map((seeding) => seeding.stop()));
  }
}
