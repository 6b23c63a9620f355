// The relayer put together: its own key, its own durable sender, its memory of what was sent, and the service in front.
import { type Contracts, type OperationView, type Rpc, type SenderAlarm, TransactionSender } from '@presage/chain';
import type { MarketView } from '@presage/engine';
import {
  type Address,
  type ClaimChanged,
  type Hex,
  type JournalRecord,
  LIMITS,
  type MarketFacts,
  type OrderHash,
  type PermitChanged,
  type SigningDomain,
} from '@presage/protocol';
import { privateKeyToAccount } from 'viem/accounts';
import type { RelayerPort } from '../api/routes/relayer.ts';
import type { ChainLog } from '../chain-log.ts';
import type { ChainConfig } from '../config.ts';
import type { ChainIdentity } from '../indexer/chain-identity.ts';
import { BondSponsor } from './bond-sponsor.ts';
import { CallPolicy } from './call-policy.ts';
import { ClaimNotes } from './claim-notes.ts';
import { GasBudget } from './gas-budget.ts';
import { hasPermit, type OrderPermitReads, OrderPermits } from './order-permits.ts';
import { PermitJudge, type ReadReserve } from './permit-judge.ts';
import type { RelayerMarkets, RelayerRecord, RelayRecord } from './ports.ts';
import { RelayedCalls } from './relayed-calls.ts';
import { Relayer } from './relayer.ts';
import { RelayerService } from './relayer-service.ts';

export interface OpenRelayerOptions {
  readonly chain: ChainConfig;
  readonly identity: ChainIdentity;
  readonly rpc: Rpc;
  readonly contracts: Contracts;
  readonly chainLog: ChainLog;
  /** Of earlier runs. */
  readonly senderRecords: readonly unknown[];
  readonly records: readonly RelayerRecord[];
  readonly reads: OrderPermitReads & RelayerReads;
  readonly note: (record: ClaimChanged | PermitChanged) => Promise<void>;
  readonly reserve: ReadReserve;
  /** Wallets are given what they lack before they settle. */
  readonly isAutofunded: boolean;
  /** A wallet whose fills were held may go on. */
  readonly onReleased: () => void;
  readonly isBudgeted: boolean;
  readonly clock: { nowMs(): number; nowSeconds(): number };
  readonly pollMs: number;
  readonly onAlarm: (alarm: SenderAlarm) => void;
  readonly onTrouble: (error: unknown) => void;
}

interface RelayerReads {
  market(id: MarketFacts['marketId']): MarketView | undefined;
  markets(): MarketView[];
}

export interface OpenRelayer {
  readonly address: Hex;
  readonly sender: TransactionSender;
  readonly service: RelayerPort;
  readonly permits: OrderPermits;
  /** A record of the markets became durable. */
  follow(record: JournalRecord): void;
  /** The owner's next nonce once everything on its way is mined; undefined when nothing is. */
  nextNonce(contract: Address, owner: Address): bigint | undefined;
  /** Nothing is on its way. */
  isQuiet(): boolean;
  start(): void;
  close(): Promise<void>;
}

