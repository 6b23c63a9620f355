// The reading side of a chain, on every node: its contracts, wallets, relayed operations and quick markets. Needs no key.
import type { Rpc } from '@presage/chain';
import type { Address, ChainIdentity, JournalRecord } from '@presage/protocol';
import type { Shutdown } from '@presage/runtime';
import type { SignerLookup } from '../admission/ports.ts';
import type { ChainConfig, Config } from '../config.ts';
import type { Prices } from '../prices/prices.ts';
import type { Views } from '../projections/views.ts';
import { openQuickMarkets } from '../quick/open.ts';
import type { QuickMarkets } from '../quick/quick-markets.ts';
import { openPermitJudge } from '../relayer/open.ts';
import type { PermitJudge } from '../relayer/permit-judge.ts';
import type { RelayState } from '../relayer/relay-state.ts';
import { Wallets } from '../wallets/wallets.ts';
import type { ChainContext, ContractAddresses } from './chain-context.ts';
import type { ChainReads } from './chain-reads.ts';
import type { ChainState } from './chain-state.ts';
import type { MarketPauses } from './market-pauses.ts';
import type { TradingHalts } from './trading-halts.ts';

export interface ChainViewOptions {
  readonly config: Pick<Config, 'prices' | 'roles'>;
  readonly views: Views;
  readonly prices: Prices;
  readonly signers: SignerLookup;
  readonly history: ChainState;
  readonly relays: RelayState;
  readonly shutdown: Shutdown;
}

export class ChainView {
  readonly config: ChainConfig;
  readonly addresses: ContractAddresses;
  readonly identity: ChainIdentity;
  readonly reads: ChainReads;
  readonly rpc: Rpc;
  readonly wallets: Wallets;
  /** For admission: judges the permits that come with orders. */
  readonly permits: PermitJudge;
  /** Undefined if the chain has no contracts for quick markets. */
  readonly quick: QuickMarkets | undefined;
  /** Traders' halts that the settler has seen on chain. */
  readonly halts: Pick<TradingHalts, 'effectiveAfter'>;
  /** Markets whose pause the settler has seen on chain. */
  readonly pauses: Pick<MarketPauses, 'isPaused' | 'paused'>;
  readonly #context: ChainContext;

  constructor(context: ChainContext, options: ChainViewOptions) {
    const { config, views, prices, signers, history, relays, shutdown } = options;
    this.#context = context;
    this.config = context.chain;
    this.addresses = context.addresses;
    this.identity = context.identity;
    this.reads = context.reads;
    this.rpc = context.rpc;
    this.halts = history.halts;
    this.pauses = history.pauses;
    this.wallets = new Wallets(context, { views, relays, isCancelling: config.roles.includes('settler') });
    shutdown.add('wallets', () => this.wallets.collateral.close());
    this.permits = openPermitJudge(context, { state: relays, wallets: this.wallets, signers });
    this.quick = openQuickMarkets(context, { config: config.prices, ledger: history.quick, prices });
    shutdown.add('quick markets', () => this.quick?.close());
  }

  /** Bond of the next proposal of a market; undefined if the chain cannot be read. */
  readBond(market: Address): Promise<bigint | undefined> {
    const read = this.#context.contracts.market(market).read('bond', []);
    return read.catch(() => undefined);
  }

  /** A record of one of its markets became durable. */
  follow(record: JournalRecord): void {
    this.wallets.collateral.follow(record);
  }

  start(): void {
    this.wallets.collateral.start();
    this.quick?.start();
  }

  /** The chain has a new head. */
  wake(): void {
    this.wallets.collateral.wake();
  }
}
