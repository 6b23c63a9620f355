// Opens one chain's relayer: the judge of orders' permits on every node, and the sender of calls on the settler.
import type { OperationView, TransactionSender } from '@presage/chain';
import type { MarketView } from '@presage/engine';
import type { JournalRecord, SigningDomain } from '@presage/protocol';
import type { LocalAccount } from 'viem';
import type { SignerLookup } from '../admission/ports.ts';
import type { ChainContext } from '../chains/chain-context.ts';
import type { ChainLog } from '../chains/chain-log.ts';
import type { ChainState } from '../chains/chain-state.ts';
import type { Wallets } from '../wallets/wallets.ts';
import { BondSponsor } from './bond-sponsor.ts';
import { ClaimNotes } from './claim-notes.ts';
import { OrderPermits } from './order-permits.ts';
import { PermitJudge } from './permit-judge.ts';
import type { HasFollowed, RelayerMarkets } from './ports.ts';
import type { RelayState } from './relay-state.ts';
import { RelayedCalls } from './relayed-calls.ts';
import { Relayer } from './relayer.ts';
import { RelayerService, type RelayerServiceOptions } from './relayer-service.ts';
import { SignatureCheck } from './signature-check.ts';
import type { SigningDomains } from './signed-parts.ts';
import type { PermitSite } from './used-permit.ts';

export { OPERATIONS } from './operations/operations.ts';
export { RelayState } from './relay-state.ts';

export interface OpenPermitsOptions {
  readonly state: RelayState;
  readonly wallets: Wallets;
  /** Recovers signers of signatures. */
  readonly signers: SignerLookup;
}

/** Opens the judge of permits for admission, on every node. */
export function openPermitJudge(context: ChainContext, options: OpenPermitsOptions): PermitJudge {
  const { state, wallets } = options;
  const calls = new RelayedCalls({
    contracts: context.contracts,
    markets: toMarkets(context),
    domains: toDomains(context),
  });
  return new PermitJudge(context, { state, wallets, calls, permits: toPermitSite(context, options) });
}

export interface OpenRelayerOptions extends OpenPermitsOptions {
  readonly judge: PermitJudge;
  readonly account: LocalAccount;
  /** Sender of the relayer's account; also sends the operator's own transactions. */
  readonly sender: TransactionSender;
  readonly journal: ChainLog['relays'];
  readonly history: Pick<ChainState, 'relays'>;
  readonly hasFollowed: HasFollowed;
}

export type OpenRelayer = ReturnType<typeof openRelayer>;

export function openRelayer(context: ChainContext, options: OpenRelayerOptions) {
  const { state, wallets, judge, account, sender, journal, history, signers, hasFollowed } = options;
  const { book } = state;
  const records = history.relays;
  const domains = toDomains(context);
  const sponsor = new BondSponsor(context, { account, domain: domains.stablecoin, budget: state.bonds });
  const calls = new RelayedCalls({ contracts: context.contracts, markets: toMarkets(context), sponsor, domains });
  const signatures = new SignatureCheck({ wallets: wallets.reads, book, signers, contracts: wallets.signatures });
  const sending = { state, wallets: wallets.reads, relayer: account.address, sender, journal, signatures };
  const relayer = new Relayer(context, sending);
  const claims = new ClaimNotes(context, { journal, records, hasFollowed });
  const permits = new OrderPermits(context, { relayer, calls, judge, journal, waiting: state.permits, records });
  const followOperation = (view: OperationView) => {
    relayer.onOperation(view);
    const record = book.record(view.operationId);
    if (record !== undefined) claims.follow(record, view).catch(() => undefined);
  };
  sender.onChange(followOperation);
  return {
    address: account.address,
    sender,
    /** Entry point for the API. */
    service: openService(context, options, { relayer, claims, calls }),
    /** Called with each durable record of the markets. */
    follow: (record: JournalRecord) => {
      if (record.type !== 'order-accepted' || record.permit === undefined) return;
      permits.add({ ...record, permit: record.permit });
    },
    start: () => {
      sender.start();
      permits.start();
      // Stages of operations that an earlier run saw but could not record any more.
      for (const { operationId } of book.withClaims()) {
        const view = sender.status(operationId);
        if (view !== undefined) followOperation(view);
      }
    },
    close: async () => {
      permits.close();
      await sender.close();
      await claims.close();
    },
  };
}

function openService(
  context: ChainContext,
  options: OpenRelayerOptions,
  parts: Pick<RelayerServiceOptions, 'relayer' | 'claims' | 'calls'>,
): RelayerService {
  const { state, wallets, sender, hasFollowed } = options;
  const { settlement, conditionalTokens, stablecoin } = context.addresses;
  const markets = toMarkets(context);
  return new RelayerService(context, {
    ...parts,
    book: state.book,
    wallets: wallets.reads,
    markets,
    sender,
    hasFollowed,
    policy: {
      settlement,
      conditionalTokens,
      stablecoin,
      markets,
      bondPermitRequired: context.identity.bondPermitRequired,
      bonds: state.bonds,
    },
    permits: toPermitSite(context, options),
  });
}

function toPermitSite(context: ChainContext, { signers, wallets }: OpenPermitsOptions): PermitSite {
  const { rpc, contracts } = context;
  return { rpc, contracts, domain: toDomains(context).stablecoin, signers, wallets: wallets.reads };
}

/** Hides vanished markets: their contracts have left the chain. */
function toMarkets({ reads }: ChainContext): RelayerMarkets {
  const served = (view: MarketView | undefined) => (view?.closeReason === 'vanished' ? undefined : view?.facts);
  return {
    find: (marketId) => served(reads.market(marketId)),
    decidedBy: (conditionId) => {
      const single = served(reads.market(conditionId));
      if (single !== undefined) return single.event === undefined ? [single] : [];
      return reads.marketsNamed(conditionId).flatMap((view) => served(view) ?? []);
    },
    resolution: (marketId) => reads.market(marketId)?.resolution,
    at: (address) =>
      reads
        .marketsNamed(address)
        .map(served)
        .find((facts) => facts !== undefined),
  };
}

function toDomains({ chain: { chainId, contracts }, identity }: ChainContext): SigningDomains {
  const toDomain = (name: keyof SigningDomains): SigningDomain => {
    const { name: ofContract, version } = identity[name];
    return { name: ofContract, version, chainId, verifyingContract: contracts[name] };
  };
  return {
    settlement: toDomain('settlement'),
    conditionalTokens: toDomain('conditionalTokens'),
    stablecoin: toDomain('stablecoin'),
  };
}
