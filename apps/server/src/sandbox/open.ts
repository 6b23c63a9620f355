// Opens what only the sandbox has: its simulated feed, its demo maker, and on its chain free money, markets, disputes and faults.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Contracts, Rpc } from '@presage/chain';
import type { Engine } from '@presage/engine';
import type { Address, ClockOffsetSet, JournalRecord, MakerSet, PricePinned } from '@presage/protocol';
import type { ServiceClock } from '../clock.ts';
import type { ChainConfig, Config } from '../config.ts';
import type { WalletPreparation } from '../settlement/ports.ts';
import { Autofund, type AutofundOptions } from './autofund.ts';
import { FeedControl } from './feed-control.ts';
import { MakerSwitch } from './maker-switch.ts';
import { SandboxControls, type SandboxControlsOptions } from './sandbox-controls.ts';
import { SandboxNode } from './sandbox-node.ts';
import { SandboxOracle } from './sandbox-oracle.ts';
import { SandboxPrices, type SandboxPricesOptions } from './sandbox-prices.ts';
import { type SeedOptions, seedMarkets } from './seed-markets.ts';

export interface OpenSandboxOptions {
  readonly config: Pick<Config, 'profile' | 'autofund' | 'demo' | 'prices'>;
  readonly clock: ServiceClock;
  /** Into the control partition; durable, and followed, when it resolves. */
  readonly note: (record: ClockOffsetSet | MakerSet | PricePinned) => Promise<void>;
  readonly onMaker: (running: boolean) => void;
}

export interface SandboxChainOptions {
  readonly chain: ChainConfig;
  readonly rpc: Rpc;
  readonly contracts: Contracts;
  readonly shortfalls: AutofundOptions['shortfalls'];
}

/** The chain's part of the sandbox: it may act in the name of the contracts' owner. */
export interface SandboxChain {
  readonly rpc: Rpc;
  readonly contracts: Contracts;
  readonly node: SandboxNode;
  readonly autofund: Autofund;
  readonly owner: Address;
  readonly disputer: Address;
}

/** A chain as the service follows it. */
interface ServedChain extends Pick<SandboxControlsOptions, 'isQuiet'> {
  readonly sandbox: SandboxChain | undefined;
  readonly wallets: { readonly reads: SandboxControlsOptions['wallets'] };
}

export interface SandboxParts extends Pick<SeedOptions, 'log'> {
  readonly chain: ServedChain;
  readonly reads: Engine;
  readonly prices: SandboxPricesOptions['prices'];
}

/** For the API. */
export interface SandboxServices {
  readonly controls: SandboxControls;
  readonly oracle: SandboxOracle;
  readonly maker: MakerSwitch;
  readonly prices: SandboxPrices;
}

/** A visitor who waits for the first answer finds something to trade; an unreachable chain does not hold them up. */
const SEED_TIMEOUT_MS = 5_000;

export class Sandbox {
  readonly #options: OpenSandboxOptions;
  readonly #feed: FeedControl;
  readonly #maker: MakerSwitch;
  #stopSeeding: () => Promise<void> = async () => undefined;

  constructor(options: OpenSandboxOptions) {
    const { config, clock, note, onMaker } = options;
    const nowMs = () => clock.nowMs();
    this.#options = options;
    this.#feed = new FeedControl({ url: config.prices.pythUrl, assets: config.prices.assets, nowMs, journal: note });
    this.#maker = new MakerSwitch({ isOnAtFirst: config.demo, nowMs, onSet: onMaker, journal: note });
  }

  /** A record of the control partition became durable, at recovery and live. */
  follow(record: JournalRecord): void {
    this.#feed.follow(record);
    this.#maker.follow(record);
  }

  /** Done before each connection to the price feed; nothing in the live profile. */
  async beforeConnect(): Promise<void> {
    if (this.#options.config.profile === 'sandbox') await this.#feed.sendPins();
  }

  /** Undefined for a chain of others, in whose contracts nobody here may act. */
  openChain({ chain, rpc, contracts, shortfalls }: SandboxChainOptions): SandboxChain | undefined {
    const owner = chain.ownerAddress;
    if (owner === undefined) return undefined;
    const node = new SandboxNode(rpc);
    const autofund = new Autofund({ node, contracts, owner, shortfalls });
    return { rpc, contracts, node, autofund, owner, disputer: chain.disputerAddress ?? owner };
  }

  /** Undefined where wallets must bring what they pay with. */
  toPreparation(chain: SandboxChain | undefined): WalletPreparation | undefined {
    return this.#options.config.autofund ? chain?.autofund : undefined;
  }

  /** Also creates the first markets, so the chain must be followed already. Undefined outside the sandbox. */
  async serve({ chain, reads, prices, log }: SandboxParts): Promise<SandboxServices | undefined> {
    const { config, clock, note } = this.#options;
    if (config.profile !== 'sandbox' || chain.sandbox === undefined) return undefined;
    const { node, rpc, contracts, autofund, owner, disputer } = chain.sandbox;
    const feed = this.#feed;
    const controls = new SandboxControls({
      node,
      rpc,
      contracts,
      autofund,
      owner,
      clock,
      feed,
      wallets: chain.wallets.reads,
      isQuiet: () => chain.isQuiet(),
      isListed: (marketId) => reads.market(marketId) !== undefined,
      saveOffset: (offsetSeconds) => note({ type: 'clock-offset-set', timeMs: clock.nowMs(), offsetSeconds }),
    });
    const seeding = seedMarkets({ service: controls, reads, clock, log });
    this.#stopSeeding = () => seeding.stop();
    await Promise.race([seeding.done, sleep(SEED_TIMEOUT_MS, undefined, { ref: false })]);
    return {
      controls,
      oracle: new SandboxOracle({ node, rpc, contracts, autofund, disputer, reads }),
      maker: this.#maker,
      prices: new SandboxPrices({ control: feed, prices }),
    };
  }

  /** Once the service can be reached. */
  start(): void {
    this.#maker.start();
  }

  close(): Promise<void> {
    return this.#stopSeeding();
  }
}

export function openSandbox(options: OpenSandboxOptions): Sandbox {
  return new Sandbox(options);
}
