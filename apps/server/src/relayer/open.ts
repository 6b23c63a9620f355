// Opens one chain's relayer: its own key, its own durable sender, its memory of what was sent, and the service in front.
import { type Contracts, type OperationView, type Rpc, type SenderAlarm, TransactionSender } from '@presage/chain';
import { toSigningAccount } from '@presage/chain/setup';
import type { MarketView } from '@presage/engine';
import {
  type Address,
  type ChainIdentity,
  type ClaimChanged,
  type Hex,
  type JournalRecord,
  LIMITS,
  type MarketFacts,
  type OrderHash,
  type PermitChanged,
  type SigningDomain,
} from '@presage/protocol';
import type { LocalAccount } from 'viem';
import type { ChainLog } from '../chains/chain-log.ts';
import type { ChainState } from '../chains/chain-state.ts';
import type { SenderFees } from '../chains/sender-fees.ts';
import type { ChainConfig } from '../config.ts';
import { BondBudget } from './bond-budget.ts';
import { BondSponsor } from './bond-sponsor.ts';
import { ClaimNotes } from './claim-notes.ts';
import { GasBudget } from './gas-budget.ts';
import { toLowerCase } from './nonce-use.ts';
import { hasPermit, type OrderPermitReads, OrderPermits } from './order-permits.ts';
import { PermitJudge } from './permit-judge.ts';
import type { PendingReads, ReadReserve, RelayerMarkets, RelayerRecord, RelayRecord, SignerLookup } from './ports.ts';
import { RelayedCalls } from './relayed-calls.ts';
import { Relayer } from './relayer.ts';
import { RelayerService } from './relayer-service.ts';
import { SignatureCheck, type SignatureCheckOptions } from './signature-check.ts';
import { createStanding } from './wallet-standing.ts';

export interface OpenRelayerOptions {
  readonly chain: ChainConfig;
  readonly identity: ChainIdentity;
  readonly fees: SenderFees;
  readonly rpc: Rpc;
  readonly contracts: Contracts;
  readonly chainLog: Pick<ChainLog, 'relaySender' | 'relays'>;
  readonly history: Pick<ChainState, 'relayer' | 'relays'>;
  readonly reads: OrderPermitReads & RelayerReads;
  readonly wallets: {
    readonly reads: PendingReads & FundsReads;
    readonly reserve: ReadReserve;
    readonly signatures: SignatureCheckOptions['contracts'];
  };
  /** The most stablecoin that the operator sponsors in bonds a day; without a limit where it is absent. */
  readonly sponsoredBondsPerDay: bigint | undefined;
  readonly note: (record: ClaimChanged | PermitChanged) => Promise<void>;
  /** Wallets are given what they lack before they settle. */
  readonly isAutofunded: boolean;
  readonly isBudgeted: boolean;
  readonly clock: { nowMs(): number; nowSeconds(): number };
  readonly pollMs: number;
  readonly idleMs: () => number;
  readonly signers: SignerLookup;
  readonly onAlarm: (alarm: SenderAlarm) => void;
  readonly onTrouble: (error: unknown) => void;
}

interface FundsReads {
  funds(query: { wallet: Address; tokenIds: readonly bigint[] }): Promise<{ readonly balance: bigint }>;
}

interface RelayerReads {
  openOrders(filter: { readonly trader: Address }): readonly unknown[];
  market(id: MarketFacts['marketId']): MarketView | undefined;
  markets(): MarketView[];
}

export interface OpenRelayer {
  readonly address: Hex;
  /** Also for what the operator sends in their own name. */
  readonly sender: TransactionSender;
  /** For the API. */
  readonly service: RelayerService;
  /** For admission and settlement. */
  readonly permits: OrderPermits;
  /** What the settlement contract may take once the wallet's permits are mined. */
  pendingAllowance(wallet: Address): bigint;
  /** The owner's next nonce once everything on its way is mined; undefined when nothing is. */
  nextNonce(contract: Address, owner: Address): bigint | undefined;
  /** Nothing is on its way. */
  isQuiet(): boolean;
  /** A record of the markets became durable. */
  follow(record: JournalRecord): void;
  start(): void;
  close(): Promise<void>;
}

