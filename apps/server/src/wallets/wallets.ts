// The wallets of one chain: the only place that reads what a wallet holds, has allowed, has reserved and can pay.
import type { ChainContext } from '../chains/chain-context.ts';
import type { Views } from '../projections/views.ts';
import type { RelayState } from '../relayer/relay-state.ts';
import { CollateralCheck } from './collateral-check.ts';
import { ContractSignatures } from './contract-signatures.ts';
import { CoverKeeper } from './cover-keeper.ts';
import { HoldingsReader } from './holdings-reader.ts';
import { KnownWallets } from './known-wallets.ts';
import { PositionSync, type SyncedBlocks } from './position-sync.ts';
import { ReadingQueue } from './reading-queue.ts';
import { ShortfallReader } from './shortfall-reader.ts';
import { WalletReads } from './wallet-reads.ts';
import { WalletService } from './wallet-service.ts';
import { WalletWatch } from './wallet-watch.ts';

export interface WalletsOptions {
  readonly views: Pick<Views, 'listPositions'>;
  /** Permits and nonces of calls that are being relayed. */
  readonly relays: Pick<RelayState, 'pendingAllowance' | 'nextNonce' | 'permits'>;
  /** Whether orders that are no longer covered are cancelled; only the settler does. */
  readonly isCancelling: boolean;
}

export class Wallets {
  /** For admission: whether a wallet can pay for an order. */
  readonly collateral: CollateralCheck;
  /** For the API and the relayer. */
  readonly service: WalletService;
  readonly reads: WalletReads;
  /** For admission and the relayer: checks of contract wallets' signatures. */
  readonly signatures: ContractSignatures;
  /** For the sandbox, which tops up wallets. */
  readonly shortfalls: ShortfallReader;

  readonly #context: ChainContext;

  constructor(context: ChainContext, { views, relays, isCancelling }: WalletsOptions) {
    this.#context = context;
    const readings = new ReadingQueue(new HoldingsReader(context, relays));
    const keeper = new CoverKeeper(context, { readings, relays, isCancelling });
    const wallets = new KnownWallets({ reads: context.reads, wallMs: Date.now, keeper });
    const watch = new WalletWatch(context, { wallets, keeper });
    this.collateral = new CollateralCheck(context, { wallets, readings, keeper, watch, relays });
    this.reads = new WalletReads(context);
    this.service = new WalletService(context, {
      chain: this.reads,
      views,
      relays,
      readWallet: (wallet, coming) => this.collateral.readWallet(wallet, coming),
    });
    this.signatures = new ContractSignatures(context, Date.now);
    this.shortfalls = new ShortfallReader(context);
  }

  /** For the API of a settler, which follows the blocks. */
  openPositions(blocks: SyncedBlocks): PositionSync {
    return new PositionSync(this.#context, blocks);
  }
}
