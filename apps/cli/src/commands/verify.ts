// `presage verify`: checks an exchange from outside, and says in words what it found.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { openSignerRecovery } from '@presage/protocol/signer';
import { readFileIfPresent, writeFileAtomically } from '@presage/runtime/node';
import { formatAmount } from '@presage/sdk';
import { type KeptReceipt, type VerifiedPoint, type VerifyResult, verifyExchange } from '@presage/sdk/verify';
import type { Command } from 'commander';
import type { Act, Call } from '../act.ts';
import { UnsoundError, UsageError } from '../exit-codes.ts';
import type { Colors } from '../output.ts';

interface VerifyFlags {
  readonly rpc?: string;
  readonly receipts?: string;
  readonly state?: string;
  readonly signatures: boolean;
}

const NOTE_EVERY_MS = 1_000;

export function addVerify(program: Command, act: Act): void {
  program
    .command('verify')
    .description('check the whole exchange from outside: nobody passed over, nothing made up, every share backed')
    .option('--rpc <url>', 'a node of your own choice: settled trades and collateral are compared with the chain')
    .option('--receipts <file>', 'your receipts: JSON list of {orderHash, receipt}, as answers to orders gave them')
    .option('--state <file>', 'remembers where this verification ended; the next one proves that history was kept')
    .option('--no-signatures', 'leave the signers of orders unchecked, which is quicker')
    .action(act<VerifyFlags>(verify));
}

async function verify({ context, options }: Call<VerifyFlags>): Promise<void> {
  const { url, output } = context;
  let notedMs = performance.now();
  const result = await verifyExchange({
    url,
    rpcUrl: options.rpc,
    signatures: options.signatures,
    receipts: options.receipts === undefined ? [] : await readReceipts(options.receipts),
    former: options.state === undefined ? undefined : await readPoint(options.state),
    recovery: await openSignerRecovery(),
    sha256: (bytes) => createHash('sha256').update(bytes).digest(),
    onProgress: ({ records, total }) => {
      if (performance.now() - notedMs < NOTE_EVERY_MS) return;
      notedMs = performance.now();
      output.note(`${records} of ${total} records`);
    },
  });
  output.show(toJson(url, result), () => draw(url, result, output.colors));
  if (!result.sound) throw new UnsoundError('the exchange is not what it claims to be');
  if (options.state !== undefined) await writeFileAtomically(options.state, `${JSON.stringify(result.point)}\n`);
}

async function readReceipts(file: string): Promise<KeptReceipt[]> {
  try {
    const list = JSON.parse(await readFile(file, 'utf8')) as KeptReceipt[];
    if (Array.isArray(list) && list.every((each) => each.orderHash && each.receipt?.signature)) return list;
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${String(error)}`);
  }
  throw new UsageError(`${file} is not a list of receipts`, 'Write [{"orderHash": "0x…", "receipt": {…}}].');
}

async function readPoint(file: string): Promise<VerifiedPoint | undefined> {
  const text = await readFileIfPresent(file);
  if (text === undefined) return undefined;
  const point = JSON.parse(text) as VerifiedPoint;
  if (typeof point.lastSeq === 'number' && typeof point.frameHash === 'string') return point;
  throw new UsageError(`${file} does not hold the end of a verification`);
}

/** Maps and sums as JSON has them. */
function toJson(url: string, { chain, ...result }: VerifyResult): object {
  if (chain === undefined) return { url, ...result };
  return { url, ...result, chain: { ...chain, collateral: Object.fromEntries(chain.collateral) } };
}

function draw(url: string, result: VerifyResult, colors: Colors): string {
  const { counts, violation, point } = result;
  const rate = Math.round(counts.records / Math.max(result.seconds, 0.001));
  const pace = `${counts.records} records of ${counts.frames} frames in ${result.seconds} s (${rate} a second)`;
  if (violation !== undefined) {
    const place = violation.seq === undefined ? '' : ` At record ${violation.seq}.`;
    return [
      `${colors.red('NOT SOUND')}  ${url}`,
      `${capitalise(violation.meaning)}.${place}`,
      `${violation.kind}: ${violation.detail}`,
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
    `Until record ${point.lastSeq}, ${new Date(point.timeMs).toISOString()}, frame ${point.frameHash}`,
  ].join('\n');
}

function signatureText({ counts }: VerifyResult): string {
  const { orders, signatures, contractOrders } = counts;
  if (signatures + contractOrders < orders) return '; signers were not checked';
  const ofContracts = contractOrders === 0 ? '' : ` (${contractOrders} of contracts, which only the chain can judge)`;
  return `, signed by its wallet${ofContracts}`;
}

function solvencyLines({ solvency, chain, counts }: VerifyResult): string[] {
  if (solvency === undefined) return [];
  const { markets, yesShares, noShares, collateral, bonds } = solvency.totals;
  const shares = `${formatAmount(yesShares)} YES and ${formatAmount(noShares)} NO`;
  const lines = [
    `Solvency     ${shares} in ${markets} markets against ${formatAmount(collateral)} of collateral; bonds ${formatAmount(bonds)}`,
  ];
  if (chain === undefined) return [...lines, 'Chain        not compared: give --rpc'];
  const drift = chain.drifting.length === 0 ? '' : `; ${chain.drifting.length} markets on their way`;
  lines.push(
    `Chain        ${chain.tradesOnChain} settled trades are in its blocks until ${chain.block}, and the collateral is there${drift}`,
  );
  lines.push(`Anchors      ${counts.anchors} on chain name this very history`);
  return lines;
}

function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