export function openRelayer(options: OpenRelayerOptions): OpenRelayer {
  const { chain, rpc, contracts, chainLog, clock } = options;
  const account = privateKeyToAccount(chain.relayerKey);
  const sender = new TransactionSender({
    rpc,
    chainId: chain.chainId,
    account,
    pollMs: options.pollMs,
    confirmations: chain.confirmations,
    journal: chainLog.relaySender,
    records: options.senderRecords,
    onChange: (view) => follow(view),
    onAlarm: options.onAlarm,
  });
  const budget = new GasBudget(options.isBudgeted ? toBudget() : undefined, Date.now);
  const statusOf = (operationId: string) => sender.status(operationId);
  const relayer = new Relayer({
    rpc,
    contracts,
    sender,
    relayer: account.address,
    journal: chainLog.relays,
    wallMs: Date.now,
    records: options.records.filter((record): record is RelayRecord => record.kind === 'relayed'),
    budget,
    nowSeconds: () => clock.nowSeconds(),
  });
  const claims = new ClaimNotes({
    rpc,
    journal: chainLog.relays,
    note: options.note,
    onTrouble: options.onTrouble,
    told: toldIn(options.records),
    nowMs: () => clock.nowMs(),
  });
  const follow = (view: OperationView) => {
    relayer.onOperation(view);
    const record = relayer.book.record(view.operationId);
    if (record !== undefined) claims.follow(record, view).catch(() => undefined);
  };
  const { bondPermitRequired } = options.identity;
  const domain = toStablecoinDomain(options);
  const sponsor = new BondSponsor({ contracts, account, domain });
  const markets = toMarkets(options.reads, chain.chainId);
  const calls = new RelayedCalls({ contracts, multicall: chain.contracts.multicall, sponsor });
  const permitSite = { rpc, contracts, domain };
  const nextNonce = (contract: Address, owner: Address) => relayer.book.nextNonce(contract, owner);
  const permits = new OrderPermits({
    relayer,
    calls,
    journal: chainLog.relays,
    reads: options.reads,
    note: options.note,
    judge: new PermitJudge({
      contracts,
      calls,
      budget,
      permits: permitSite,
      site: { rpc, relayer: account.address },
      reserve: options.reserve,
      isForgiving: options.isAutofunded,
      nowSeconds: () => clock.nowSeconds(),
      nextNonce: (owner) => nextNonce(chain.contracts.stablecoin.toLowerCase() as Address, owner),
    }),
    ended: endedIn(options.records),
    nowMs: () => clock.nowMs(),
    onReleased: options.onReleased,
    onTrouble: options.onTrouble,
  });
  const service = new RelayerService({
    chainId: chain.chainId,
    rpc,
    contracts,
    relayer,
    claims,
    markets,
    statusOf,
    calls,
    policy: new CallPolicy({ ...lowered(chain.contracts), markets, bondPermitRequired }),
    permits: permitSite,
  });
  return {
    address: account.address,
    sender,
    service,
    permits,
    nextNonce,
    follow: (record) => {
      if (record.type === 'order-accepted' && hasPermit(record)) permits.add(record);
    },
    isQuiet: () => permits.isQuiet && relayer.book.unmined().length === 0,
    start: () => {
      sender.start();
      permits.start();
      // What an earlier run saw of its operations and could not write down any more.
      for (const record of relayer.book.withClaims()) follow(statusOf(record.operationId) as OperationView);
    },
    close: async () => {
      permits.close();
      await sender.close();
      await claims.close();
    },
  };
}

function toBudget() {
  const { relayedCallsPerHour, relayedGasPerWalletHour, relayedGasPerHour } = LIMITS.rates;
  return {
    callsPerWalletHour: relayedCallsPerHour,
    gasPerWalletHour: relayedGasPerWalletHour,
    gasPerHour: relayedGasPerHour,
  };
}

function toldIn(records: readonly RelayerRecord[]): Map<string, string> {
  const told = records.filter((record) => record.kind === 'claims-told');
  return new Map(told.map(({ operationId, news }) => [operationId, news]));
}

function endedIn(records: readonly RelayerRecord[]): Set<OrderHash> {
  return new Set(records.filter((record) => record.kind === 'permit-ended').map(({ orderHash }) => orderHash));
}

/** A market whose making left the chain has nothing that could be called. */
function toMarkets(reads: OpenRelayerOptions['reads'], chainId: number): RelayerMarkets {
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
  const lower = (address: Address) => address.toLowerCase() as Address;
  return {
    settlement: lower(settlement),
    conditionalTokens: lower(conditionalTokens),
    stablecoin: lower(stablecoin),
  };
}

function toStablecoinDomain({ chain, identity }: OpenRelayerOptions): SigningDomain {
  const { name, version } = identity.stablecoin;
  return { name, version, chainId: chain.chainId, verifyingContract: chain.contracts.stablecoin };
}
