// Typed access to our contracts on one chain: the only place where addresses meet ABIs.
import {
  conditionalTokensWithPermitAbi,
  eventFactoryAbi,
  eventMarketAbi,
  marketAbi,
  marketFactoryAbi,
  optimisticOracleAbi,
  presageSettlementAbi,
  priceOracleAbi,
  quickMarketAbi,
  quickMarketFactoryAbi,
  testStablecoinAbi,
} from '@presage/contracts';
import { type Address, zeroAddress } from 'viem';
import { decodeAggregate, encodeAggregate, type GatheredResult } from './multicall.ts';
import { garbage } from './quantity.ts';
import { decodeRevert } from './reverts.ts';
import type { Rpc } from './rpc.ts';
import type { ChainSettings } from './setup/chain-settings.ts';
import {
  type ContractCall,
  type ContractRead,
  ContractReverted,
  callContract,
  type ReadBlock,
  TypedContract,
} from './typed-contract.ts';

export type Deployment = ChainSettings['contracts'];
export type Contracts = ReturnType<typeof createContracts>;
export type EventContracts = NonNullable<ReturnType<typeof createEventContracts>>;
type ConditionalTokens = TypedContract<typeof conditionalTokensWithPermitAbi>;
export type QuickContracts = NonNullable<ReturnType<typeof createQuickContracts>>;

export function createContracts(options: { readonly rpc: Rpc; readonly deployment: Deployment }) {
  const { rpc, deployment } = options;
  const conditionalTokens = new TypedContract(rpc, deployment.conditionalTokens, conditionalTokensWithPermitAbi);
  const quick = createQuickContracts(rpc, deployment);
  const events = createEventContracts(rpc, deployment);
  return {
    settlement: new TypedContract(rpc, deployment.settlement, presageSettlementAbi),
    conditionalTokens,
    marketFactory: new TypedContract(rpc, deployment.marketFactory, marketFactoryAbi),
    oracle: new TypedContract(rpc, deployment.oracle, optimisticOracleAbi),
    stablecoin: new TypedContract(rpc, deployment.stablecoin, testStablecoinAbi),
    market: (address: Address) => new TypedContract(rpc, address, marketAbi),
    ...(quick && { quick }),
    ...(events && { events }),
    readingShares: (owner: Address, tokenId: bigint) => readingShares(conditionalTokens, owner, tokenId),
    /** Reads any of these contracts in one call on one block. */
    readTogether: <const R extends readonly ContractRead<unknown>[]>(reads: R, together?: MulticallOptions) =>
      readTogether({ rpc, multicall: deployment.multicall }, reads, together),
    /** Combines calls that any account may make into one; a failing call is skipped. */
    callTogether: (calls: readonly ContractCall[]): ContractCall => ({
      to: deployment.multicall,
      data: encodeAggregate(calls),
    }),
  };
}

/**
 * Reads the shares that the owner holds. Asked about the zero address, the contract would revert, and with it every
 * read of the same call, so the answer is given here.
 */
function readingShares(tokens: ConditionalTokens, owner: Address, tokenId: bigint): ContractRead<bigint> {
  if (owner !== zeroAddress) return tokens.reading('balanceOf', [owner, tokenId]);
  return { ...tokens.reading('nonces', [owner]), decode: () => 0n };
}

function createEventContracts(rpc: Rpc, { eventFactory }: Deployment) {
  if (eventFactory === undefined) return undefined;
  return {
    factory: new TypedContract(rpc, eventFactory, eventFactoryAbi),
    event: (address: Address) => new TypedContract(rpc, address, eventMarketAbi),
  };
}

function createQuickContracts(rpc: Rpc, { priceOracle, quickMarketFactory }: Deployment) {
  if (priceOracle === undefined || quickMarketFactory === undefined) return undefined;
  return {
    factory: new TypedContract(rpc, quickMarketFactory, quickMarketFactoryAbi),
    oracle: new TypedContract(rpc, priceOracle, priceOracleAbi),
    market: (address: Address) => new TypedContract(rpc, address, quickMarketAbi),
  };
}

export type ReadResults<R extends readonly ContractRead<unknown>[]> = {
  -readonly [K in keyof R]: R[K] extends ContractRead<infer T> ? T : never;
};

export interface MulticallOptions {
  readonly block?: ReadBlock;
  /** Most reads of one call, which keeps it below the gas that nodes grant to eth_call. */
  readonly maxReads?: number;
}

const DEFAULT_MAX_READS = 250;

/**
 * Returns all results in order, or throws `ContractReverted` naming the first that fails. For more reads than
 * `maxReads`, pass a block so that all see the same state.
 */
async function readTogether<const R extends readonly ContractRead<unknown>[]>(
  target: { readonly rpc: Rpc; readonly multicall: Address },
  reads: R,
  options: MulticallOptions = {},
): Promise<ReadResults<R>> {
  const size = options.maxReads ?? DEFAULT_MAX_READS;
  const results: unknown[] = [];
  for (let start = 0; start < reads.length; start += size) {
    results.push(...(await readChunk(target, reads.slice(start, start + size), options.block)));
  }
  // One result for each read, in the order of the reads.
  return results as ReadResults<R>;
}

async function readChunk(
  target: { readonly rpc: Rpc; readonly multicall: Address },
  reads: readonly ContractRead<unknown>[],
  block: ReadBlock = 'latest',
): Promise<unknown[]> {
  const answer = await callContract(target.rpc, { to: target.multicall, data: encodeAggregate(reads) }, block);
  const results = decodeAggregate(answer);
  if (results.length !== reads.length) throw garbage(`${reads.length} results of Multicall3`, results.length);
  return reads.map((read, index) => decodeOne(read, results[index]!));
}

function decodeOne(read: ContractRead<unknown>, result: GatheredResult): unknown {
  if (result.success) return read.decode(result.returnData);
  const revert = decodeRevert(result.returnData);
  throw new ContractReverted(revert ?? { name: 'Unknown', args: [], message: `${read.to} refused the read` }, read);
}
