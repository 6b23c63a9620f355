// `presage verify`: checks an exchange from outside, and reports the findings in words.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { readFileIfPresent, writeFileAtomically } from '@presage/runtime/node';
import { formatAmount } from '@presage/sdk';
import {
  type KeptReceipt,
  NodeUnusable,
  StateUnreadable,
  type VerifyProgress,
  type VerifyResult,
  verifyExchange,
} from '@presage/sdk/verify';
import { type Call, command, option } from '../command-spec.ts';
import { NodeUnreachable, UnsoundError, UsageError } from '../exit-codes.ts';
import { type Output, plain } from '../output.ts';
import { SignerThreads } from '../signer-threads.ts';
import type { Colors } from '../table.ts';

interface VerifyFlags {
  readonly rpc?: readonly string[];
  readonly receipts?: string;
  readonly state?: string;
  readonly signatures: boolean;
}

const NOTE_EVERY_MS = 1_000;

export const VERIFY = command(
  'verify',
  'check the whole exchange from outside: nobody passed over, nothing forged, every share backed',
  verify,
  option(
    '--rpc <url...>',
    'nodes of your own choice, one for each chain: settled trades and collateral are compared with them',
  ),
  option(
    '--receipts <file>',
    'your receipts: JSON list of {orderHash, receipt} from answers to orders; {orderHash} alone if an answer had none',
  ),
  option(
    '--state <file>',
    'file for the end of this verification; the next one resumes there and proves that history was not changed',
  ),
  option('--no-signatures', 'skip the signers of orders, which is faster'),
);

async function verify({ context, options }: Call<VerifyFlags>): Promise<void> {
  const { url, output } = context;
  const answers = options.receipts === undefined ? [] : await readAnswers(options.receipts);
  const state = options.state === undefined ? undefined : await readState(options.state);
  const threads = options.signatures ? await SignerThreads.open() : undefined;
  try {
    const result = await verifyExchange({
      url,
      rpcUrl: options.rpc,
      signatures: options.signatures,
      receipts: answers.filter(hasReceipt),
      answered: answers.map(({ orderHash }) => orderHash),
      state,
      recover: threads?.recover,
      sha256: (bytes) => createHash('sha256').update(bytes).digest(),
      onProgress: noteNowAndThen(output),
      signal: context.askedSignal,
    });
    output.show(toJson(url, result), () => draw(url, result, output.colors));
    if (!result.sound) throw new UnsoundError('the exchange is not what it claims to be');
    if (options.state !== undefined) await writeState(options.state, result);
  } catch (error) {
    if (error instanceof NodeUnusable) throw new NodeUnreachable(error.message);
    if (!(error instanceof StateUnreadable)) throw error;
    throw new UsageError(`${options.state}: ${error.message}`, 'Remove the file to verify from the start.');
  } finally {
    await threads?.close();
  }
}

function noteNowAndThen(output: Output): (progress: VerifyProgress) => void {
  let notedMs = performance.now();
  return ({ records, total, chain }) => {
    if (performance.now() - notedMs < NOTE_EVERY_MS) return;
    notedMs = performance.now();
    if (chain === undefined) output.note(`${records} of ${total} records`);
    else output.note(`${chain.blocks} of ${chain.total} blocks of chain ${chain.chainId}`);
  };
}

/** The service's answer to an order, as the trader saved it. */
type KeptAnswer = Pick<KeptReceipt, 'orderHash'> & Partial<KeptReceipt>;

function hasReceipt(answer: KeptAnswer): answer is KeptReceipt {
  return answer.receipt !== undefined;
}