/** The parts that the permits of orders and the service share. */
interface Parts {
  readonly account: LocalAccount;
  readonly sender: TransactionSender;
  readonly budget: GasBudget;
  readonly relayer: Relayer;
  readonly claims: ClaimNotes;
  readonly calls: RelayedCalls;
  readonly domain: SigningDomain;
  readonly bonds: BondBudget;
}

export function openRelayer(options: OpenRelayerOptions): OpenRelayer {
  const parts = createParts(options);
  const { account, sender, relayer, claims } = parts;
  const permits = createPermits(options, parts);
  const stablecoin = toLowerCase(options.chain.contracts.stablecoin);
  const follow = (view: OperationView) => {
    relayer.onOperation(view);
    const record = relayer.book.record(view.operationId);
    if (record !== undefined) claims.follow(record, view).catch(() => undefined);
  };
  sender.onChange(follow);
  return {
    address: account.address,
    sender,
    service: createService(options, parts),
    permits,
    pendingAllowance: (wallet) => permits.pendingAllowance(wallet),
    nextNonce: (contract, owner) => {
      const relayed = relayer.book.nextNonce(contract, owner);
      // Where bad permits are forgiven, their nonces say nothing.
      const isCounted = contract === stablecoin && !options.isAutofunded;
      const accepted = isCounted ? permits.nextNonce(owner) : undefined;
      return accepted !== undefined && accepted > (relayed ?? 0n) ? accepted : relayed;
    },
    isQuiet: () => permits.isQuiet && relayer.book.unmined().length === 0,
    follow: (record) => {
      if (record.type === 'order-accepted' && hasPermit(record)) permits.add(record);
    },
    start: () => {
      sender.start();
      permits.start();
      // What an earlier run saw of its operations and could not write down any more.
      for (const record of relayer.book.withClaims()) follow(sender.status(record.operationId) as OperationView);
    },
    close: async () => {
      permits.close();
      await sender.close();
      await claims.close();
    },
  };
}

function createParts(options: OpenRelayerOptions): Parts {
  const { chain, rpc, contracts, chainLog, history, clock, wallets, note, onTrouble } = options;
  const account = toSigningAccount(chain.relayerKey);
  const domain = toStablecoinDomain(options);
  const sender = new TransactionSender({
    rpc,
    chainId: chain.chainId,
    account,
    pollMs: options.pollMs,
    idleMs: options.idleMs,
    ...options.fees,
    confirmations: chain.confirmations,
    journal: chainLog.relaySender,
    snapshot: history.relayer,
    onAlarm: options.onAlarm,
  });
  const budget = new GasBudget(options.isBudgeted ? toBudget() : undefined, Date.now);
  const bonds = new BondBudget({ perDay: options.sponsoredBondsPerDay, wallMs: Date.now });
  const relayer = new Relayer({
    rpc,
    wallets: wallets.reads,
    bonds,
    signatures: (book) =>
      new SignatureCheck({
        wallets: wallets.reads,
        nextNonce: (contract, owner) => book.nextNonce(contract, owner),
        signers: options.signers,
        contracts: wallets.signatures,
      }),
    sender,
    relayer: account.address,
    journal: chainLog.relays,
    wallMs: Date.now,
    records: history.relays.filter((record): record is RelayRecord => record.kind === 'relayed'),
    budget,
    standingOf: createStanding({
      isBudgeted: options.isBudgeted,
      hasOrders: (trader) => options.reads.openOrders({ trader }).length > 0,
      balanceOf: async (wallet) => (await wallets.reads.funds({ wallet, tokenIds: [] })).balance,
    }),
    nowSeconds: () => clock.nowSeconds(),
  });
  const claims = new ClaimNotes({
    rpc,
    journal: chainLog.relays,
    note,
    onTrouble,
    published: findPublished(history.relays),
    nowMs: () => clock.nowMs(),
  });
  const sponsor = new BondSponsor({ contracts, account, domain, budget: bonds });
  const calls = new RelayedCalls({ contracts, sponsor, domains: toDomains(options) });
  return { account, sender, budget, relayer, claims, calls, domain, bonds };
}

