// Stops and resumes settlement on chain, of one market or of all: at once, or through the timelock that owns the contracts.
import { presageSettlementAbi } from '@presage/contracts';
import { asHex, type Hex } from '@presage/protocol';
import { encodeFunctionData } from 'viem';
import type { Call } from '../command-spec.ts';
import type { Context } from '../context.ts';
import { drawTime } from '../durations.ts';
import { UsageError } from '../exit-codes.ts';
import { findMarket } from '../find-market.ts';
import { chainOf } from '../values.ts';
import { NodeAccess, readSigner, type SentCall, withNode } from './node-access.ts';
import { sendAsOwner } from './owner-call.ts';

export interface SwitchOptions {
  readonly rpc: string;
  readonly key: string;
  readonly chain?: string;
}

interface Target {
  readonly settlement: Hex;
  readonly chainId: number;
  /** Undefined for all markets. */
  readonly marketId: Hex | undefined;
}

interface Report {
  readonly done: 'paused' | 'resumed' | 'announced' | 'withdrawn';
  readonly txHash: Hex;
  /** Unix seconds from which an announced call can be carried out. */
  readonly from?: number;
}

export async function switchSettlement(direction: 'pause' | 'resume', call: Call<SwitchOptions>): Promise<void> {
  const { context, args, options } = call;
  const target = await findTarget(context, args[0], options);
  await withNode(options.rpc, async () => {
    const node = await NodeAccess.open(options.rpc, readSigner(options.key, context.env), target.chainId);
    const report = await (direction === 'pause' ? pause : resume)(target, node, context.signal);
    show(context, target, report);
  });
}

async function pause(target: Target, node: NodeAccess, signal: AbortSignal): Promise<Report> {
  return { done: 'paused', txHash: await node.send(toCall(target, true), signal) };
}

async function resume(target: Target, node: NodeAccess, signal: AbortSignal): Promise<Report> {
  const { done, ...sent } = await sendAsOwner(node, toCall(target, false), signal);
  return { ...sent, done: done === 'sent' ? 'resumed' : done };
}

async function findTarget(context: Context, text: string | undefined, options: SwitchOptions): Promise<Target> {
  const market = text === undefined ? undefined : await findMarket(context, text);
  const { chains } = await context.config();
  const wanted = market?.chainId ?? chainOf(options).chainId ?? chains[0]?.chainId;
  const chain = chains.find(({ chainId }) => chainId === wanted);
  if (chain === undefined)
    throw new UsageError(`${context.url} does not serve chain ${wanted}`, 'Name one of its chains with --chain.');
  const { chainId, settlement } = chain;
  return { settlement: asHex(settlement.address), chainId, marketId: market && asHex(market.id) };
}

function toCall({ settlement: to, marketId }: Target, isPaused: boolean): SentCall {
  const abi = presageSettlementAbi;
  if (marketId === undefined)
    return { to, data: encodeFunctionData({ abi, functionName: isPaused ? 'pause' : 'unpause' }) };
  return { to, data: encodeFunctionData({ abi, functionName: 'setMarketPaused', args: [marketId, isPaused] }) };
}

const WORDS: Readonly<Record<Report['done'], string>> = {
  paused: 'paused',
  resumed: 'resumed',
  announced: 'announced to the timelock; run the same command again after the delay',
  withdrawn: 'announced too long ago, now withdrawn; run the same command again',
};

function show({ output }: Context, { chainId, marketId }: Target, { done, txHash, from }: Report): void {
  const subject = marketId ?? 'all';
  output.showFacts(
    { chainId, market: subject, done, txHash, ...(from !== undefined && { from }) },
    {
      market: marketId ?? `all of chain ${chainId}`,
      settlement: WORDS[done],
      ...(from !== undefined && { from: `${drawTime(from)} UTC` }),
      transaction: txHash,
    },
  );
}
