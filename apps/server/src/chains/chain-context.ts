// What every module of one chain works with.
import type { Contracts, NodeReader, Rpc } from '@presage/chain';
import { type Address, type ChainIdentity, toLowerHex } from '@presage/protocol';
import type { Clock } from '../clock.ts';
import type { ChainConfig } from '../config.ts';
import type { HostCommands } from '../host/host-commands.ts';
import type { PartitionHost } from '../host/ports.ts';
import type { Log } from '../log/log.ts';
import type { ChainReads } from './chain-reads.ts';

/** Commands that follow from what happens on a chain. */
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
  /** The configured addresses in lower case, to be compared with those of logs and records. */
  readonly addresses: ContractAddresses;
  readonly identity: ChainIdentity;
  readonly rpc: Rpc;
  /** The chain's blocks and transactions, for all who follow them. */
  readonly node: NodeReader;
  readonly contracts: Contracts;
  /** The engine's durable state, without the markets of other chains. */
  readonly reads: ChainReads;
  readonly commands: ChainCommands;
  /** Writes records into the partitions of their markets, those of one partition in one frame; durable when it resolves. */
  readonly note: PartitionHost['note'];
  /** The service's clock. */
  readonly clock: Clock;
  /** Names the chain in every line. */
  readonly log: Log;
  /** How often the chain is polled while something is expected of it. */
  readonly pollMs: number;
  /** How often the chain is polled while nothing moves. */
  readonly idleMs: () => number;
}
