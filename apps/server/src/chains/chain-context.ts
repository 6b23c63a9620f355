// Context of the modules of one chain: its settings and contracts, the engine's reads and commands, clock and log.
import type { Contracts, NodeReader, Rpc } from '@presage/chain';
import { type Address, type ChainIdentity, toLowerHex } from '@presage/protocol';
import type { Clock } from '../clock.ts';
import type { ChainConfig } from '../config.ts';
import type { HostCommands } from '../host/host-commands.ts';
import type { NotedRecord } from '../host/ports.ts';
import type { Log } from '../log/log.ts';
import type { ChainReads } from './chain-reads.ts';

/** Engine commands triggered by events on a chain. */
type ChainCommands = Pick<
  HostCommands,
  | 'listMarket'
  | 'closeVanished'
  | 'cancelOnChain'
  | 'cancelHalted'
  | 'cancelUncovered'
  | 'changeResolutions'
  | 'changeTrades'
>;

type ContractName = 'settlement' | 'conditionalTokens' | 'stablecoin' | 'marketFactory' | 'oracle' | 'multicall';
export type ContractAddresses = Readonly<Record<ContractName, Address>>;

export function toContractAddresses(contracts: ChainConfig['contracts']): ContractAddresses {
  return {
    settlement: toLowerHex(contracts.settlement),
    conditionalTokens: toLowerHex(contracts.conditionalTokens),
    stablecoin: toLowerHex(contracts.stablecoin),
    marketFactory: toLowerHex(contracts.marketFactory),
    oracle: toLowerHex(contracts.oracle),
    multicall: toLowerHex(contracts.multicall),
  };
}

export interface ChainContext {
  readonly chain: ChainConfig;
  /** Configured addresses in lower case, for comparison with logs and records. */
  readonly addresses: ContractAddresses;
  readonly identity: ChainIdentity;
  readonly rpc: Rpc;
  /** Reader of the chain's blocks and transactions, shared by all modules. */
  readonly node: NodeReader;
  readonly contracts: Contracts;
  /** The engine's durable state, without the markets of other chains. */
  readonly reads: ChainReads;
  readonly commands: ChainCommands;
  /** Appends records to the partitions of their markets, one frame per partition; resolves when they are durable. */
  readonly note: (...records: readonly NotedRecord[]) => Promise<void>;
  /** The service's clock. */
  readonly clock: Clock;
  /** Adds the chain id to every line. */
  readonly log: Log;
  /** Polling interval while a change is expected, such as a receipt. */
  readonly pollMs: number;
  /** Polling interval while nothing is pending. */
  readonly idleMs: () => number;
}
