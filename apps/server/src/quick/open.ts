// Opens the quick markets of one chain.

import type { Contracts, Rpc, SenderPort } from '@presage/chain';
import type { AssetFeeds, QuickMarketChanged } from '@presage/protocol';
import type { Log } from '../log/log.ts';
import type { QuickIds, QuickJournal, QuickListings, QuickPrices } from './ports.ts';
import { QuickChain } from './quick-chain.ts';
import type { QuickPlace } from './quick-facts.ts';
import { QuickLedger } from './quick-ledger.ts';
import { QuickMarkets } from './quick-markets.ts';
import { WindowRunner } from './window-runner.ts';

export { QuickLedger };

export interface QuickOpenOptions {
  readonly assets: readonly Pick<AssetFeeds, 'asset' | 'pyth'>[];
  readonly rpc: Rpc;
  readonly contracts: Contracts;
  readonly sender: SenderPort;
  readonly fromBlock: number;
  readonly place: QuickPlace;
  readonly prices: QuickPrices;
  readonly journal: QuickJournal;
  /** What earlier runs left, oldest first. */
  readonly records: Iterable<QuickMarketChanged>;
  /** The highest id that a window ever had; absent where the records say it. */
  readonly lastId?: number;
  /** Shared by all chains. */
  readonly ids: QuickIds;
  readonly listings: QuickListings;
  readonly clock: { nowMs(): number; nowSeconds(): number };
  readonly log: Log;
}

/** Undefined where the chain has no contracts for them. */
export function openQuickMarkets(options: QuickOpenOptions): QuickMarkets | undefined {
  const { rpc, contracts, sender, fromBlock, prices, journal, ids, listings, place, clock, log } = options;
  if (contracts.quick === undefined) return undefined;
  const ledger = new QuickLedger(options.records);
  ledger.raiseId(options.lastId ?? 0);
  ids.raise(ledger.lastId);
  const chain = new QuickChain({ rpc, contracts: contracts.quick, sender, fromBlock });
  const runner = new WindowRunner({ ledger, ids, chain, prices, journal, listings, place, clock });
  const assets = options.assets.map(({ asset, pyth }) => ({ asset, feedId: pyth }));
  return new QuickMarkets({ assets, ledger, runner, prices, listings, clock, log });
}
