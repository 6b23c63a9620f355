// Opens the quick markets of one chain: the read side on every node, the windows on the settler.
import type { SenderPort } from '@presage/chain';
import type { FeeRates } from '@presage/protocol';
import type { ChainContext } from '../chains/chain-context.ts';
import type { PriceConfig } from '../config/price-config.ts';
import { QuickChain } from './quick-chain.ts';
import { QuickMarkets, type QuickMarketsOptions } from './quick-markets.ts';
import { WindowRunner, type WindowRunnerOptions } from './window-runner.ts';
import { WindowScheduler } from './window-scheduler.ts';
import type { QuickAsset } from './window-step.ts';

export { QuickIds, QuickLedger } from './quick-ledger.ts';

interface OpenQuickOptions extends Omit<QuickMarketsOptions, 'assets'> {
  readonly config: PriceConfig;
}

/** Opens the read side; undefined if the chain has no contracts for quick markets. */
export function openQuickMarkets(context: ChainContext, options: OpenQuickOptions): QuickMarkets | undefined {
  if (context.contracts.quick === undefined) return undefined;
  return new QuickMarkets(context, { ...options, assets: toAssets(options.config) });
}

interface OpenWindowsOptions extends Omit<WindowRunnerOptions, 'chain'> {
  readonly config: PriceConfig;
  /** Fees that new markets charge takers. */
  readonly fees: FeeRates;
  readonly sender: SenderPort;
}

/** Opens the windows to run; undefined if the chain has no contracts for quick markets. */
export function openWindows(context: ChainContext, options: OpenWindowsOptions): WindowScheduler | undefined {
  const { ledger, ids, sender, fees } = options;
  const contracts = context.contracts.quick;
  if (contracts === undefined) return undefined;
  ids.raise(ledger.lastId);
  const chain = new QuickChain(context, { contracts, sender, fees });
  const runner = new WindowRunner(context, { ...options, chain });
  return new WindowScheduler(context, { ledger, runner, assets: toAssets(options.config) });
}

/** Assets with quick markets; none without a Pyth URL, since only the primary can decide windows. */
function toAssets({ pythUrl, assets }: PriceConfig): QuickAsset[] {
  return pythUrl === undefined ? [] : assets.map(({ asset, pyth }) => ({ asset, feedId: pyth }));
}