function createPermits(options: OpenRelayerOptions, { account, relayer, calls, budget, domain }: Parts): OrderPermits {
  const { chain, rpc, contracts, chainLog, history, reads, wallets, clock, note, onTrouble } = options;
  const stablecoin = toLowerCase(chain.contracts.stablecoin);
  const judge = new PermitJudge({
    contracts,
    calls,
    budget,
    wallets: wallets.reads,
    permits: { rpc, contracts, domain, signers: options.signers, wallets: wallets.reads },
    site: { rpc, relayer: account.address },
    reserve: wallets.reserve,
    isForgiving: options.isAutofunded,
    nowSeconds: () => clock.nowSeconds(),
    nextNonce: (owner) => relayer.book.nextNonce(stablecoin, owner),
  });
  return new OrderPermits({
    relayer,
    calls,
    judge,
    reads,
    note,
    onTrouble,
    journal: chainLog.relays,
    ended: findEnded(history.relays),
    nowMs: () => clock.nowMs(),
  });
}

function createService(
  options: OpenRelayerOptions,
  { sender, relayer, claims, calls, domain, bonds }: Parts,
): RelayerService {
  const { chain, rpc, contracts, wallets, identity } = options;
  const { bondPermitRequired } = identity;
  const markets = toMarkets(options.reads, chain.chainId);
  return new RelayerService({
    rpc,
    wallets: wallets.reads,
    relayer,
    claims,
    markets,
    statusOf: (operationId) => sender.status(operationId),
    calls,
    policy: { ...lowered(chain.contracts), markets, bondPermitRequired, bonds },
    permits: { rpc, contracts, domain, signers: options.signers, wallets: wallets.reads },
  });
}

function toBudget() {
  const { relayedCallsPerHour, relayedGasPerWalletHour, relayedGasPerHour, ...shares } = LIMITS.rates;
  return {
    callsPerWalletHour: relayedCallsPerHour,
    gasPerWalletHour: relayedGasPerWalletHour,
    gasPerHour: relayedGasPerHour,
    emptyPercent: shares.relayedGasEmptyPercent,
    tradersPercent: shares.relayedGasTradersPercent,
  };
}

function findPublished(records: readonly RelayerRecord[]): Map<string, string> {
  const published = records.filter((record) => record.kind === 'claims-told');
  return new Map(published.map(({ operationId, news }) => [operationId, news]));
}

function findEnded(records: readonly RelayerRecord[]): Set<OrderHash> {
  return new Set(records.filter((record) => record.kind === 'permit-ended').map(({ orderHash }) => orderHash));
}

/** A market whose creation left the chain has nothing that could be called. */
function toMarkets(reads: RelayerReads, chainId: number): RelayerMarkets {
  const served = (view: MarketView | undefined) =>
    view?.facts.chainId === chainId && view.closeReason !== 'vanished' ? view.facts : undefined;
  return {
    find: (marketId) => served(reads.market(marketId)),
    resolution: (marketId) => reads.market(marketId)?.resolution,
    at: (address) =>
      reads
        .markets()
        .map(served)
        .find((facts) => facts?.contractAddress === address),
  };
}

function lowered({ settlement, conditionalTokens, stablecoin }: ChainConfig['contracts']) {
  return {
    settlement: toLowerCase(settlement),
    conditionalTokens: toLowerCase(conditionalTokens),
    stablecoin: toLowerCase(stablecoin),
  };
}

function toDomains(options: OpenRelayerOptions) {
  const { chain, identity } = options;
  const toDomain = (name: 'settlement' | 'conditionalTokens'): SigningDomain => ({
    name: identity[name].name,
    version: identity[name].version,
    chainId: chain.chainId,
    verifyingContract: chain.contracts[name],
  });
  return {
    settlement: toDomain('settlement'),
    conditionalTokens: toDomain('conditionalTokens'),
    stablecoin: toStablecoinDomain(options),
  };
}

function toStablecoinDomain({ chain, identity }: OpenRelayerOptions): SigningDomain {
  const { name, version } = identity.stablecoin;
  return { name, version, chainId: chain.chainId, verifyingContract: chain.contracts.stablecoin };
}
