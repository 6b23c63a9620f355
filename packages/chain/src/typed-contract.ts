// One contract at one address: typed reads, encoded calls, and simulation with a readable reason.
import { type Hex, isHex, PresageError } from '@presage/protocol';
import {
  type Abi,
  type Address,
  type ContractFunctionArgs,
  type ContractFunctionName,
  type ContractFunctionReturnType,
  decodeFunctionResult,
  encodeFunctionData,
  prepareEncodeFunctionData,
} from 'viem';
import { garbage, toQuantity } from './quantity.ts';
import { type DecodedRevert, decodeRevert } from './reverts.ts';
import { isRpcFailure, type Rpc, RpcError, RpcUnavailable } from './rpc.ts';

/** A prepared read, to be executed alone or together with others. */
export interface ContractRead<T> {
  readonly to: Address;
  readonly data: Hex;
  decode(data: Hex): T;
}

export interface ContractCall {
  readonly to: Address;
  readonly data: Hex;
}

/** The block whose state is read. */
export type ReadBlock = 'latest' | 'pending' | { readonly number: number } | { readonly hash: Hex };

/** The call would revert, or reverted. */
export class ContractReverted extends Error {
  override readonly name = 'ContractReverted';
  readonly revert: DecodedRevert;

  constructor(revert: DecodedRevert, cause: unknown) {
    super(revert.message, { cause });
    this.revert = revert;
  }
}

type ReadName<A extends Abi> = ContractFunctionName<A, 'view' | 'pure'>;
type WriteName<A extends Abi> = ContractFunctionName<A, 'nonpayable' | 'payable'>;
type ReadArgs<A extends Abi, N extends ReadName<A>> = ContractFunctionArgs<A, 'view' | 'pure', N>;
type WriteArgs<A extends Abi, N extends WriteName<A>> = ContractFunctionArgs<A, 'nonpayable' | 'payable', N>;
type ReadResult<A extends Abi, N extends ReadName<A>> = ContractFunctionReturnType<A, 'view' | 'pure', N>;
type WriteResult<A extends Abi, N extends WriteName<A>> = ContractFunctionReturnType<A, 'nonpayable' | 'payable', N>;

export class TypedContract<const A extends Abi> {
  readonly address: Address;
  readonly abi: A;
  readonly #rpc: Rpc;
  readonly #prepared = new Map<string, { abi: Abi; functionName: string }>();

  constructor(rpc: Rpc, address: Address, abi: A) {
    this.#rpc = rpc;
    this.address = address;
    this.abi = abi;
  }

  reading<N extends ReadName<A>>(functionName: N, args: ReadArgs<A, N>): ContractRead<ReadResult<A, N>> {
    return {
      to: this.address,
      data: this.#encode(functionName, args),
      // The ABI determines this type of the decoded result.
      decode: (data) => this.#decode(functionName, data) as ReadResult<A, N>,
    };
  }

  async read<N extends ReadName<A>>(
    functionName: N,
    args: ReadArgs<A, N>,
    block: ReadBlock = 'latest',
  ): Promise<ReadResult<A, N>> {
    const read = this.reading(functionName, args);
    return read.decode(await callContract(this.#rpc, read, block));
  }

  /** Call data of a transaction, for a `TransactionSender`. */
  call<N extends WriteName<A>>(functionName: N, args: WriteArgs<A, N>): ContractCall {
    return { to: this.address, data: this.#encode(functionName, args) };
  }

  /** The result if the call were mined now; throws `ContractReverted` if it would fail. */
  async simulate<N extends WriteName<A>>(
    functionName: N,
    args: WriteArgs<A, N>,
    options: { from: Address; gas?: bigint; gasPrice?: bigint; block?: ReadBlock },
  ): Promise<WriteResult<A, N>> {
    const { block: _, ...sender } = options;
    const call = { ...this.call(functionName, args), ...sender };
    // The ABI determines this type of the decoded result.
    return this.#decode(functionName, await callContract(this.#rpc, call, options.block)) as WriteResult<A, N>;
  }

  // viem derives these types again inside generic code and cannot see that they equal the ones above.
  #encode(functionName: string, args: unknown): Hex {
    const prepared = this.#prepare(functionName);
    return encodeFunctionData({ ...prepared, args: args as readonly unknown[] });
  }

  /**
   * Caches the ABI item: otherwise viem hashes the signature at every call, which costs more than the encoding.
   * Overloads are left to viem.
   */
  #prepare(functionName: string): { abi: Abi; functionName: string } {
    const known = this.#prepared.get(functionName);
    if (known !== undefined) return known;
    const items = this.abi.filter((item) => item.type === 'function' && item.name === functionName);
    const unprepared: { abi: Abi; functionName: string } = { abi: this.abi, functionName };
    const prepared = items.length === 1 ? prepareEncodeFunctionData(unprepared) : unprepared;
    this.#prepared.set(functionName, prepared);
    return prepared;
  }

  #decode(functionName: string, data: Hex): unknown {
    const abi: Abi = this.abi;
    return decodeFunctionResult({ abi, functionName, data });
  }
}

/** Without an address the data runs as creation code. */
interface QuestionedCall {
  readonly to?: Address;
  readonly data: Hex;
  readonly from?: Address;
  readonly gas?: bigint;
  /** The sender's balance must cover this price for all of the gas. */
  readonly gasPrice?: bigint;
}

export async function callContract(rpc: Rpc, call: QuestionedCall, block: ReadBlock = 'latest'): Promise<Hex> {
  const { to, data, from, gas, gasPrice } = call;
  const bound = {
    ...(gas !== undefined && { gas: toQuantity(gas) }),
    ...(gasPrice !== undefined && { gasPrice: toQuantity(gasPrice) }),
  };
  try {
    const result = await rpc.request('eth_call', [
      { ...(to && { to }), data, ...(from && { from }), ...bound },
      toBlockParameter(block),
    ]);
    if (!isHex(result)) throw garbage('the result of a call', result);
    return result;
  } catch (error) {
    throw toContractError(error);
  }
}

/** Returns the error, or its decoded contract error if the node reports a revert. */
export function toContractError(error: unknown): unknown {
  const revert = error instanceof RpcError ? decodeRevert(error) : null;
  return revert === null ? error : new ContractReverted(revert, error);
}

function toBlockParameter(block: ReadBlock): unknown {
  if (typeof block === 'string') return block;
  return 'hash' in block ? { blockHash: block.hash } : toQuantity(block.number);
}

/**
 * Turns failures into refusals for the caller: a contract's refusal is theirs to fix; an unreachable chain is nobody's
 * fault.
 */
export async function withRefusals<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof RpcUnavailable) throw new PresageError('chain_unavailable', { reason: error.message });
    if (error instanceof ContractReverted || isRpcFailure(error)) {
      throw new PresageError('simulation_failed', { reason: error.message });
    }
    throw error;
  }
}
