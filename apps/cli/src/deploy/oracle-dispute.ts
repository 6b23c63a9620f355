// Disputes a proposal and decides a dispute with transactions to the oracle, whose gas the wallet pays.
import { asHex } from '@presage/protocol';
import type { OracleCall } from '@presage/sdk';
import type { Call } from '../command-spec.ts';
import type { Context } from '../context.ts';
import { UsageError } from '../exit-codes.ts';
import { findMarket } from '../find-market.ts';
import { NodeAccess, readSigner, withNode } from './node-access.ts';

export interface OracleOptions {
  readonly rpc: string;
  readonly key: string;
}

type OracleCalls = readonly [OracleCall, ...OracleCall[]];

export async function disputeProposal({ context, args: [text = ''], options }: Call<OracleOptions>): Promise<void> {
  const { id } = await findMarket(context, text);
  const { address } = readSigner(options.key, context.env);
  const [approve, dispute] = await context.reader.getDisputeCalls(id, address, { signal: context.signal });
  if (approve === undefined || dispute === undefined)
    throw new UsageError('there is nothing to dispute', 'See the state with `presage resolve status`.');
  await sendCalls(context, options, [approve, dispute], { marketId: id, done: 'disputed' });
}

export async function arbitrateDispute(call: Call<OracleOptions>): Promise<void> {
  const { context, args, options } = call;
  const [text = '', verdict = ''] = args;
  const isTrue = parseVerdict(verdict);
  const { id } = await findMarket(context, text);
  const arbitrate = await context.reader.getArbitrationCall(id, isTrue, { signal: context.signal });
  const done = isTrue ? 'the proposal was true' : 'the proposal was false';
  await sendCalls(context, options, [arbitrate], { marketId: id, done });
}

function parseVerdict(text: string): boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  throw new UsageError(`"${text}" is not a verdict`, 'Write true if the proposal was true, otherwise false.');
}

interface Report {
  readonly marketId: string;
  readonly done: string;
}

/** Sends the calls one after another: each is mined before the next is sent. */
async function sendCalls(context: Context, { rpc, key }: OracleOptions, calls: OracleCalls, report: Report) {
  await withNode(rpc, async () => {
    const [{ chainId }] = calls;
    const node = await NodeAccess.open(rpc, readSigner(key, context.env), chainId);
    let txHash = '';
    for (const { to, data, text } of calls) {
      context.output.note(`${text}...`);
      txHash = await node.send({ to: asHex(to), data: asHex(data) }, context.signal);
    }
    const facts = { market: report.marketId, done: report.done, transaction: txHash };
    context.output.showFacts({ ...report, txHash }, facts);
  });
}
