// Opens the quick markets of one chain: for everybody to read, and on the settler to run.
import type { SenderPort } from '@presage/chain';
import type { ChainContext } from '../chains/chain-context.ts';
import type { PriceConfig } from '../config/price-config.ts';
import type { QuickAsset, QuickJournal, QuickPrices } from './ports.ts';
import { QuickChain } from './quick-chain.ts';
import type { QuickIds, QuickLedger } from './quick-ledger.ts';
import { QuickMarkets } from './quick-markets.ts';
import { WindowRunner } from './window-runner.ts';
import { WindowScheduler } from './window-scheduler.ts';

export { QuickIds, QuickLedger } from './quick-ledger.ts';

export interface OpenQuickOptions {
  readonly config: PriceConfig;
  /** Follows the partition of the chain. */
  readonly ledger: QuickLedger;
  readonly prices: QuickPrices;
}

/** Undefined if the chain has no contracts for them. */
export function openQuickMarkets(context: ChainContext, options: OpenQuickOptions): QuickMarkets | undefined {
  if (context.contracts.quick === undefined) return undefined;
  return new QuickMarkets(context, { ...options, assets: toAssets(options.config) });
}

export interface OpenWindowsOptions extends OpenQuickOptions {
  readonly sender: SenderPort;
  readonly journal: QuickJournal;
  readonly ids: QuickIds;
  /** A market was listed. */
  readonly onListed: () => void;
}

/** Undefined if the chain has no contracts for them. */
export function openWindows(context: ChainContext, options: OpenWindowsOptions): WindowScheduler | undefined {
  const { ledger, ids, sender } = options;
  if (context.contracts.quick === undefined) return undefined;
  ids.raise(ledger.lastId);
  const chain = new QuickChain(context, context.contracts.quick, sender);
  const runner = new WindowRunner(context, { ...options, chain });
  return new WindowScheduler(context, { ledger, runner, assets: toAssets(options.config) });
}

/** Without the oracle's own stream no window can be decided. */
function toAssets({ pythUrl, assets }: PriceConfig): QuickAsset[] {
  return pythUrl === undefined ? [] : assets.map(({ asset, pyth }) => ({ asset, feedId: pyth }));
}
