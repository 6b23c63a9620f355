// What the chain's tests share: a chain process that is cleaned up, raw requests, signed transactions and a witness contract.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Hex } from '@presage/protocol';
import { hexToNumber } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { type ChainProcess, type ChainProcessOptions, openChainProcess } from '../../testkit/src/chain-process.ts';
import { type SandboxRole, sandboxKeys } from '../src/sandbox-keys.ts';

export type { ChainProcess };

export async function makeDataDir(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'presage-chain-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

export async function startChain(options: ChainProcessOptions = {}): Promise<ChainProcess> {
  const chain = await openChainProcess(options);
  onTestFinished(() => chain.kill());
  return chain;
}

/** One chain for a whole file of tests that do not disturb each other: a process takes most of a second to start. */
export function shareChain(): { readonly url: string; readonly wsUrl: string } {
  let chain: ChainProcess | undefined;
  beforeAll(async () => {
    chain = await openChainProcess();
  });
  afterAll(() => chain?.kill());
  return {
    get url() {
      return chain!.url;
    },
    get wsUrl() {
      return chain!.wsUrl;
    },
  };
}

export interface RpcFault {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** The result, or the error object as it came over the wire. */
export async function ask<T>(url: string, method: string, ...params: unknown[]): Promise<T> {
  const { result, error } = await post(url, { jsonrpc: '2.0', id: 1, method, params });
  if (error) throw Object.assign(new Error(error.message), error);
  return result as T;
}

/** Many questions of one kind, a hundred in a request: a request for each would take longer than what is shown with them. */
export async function askAll<T>(url: string, method: string, all: readonly (readonly unknown[])[]): Promise<T[]> {
  const results: T[] = [];
  for (let first = 0; first < all.length; first += 100) {
    const calls = all.slice(first, first + 100).map((params, id) => ({ jsonrpc: '2.0', id, method, params }));
    const answers = await post<readonly { readonly id: number; readonly result: T }[]>(url, calls);
    results.push(...answers.toSorted((a, b) => a.id - b.id).map(({ result }) => result));
  }
  return results;
}

export async function askForFault(url: string, method: string, ...params: unknown[]): Promise<RpcFault> {
  const { result, error } = await post(url, { jsonrpc: '2.0', id: 1, method, params });
  if (!error) throw new Error(`${method} was expected to fail but answered ${JSON.stringify(result)}`);
  return error;
}

export async function post<T = { result?: unknown; error?: RpcFault }>(url: string, body: unknown): Promise<T> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: text });
  return (await response.json()) as T;
}

export interface TransactionParams {
  readonly nonce: number;
  readonly to?: Hex;
  readonly data?: Hex;
  readonly value?: bigint;
  readonly gas?: bigint;
  readonly feeWei?: bigint;
}

/** Working out an account from its key takes as long as a signature. */
const accounts = new Map(sandboxKeys.map(({ role, privateKey }) => [role, privateKeyToAccount(privateKey)]));

export async function signAs(role: SandboxRole, params: TransactionParams): Promise<Hex> {
  const { nonce, to, data, value = 0n, gas = 100_000n, feeWei = 0n } = params;
  return accounts.get(role)!.signTransaction({
    type: 'eip1559',
    chainId: 31337,
    nonce,
    value,
    gas,
    maxFeePerGas: feeWei,
    maxPriorityFeePerGas: feeWei,
    ...(to ? { to } : {}),
    ...(data ? { data } : {}),
  });
}

export async function sendAs(url: string, role: SandboxRole, params: TransactionParams): Promise<Hex> {
  return ask<Hex>(url, 'eth_sendRawTransaction', await signAs(role, params));
}

export interface BlockView {
  readonly number: number;
  readonly hash: Hex;
  readonly timestamp: number;
  readonly stateRoot: Hex;
  readonly baseFeePerGas: Hex;
  readonly gasUsed: Hex;
  readonly transactions: readonly Hex[];
}

type WireBlock = Omit<BlockView, 'number' | 'timestamp'> & { readonly number: Hex; readonly timestamp: Hex };

export async function readBlock(url: string, tag: string | number = 'latest'): Promise<BlockView> {
  const at = typeof tag === 'number' ? `0x${tag.toString(16)}` : tag;
  return toBlockView(await ask<WireBlock>(url, 'eth_getBlockByNumber', at, false));
}

/** From this one to the newest. */
export async function readBlocks(url: string, from: number): Promise<BlockView[]> {
  const { number } = await readBlock(url);
  const wanted = Array.from({ length: number - from + 1 }, (_, index) => [`0x${(from + index).toString(16)}`, false]);
  return (await askAll<WireBlock>(url, 'eth_getBlockByNumber', wanted)).map(toBlockView);
}

function toBlockView(block: WireBlock): BlockView {
  return { ...block, number: hexToNumber(block.number), timestamp: hexToNumber(block.timestamp) };
}

export interface ReceiptView {
  readonly status: Hex;
  readonly blockHash: Hex;
  readonly blockNumber: Hex;
  readonly contractAddress: Hex;
}

export function readReceipt(url: string, hash: Hex): Promise<ReceiptView | null> {
  return ask(url, 'eth_getTransactionReceipt', hash);
}

/** Returns (block.timestamp, block.number) and emits one log with topic 0x42. */
const WITNESS_RUNTIME = '425f5243602052604260405fa160405ff3';
const WITNESS_CREATION: Hex = `0x60${(WITNESS_RUNTIME.length / 2).toString(16)}8060095f395ff3${WITNESS_RUNTIME}`;

export async function deployWitness(url: string, nonce = 0): Promise<Hex> {
  const hash = await sendAs(url, 'owner', { nonce, data: WITNESS_CREATION });
  const receipt = await readReceipt(url, hash);
  if (!receipt) throw new Error('the witness was not mined');
  return receipt.contractAddress;
}

export async function readWitness(url: string, address: Hex, tag?: string): Promise<{ time: number; number: number }> {
  const output = await ask<Hex>(url, 'eth_call', { to: address, data: '0x' }, ...(tag ? [tag] : []));
  return { time: Number(output.slice(0, 66)), number: Number(`0x${output.slice(66)}`) };
}

export const SOMEBODY: Hex = '0x00000000000000000000000000000000005a3e00';