async function readAnswers(file: string): Promise<KeptAnswer[]> {
  try {
    const list: KeptAnswer[] = JSON.parse(await readFile(file, 'utf8'));
    const isKept = ({ orderHash, receipt }: KeptAnswer) => orderHash && (receipt === undefined || receipt.signature);
    if (Array.isArray(list) && list.every(isKept)) return list;
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${String(error)}`);
  }
  throw new UsageError(`${file} is not a list of receipts`, 'Write [{"orderHash": "0x…", "receipt": {…}}].');
}

async function readState(file: string): Promise<string[] | undefined> {
  return (await readFileIfPresent(file))?.split('\n').filter((line) => line !== '');
}

async function writeState(file: string, { saveState }: VerifyResult): Promise<void> {
  await writeFileAtomically(file, [...(saveState?.() ?? []), ''].join('\n'));
}

/** The result for JSON: maps become objects, and the function that saves the state is left out. */
function toJson(url: string, { saveState, ...result }: VerifyResult): object {
  const chains = result.chains.map((chain) => ({ ...chain, collateral: Object.fromEntries(chain.collateral) }));
  return { url, ...result, chains };
}

function draw(url: string, result: VerifyResult, colors: Colors): string {
  const { counts, violation, points, resumedFrom = 0 } = result;
  const rate = Math.round((counts.records - resumedFrom) / Math.max(result.seconds, 0.001));
  const earlier = resumedFrom === 0 ? '' : `, ${resumedFrom} of them verified earlier and kept`;
  const pace = `${counts.records} records of ${counts.frames} frames${earlier}; ${result.seconds} s (${rate} a second)`;
  if (violation !== undefined) {
    const partition = violation.partition === undefined ? '' : ` of ${violation.partition}`;
    const place = violation.seq === undefined ? '' : ` At record ${violation.seq}${partition}.`;
    return [
      `${colors.red('NOT SOUND')}  ${url}`,
      `${capitalise(violation.meaning)}.${place}`,
      plain(`${violation.kind}: ${violation.detail}`),
      `Checked before that: ${pace}.`,
    ].join('\n');
  }
  return [
    `${colors.green('SOUND')}  ${url}`,
    `Hash chain   ${pace}`,
    `Orders       ${counts.orders}, each as its hash names it${signatureText(result)}`,
    `Matching     ${counts.trades} trades and ${counts.cancellations} cancellations, each decided again: nobody was passed over`,
    `Receipts     the head is signed by the operator${counts.receipts > 0 ? `, ${counts.receipts} of yours are kept` : ''}`,
    `Books        ${counts.books} shown as the journal has them`,
    ...solvencyLines(result),
    ...points.map((point) => {
      const partition = points.length > 1 ? ` of ${point.partition}` : '';
      return `Until record ${point.lastSeq}${partition}, ${new Date(point.timeMs).toISOString()}, frame ${point.frameHash}`;
    }),
  ].join('\n');
}

function signatureText({ counts, chains }: VerifyResult): string {
  const { orders, signatures, contractOrders, contractOrdersFound } = counts;
  if (signatures + contractOrders < orders) return '; signers were not checked';
  if (contractOrders === 0) return ', signed by its wallet';
  const judged = `${contractOrdersFound} whose contract is on chain, ${contractOrders - contractOrdersFound} not compared`;
  const asked = chains.length === 0 ? 'give --rpc to look for their contracts' : judged;
  return `, ${signatures} signed by their wallets, ${contractOrders} of contracts, which only the chain can judge (${asked})`;
}

function solvencyLines({ solvency, chains, counts }: VerifyResult): string[] {
  if (solvency === undefined) return [];
  const { markets, yesShares, noShares, collateral, bonds } = solvency.totals;
  const shares = `${formatAmount(yesShares)} YES and ${formatAmount(noShares)} NO`;
  const lines = [
    `Solvency     ${shares} in ${markets} markets against ${formatAmount(collateral)} of collateral; bonds ${formatAmount(bonds)}`,
  ];
  if (chains.length === 0) return [...lines, 'Chain        not compared: give --rpc'];
  for (const { chainId, tradesOnChain, block, drifting } of chains) {
    const drift = drifting.length === 0 ? '' : `; ${drifting.length} markets on their way`;
    lines.push(
      `Chain ${chainId}  ${tradesOnChain} settled trades are in its blocks until ${block}, and the collateral is there${drift}`,
    );
  }
  lines.push(`Anchors      ${counts.anchors} on chain name this very history`);
  return lines;
}

function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
