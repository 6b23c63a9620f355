// Sends a call that only the owner of a contract may make: directly if the key owns it, or in two steps through the timelock that owns it.
import { TypedContract } from '@presage/chain';
import { ownerTimelockAbi, presageSettlementAbi } from '@presage/contracts';
import type { Hex } from '@presage/protocol';
import { isAddressEqual, zeroHash } from 'viem';
import { drawTime } from '../durations.ts';
import { UsageError } from '../exit-codes.ts';
import type { NodeAccess, SentCall } from './node-access.ts';

/** The period in which the timelock lets an announced call be carried out. */
const EXECUTION_WINDOW_SECONDS = 14n * 86_400n;

export interface OwnerReport {
  readonly done: 'sent' | 'announced' | 'withdrawn';
  readonly txHash: Hex;
  /** Unix seconds from which an announced call can be carried out. */
  readonly from?: number;
}

export async function sendAsOwner(node: NodeAccess, call: SentCall, signal: AbortSignal): Promise<OwnerReport> {
  // Every contract with an owner has the same `owner` function.
  const owner = await new TypedContract(node.rpc, call.to, presageSettlementAbi).read('owner', []);
  if (isAddressEqual(owner, node.account.address)) return { done: 'sent', txHash: await node.send(call, signal) };
  return sendThrough(owner, { node, call, signal });
}

interface TimelockStep {
  readonly node: NodeAccess;
  readonly call: SentCall;
  readonly signal: AbortSignal;
}

/** Takes one step per run: announces the call, carries it out once the delay is over, or withdraws an expired announcement. */
async function sendThrough(owner: Hex, { node, call, signal }: TimelockStep): Promise<OwnerReport> {
  const timelock = new TypedContract(node.rpc, owner, ownerTimelockAbi);
  if ((await node.rpc.request('eth_getCode', [owner, 'latest'])) === '0x')
    throw new UsageError(
      `the owner of the contracts is ${owner}, not ${node.account.address}`,
      'Sign with the key of the owner.',
    );
  // The timelock forgets an announcement that was carried out, so the same salt can be used every time.
  const announced = [call.to, call.data, zeroHash] as const;
  const id = await timelock.read('idOf', announced);
  const from = await timelock.read('executableFrom', [id]);
  if (from === 0n) {
    const txHash = await node.send(timelock.call('announce', announced), signal);
    return { done: 'announced', txHash, from: Number(await timelock.read('executableFrom', [id])) };
  }
  const now = await readChainTime(node);
  if (now < from)
    throw new UsageError(
      `the call is announced and can be executed from ${drawTime(Number(from))} UTC`,
      'Run the same command again then.',
    );
  if (now > from + EXECUTION_WINDOW_SECONDS)
    return { done: 'withdrawn', txHash: await node.send(timelock.call('withdraw', [id]), signal) };
  return { done: 'sent', txHash: await node.send(timelock.call('execute', announced), signal) };
}

async function readChainTime({ rpc }: NodeAccess): Promise<bigint> {
  // `BigInt` throws if the field is missing or not a number.
  const block = (await rpc.request('eth_getBlockByNumber', ['latest', false])) as { timestamp?: unknown } | null;
  return BigInt(String(block?.timestamp));
}
