// The cost of receipts and publication: orders per second through the writer and its disk with both, with receipts only
// and with neither, in turn.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  DEFAULT_TERMS,
  type Hex,
  type Order,
  type SignedOrder,
  stringifyJson,
  toHex,
  toPrice,
  toSize,
  ZERO_ADDRESS,
} from '@presage/protocol';
import { openSigningKey } from '@presage/protocol/ed25519';
import { marketFacts, TEST_MARKET } from '@presage/testkit';
import { Host } from '../src/host/host.ts';
import { HostCommands } from '../src/host/host-commands.ts';
import { openJournal } from '../src/host/open.ts';
import { PublicJournal } from '../src/proof/public-journal.ts';
import { Receipts } from '../src/proof/receipts.ts';
import { openJournalDatabase } from '../src/store/open.ts';

const ORDERS = Number(process.argv[2] ?? 20_000);
const ROUNDS = Number(process.argv[3] ?? 7);
/** As many concurrent callers as in a busy service. */
const CALLERS = 256;
const EXPIRATION = BigInt(Math.floor(Date.now() / 1_000) + 86_400);

interface Run {
  readonly wallMs: number;
  readonly cpuMs: number;
}

/** Signatures are not checked after admission, so any bytes will do. */
function makeOrder(index: number): SignedOrder {
  const trader: Hex = `0x${(index % 64).toString(16).padStart(40, '1')}`;
  const isBuy = index % 2 === 0;
  const order: Order = {
    marketId: TEST_MARKET,
    trader,
    side: isBuy ? 0 : 1,
    outcome: 0,
    price: toPrice(isBuy ? 300_000 + (index % 1_000) : 700_000 - (index % 1_000)),
    size: toSize(1_000_000 + index),
    nonce: BigInt(index),
    expiration: EXPIRATION,
    makerFeeRecipient: ZERO_ADDRESS,
  };
  const orderHash = `0x${index.toString(16).padStart(64, '0')}` as const;
  return { orderHash, order, signature: toHex(new Uint8Array(65).fill(1)), terms: DEFAULT_TERMS };
}

const VARIANTS = ['neither', 'receipts', 'receipts and a reader'] as const;
type Variant = (typeof VARIANTS)[number];

async function run(variant: Variant): Promise<Run> {
  const isProven = variant !== 'neither';
  const dataDir = mkdtempSync(join(tmpdir(), 'presage-receipts-'));
  const receipts = new Receipts(openSigningKey('07'.repeat(32)));
  const onSealed = isProven ? receipts.prepare : () => undefined;
  const config = { dataDir, archiveDays: 0, journalUrl: undefined, leaseSeconds: 1, partitions: 1 };
  const where = { config, address: 'a benchmark', openDatabase: openJournalDatabase };
  const silent = { onProgress: () => undefined, onWarning: () => undefined };
  const journal = await openJournal({ ...where, ...silent, nowMs: Date.now, onFatal, onSealed });
  const log = journal.markets[0]!;
  const host = await Host.open({ log, nowMs: Date.now });
  const commands = new HostCommands([host], isProven ? receipts : undefined);
  const reading = new AbortController();
  const published = new PublicJournal({ markets: [log], others: () => [], receipts, nowMs: Date.now, delayMs: 0 });
  try {
    await commands.listMarket(marketFacts({ expiration: Number(EXPIRATION) + 86_400 }));
    if (variant === 'receipts and a reader') void follow(published, reading.signal);
    return await place(commands);
  } finally {
    reading.abort();
    await published.close();
    await host.close();
    await journal.close();
    rmSync(dataDir, { recursive: true });
  }
}

function onFatal(error: unknown): void {
  throw error;
}

/** One reader that keeps up, like a verifier; the cost of a page depends on readers, not on orders. */
async function follow(published: PublicJournal, signal: AbortSignal): Promise<void> {
  const partition = published.find('m0');
  for await (const _ of partition!.follow({ fromSeq: 1, limit: 1_000, isDecoded: false }, signal));
}

async function place(commands: HostCommands): Promise<Run> {
  const orders = Array.from({ length: ORDERS }, (_, index) => makeOrder(index));
  const [cpu, startMs] = [process.cpuUsage(), performance.now()];
  const caller = async () => {
    for (let order = orders.pop(); order !== undefined; order = orders.pop()) {
      // Serialises the answer, receipt included, as the API does.
      stringifyJson(await commands.placeOrder(order));
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  const { user, system } = process.cpuUsage(cpu);
  return { wallMs: performance.now() - startMs, cpuMs: (user + system) / 1_000 };
}

const runs = new Map<Variant, Run[]>(VARIANTS.map((variant) => [variant, []]));
for (let round = 0; round <= ROUNDS; round++) {
  // Variants alternate, so that other load on the machine affects all alike; the first round warms up and is not
  // counted.
  for (const variant of round % 2 === 0 ? VARIANTS : VARIANTS.toReversed()) {
    const each = await run(variant);
    if (round > 0) runs.get(variant)?.push(each);
  }
}
/** The median of the rounds, so that a moment of other load does not matter. */
const medianOf = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
const timesOf = (variant: Variant, of: keyof Run) => (runs.get(variant) ?? []).map((each) => each[of]);
for (const variant of VARIANTS) {
  const describe = (of: keyof Run) => {
    const [bare, times] = [timesOf('neither', of), timesOf(variant, of)];
    const rate = Math.round((ORDERS / medianOf(times)) * 1_000).toLocaleString('en');
    return `${rate} orders/s (${medianOf(times.map((ms, round) => bare[round]! / ms)).toFixed(3)})`;
  };
  console.log(`${variant}: ${describe('wallMs')} by the clock, ${describe('cpuMs')} by processor time`);
}
