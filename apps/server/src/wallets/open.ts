// Opens the module of one chain's wallets: the only place that reads what a wallet holds, has allowed, has reserved and can pay.
import type { Contracts, Rpc } from '@presage/chain';
import type { Address, JournalRecord } from '@presage/protocol';
import type { ChainReads } from '../chains/chain-reads.ts';
import type { ChainConfig } from '../config.ts';
import type { Views } from '../projections/views.ts';
import { CollateralCheck } from './collateral-check.ts';
import { ContractSignatures } from './contract-signatures.ts';
import { CoverKeeper, type CoverKeeperOptions } from './cover-keeper.ts';
import { HoldingsReader } from './holdings-reader.ts';
import { KnownWallets } from './known-wallets.ts';
import { PendingPermits, type PermitSource } from './pending-permits.ts';
import { PositionSync, type PositionSyncOptions } from './position-sync.ts';
import { ReadingQueue } from './reading-queue.ts';
import { ShortfallReader } from './shortfall-reader.ts';
import type { ComingOrder } from './wallet.ts';
import { WalletReads } from './wallet-reads.ts';
import { type ReservedFunds, WalletService } from './wallet-service.ts';
import { WalletWatch } from './wallet-watch.ts';

export interface OpenWalletsOptions extends Pick<PositionSyncOptions, 'note'> {
  readonly chain: Pick<ChainConfig, 'chainId' | 'collateralCheck' | 'contracts'>;
  readonly rpc: Rpc;
  readonly contracts: Contracts;
  readonly reads: ChainReads;
  readonly views: Pick<Views, 'listPositions'>;
  readonly commands: { cancelUncovered: CoverKeeperOptions['cancel'] };
  readonly nowMs: () => number;
  readonly pollMs: number;
  readonly idleMs: () => number;
  readonly onTrouble: (error: unknown) => void;
}

export interface Wallets {
  /** For admission: can a wallet pay for an order? */
  readonly collateral: CollateralCheck;
  /** For the API. */
  readonly service: WalletService;
  readonly positions: PositionSync;
  /** For the relayer. */
  readonly reads: WalletReads;
  /** For admission and the relayer: what wallets that are contracts say of signatures. */
  readonly signatures: ContractSignatures;
  /** For the sandbox, which gives wallets what they lack. */
  readonly shortfalls: ShortfallReader;
  /** With an order that is not placed yet; the allowance is the settlement contract's. */
  reserve(wallet: Address, coming?: ComingOrder): Promise<ReservedFunds>;
  /** From now on permits that are being relayed count. */
  connect(permits: PermitSource): void;
  /** A record of the markets became durable. */
  follow(record: JournalRecord): void;
  start(): void;
  /** The chain has a new head. */
  wake(): void;
  close(): Promise<void>;
}

export function openWallets(options: OpenWalletsOptions): Wallets {
  const { chain, rpc, contracts, reads, views, nowMs, note } = options;
  const { stablecoin, conditionalTokens, settlement } = chain.contracts;
  const permits = new PendingPermits();
  const walletReads = new WalletReads({ rpc, contracts });
  const collateral = createCollateralCheck(options, permits);
  const service = new WalletService({
    chainId: chain.chainId,
    stablecoin,
    conditionalTokens,
    settlement,
    chain: walletReads,
    reads,
    views,
    relayer: permits,
    standing: (wallet, coming) => collateral.standing(wallet, coming),
  });
  return {
    collateral,
    service,
    positions: new PositionSync({ rpc, contracts, nowMs, note }),
    reads: walletReads,
    signatures: new ContractSignatures({ rpc, nowMs: Date.now }),
    shortfalls: new ShortfallReader({ contracts, market: (marketId) => reads.market(marketId)?.facts }),
    reserve: (wallet, coming) => service.reserve(wallet, coming),
    connect: (source) => permits.connect(source),
    follow: (record) => collateral.follow(record),
    start: () => collateral.start(),
    wake: () => collateral.wake(),
    close: () => collateral.close(),
  };
}

const RETRY_POLLS = 10;

function createCollateralCheck(options: OpenWalletsOptions, permits: PendingPermits): CollateralCheck {
  const { chain, rpc, contracts, reads, commands, nowMs, pollMs, idleMs, onTrouble } = options;
  const place = {
    stablecoin: lower(chain.contracts.stablecoin),
    conditionalTokens: lower(chain.contracts.conditionalTokens),
    settlement: lower(chain.contracts.settlement),
  };
  const pendingAllowance = (wallet: Address) => permits.pendingAllowance(wallet);
  const readings = new ReadingQueue(new HoldingsReader({ rpc, contracts, reads }));
  const keeper = new CoverKeeper({
    readings,
    pendingAllowance,
    onTrouble,
    retryMs: pollMs * RETRY_POLLS,
    cancel: (marketId, orderHash) => commands.cancelUncovered(marketId, orderHash),
  });
  const wallets = new KnownWallets({
    chainId: chain.chainId,
    reads,
    wallMs: Date.now,
    onCoverAtRisk: (wallet) => keeper.judge([wallet]),
  });
  const watch = new WalletWatch({
    rpc,
    contracts: place,
    wallets,
    pollMs,
    idleMs,
    onTrouble,
    onChanged: (changed) => keeper.judge(changed),
  });
  return new CollateralCheck({
    isEnforced: chain.collateralCheck === 'enforce',
    place,
    wallets,
    readings,
    keeper,
    watch,
    reads,
    pendingAllowance,
    nowMs,
    onTrouble,
  });
}

function lower(address: `0x${string}`): Address {
  return address.toLowerCase() as Address;
}
