// Opens the indexer of one chain with the followers that write down what its blocks hold.
import type { Rpc } from '@presage/chain';
import type {
  ChainRewound,
  HaltNote,
  MarketId,
  MarketResolution,
  PayoutRedeemed,
  SharesMoved,
} from '@presage/protocol';
import type { ChainReads } from '../chains/chain-reads.ts';
import type { TradingHalts } from '../chains/trading-halts.ts';
import type { ChainConfig } from '../config.ts';
import { type HaltCommands, HaltFollower } from './halt-follower.ts';
import { Indexer, type IndexerCommands, type IndexerOptions } from './indexer.ts';
import { ResolutionFollower } from './resolution-follower.ts';
import { ShareFollower } from './share-follower.ts';

type Kept = 'cursor' | 'saveCursor' | 'onTrouble' | 'onTooDeep' | 'pollMs' | 'idleMs';

export interface OpenIndexerOptions extends Pick<IndexerOptions, Kept> {
  readonly rpc: Rpc;
  readonly chain: ChainConfig;
  readonly reads: ChainReads;
  readonly commands: IndexerCommands &
    HaltCommands & {
      changeResolution(marketId: MarketId, resolution: MarketResolution): Promise<void>;
    };
  readonly halts: TradingHalts;
  /** Into the partition of the chain; durable, and in `halts`, when it resolves. */
  readonly noteHalt: (halt: HaltNote) => Promise<void>;
  readonly nowMs: () => number;
  /** Into the partition of the markets; durable when it resolves. */
  readonly note: (record: SharesMoved | PayoutRedeemed | ChainRewound) => Promise<void>;
}

export function openIndexer({ chain, nowMs, note, halts, noteHalt, ...options }: OpenIndexerOptions): Indexer {
  const { reads, commands } = options;
  const { chainId, confirmations, fromBlock, contracts } = chain;
  const place = { chainId, ...contracts };
  return new Indexer({
    ...options,
    place,
    confirmations,
    fromBlock,
    marketFactory: contracts.marketFactory,
    followers: [
      new ResolutionFollower({ ...place, reads, change: (...change) => commands.changeResolution(...change) }),
      new ShareFollower({ ...place, reads, nowMs, note }),
      new HaltFollower({ ...place, commands, halts, note: noteHalt }),
    ],
    noteRewind: (toBlock, cause) => note({ type: 'chain-rewound', timeMs: nowMs(), chainId, toBlock, cause }),
  });
}
