// How fast a journal is verified from outside: in one thread without signers, then by the command over HTTP, without and with signers.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Engine } from '@presage/engine';
import { encodeFrame } from '@presage/journal';
import {
  BUY,
  DEFAULT_TERMS,
  encodeRecord,
  fromHex,
  isJournalled,
  type Order,
  OrderHasher,
  SELL,
  type Side,
  toHex,
  toLowerHex,
  toPrice,
  toSize,
  ZERO_ADDRESS,
} from '@presage/protocol';
import { openDigestSigner } from '@presage/protocol/digest-signer';
import { openSignerRecovery } from '@presage/protocol/signer';
import { JournalVerifier } from '@presage/sdk/verify';
import { marketFacts, person, SeededRandom, TEST_MARKET } from '@presage/testkit';
import { serveJournal } from './verify-server.ts';

const DOMAIN = { name: 'PresageSettlement', version: '1' };
const ORDERS = Number(process.argv[2] ?? 40_000);
const ORDERS_A_FRAME = 20;
const SEED = 7;
const CHAIN_ID = 31_337;
const RECOVERIES = 5_000;

interface Made {
  readonly frames: Uint8Array[];
  readonly events: number;
  readonly book: { readonly seq: number; readonly hash: string };
}

async function makeFrames(): Promise<Made> {
  const random = new SeededRandom(SEED);
  const facts = marketFacts();
  const hasher = await OrderHasher.open({
    ...DOMAIN,
    chainId: facts.chainId,
    verifyingContract: facts.settlementAddress,
  });
  const wallets = await Promise.all(
    (['alice', 'bob', 'carol', 'dave'] as const).map(async (name) => {
      const account = person(name);
      return {
        address: toLowerHex(account.address),
        sign: await openDigestSigner(toHex(account.getHdKey().privateKey!)),
      };
    }),
  );
  const engine = new Engine();
  const frames: Uint8Array[] = [];
  let pending: Uint8Array[] = [];
  let [timeMs, firstSeq, previousHash] = [1_900_000_000_000, 1, new Uint8Array(32)];
  const seal = () => {
    const bytes = encodeFrame({ partition: 'm0', epoch: 1, firstSeq, timeMs, previousHash }, pending).slice();
    firstSeq += pending.length;
    previousHash = new Uint8Array(createHash('sha256').update(bytes).digest());
    pending = [];
    frames.push(bytes);
  };
  const keep = (outputs: ReturnType<Engine['apply']>) => {
    for (const output of outputs) if (isJournalled(output)) pending.push(encodeRecord(output));
  };
  keep(engine.apply({ type: 'list-market', timeMs, market: facts }));
  for (let count = 1; count <= ORDERS; count++) {
    timeMs += 5;
    const { address, sign } = random.pick(wallets);
    const side = random.pick<Side>([BUY, SELL]);
    const order: Order = {
      marketId: TEST_MARKET,
      trader: address,
      side,
      outcome: 0,
      price: toPrice(random.int(side === 0 ? 400_000 : 450_000, side === 0 ? 550_000 : 600_000)),
      size: toSize(random.int(1, 20) * 1_000_000),
      nonce: BigInt(count),
      expiration: BigInt(Math.floor(timeMs / 1_000) + 86_400),
      makerFeeRecipient: ZERO_ADDRESS,
    };
    const orderHash = hasher.orderHash(order);
    keep(
      engine.apply({ type: 'place-order', timeMs, orderHash, order, signature: sign(orderHash), terms: DEFAULT_TERMS }),
    );
    if (count % ORDERS_A_FRAME === 0) seal();
  }
  if (pending.length > 0) seal();
  const book = { seq: engine.market(TEST_MARKET)?.step ?? 0, hash: engine.bookHash(TEST_MARKET) };
  return { frames, events: firstSeq - 1, book };
}

async function measureHere(frames: readonly Uint8Array[]): Promise<void> {
  const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest();
  const verifier = JournalVerifier.open({ partition: 'm0', domains: new Map([[CHAIN_ID, DOMAIN]]), sha256 });
  const [startMs, before] = [performance.now(), process.cpuUsage()];
  for (const bytes of frames) await verifier.add(bytes);
  const seconds = (performance.now() - startMs) / 1_000;
  const { user, system } = process.cpuUsage(before);
  const { records } = verifier.counts;
  const cpu = Math.round(records / ((user + system) / 1_000_000));
  console.log(`one thread, no signers: ${rate(records, seconds)}, ${cpu} for each second of processor time`);
}

/** Path of the command line, which runs as a separate process. */
const PRESAGE = fileURLToPath(new URL('../apps/cli/bin/presage.mjs', import.meta.url));

async function measureCommand(name: string, url: string, ...args: string[]): Promise<void> {
  const { stdout } = await promisify(execFile)(process.execPath, [PRESAGE, 'verify', '--json', '--url', url, ...args]);
  const { counts, seconds }: { counts: { records: number }; seconds: number } = JSON.parse(stdout);
  console.log(`the command, ${name}: ${rate(counts.records, seconds)}`);
}

async function measureRecovery(): Promise<void> {
  const { recover, kind } = await openSignerRecovery();
  const sign = await openDigestSigner(toHex(person('alice').getHdKey().privateKey!));
  const digest = new Uint8Array(32).fill(7);
  const signature = fromHex(sign(toHex(digest)));
  const startMs = performance.now();
  for (let count = 0; count < RECOVERIES; count++) recover(digest, signature);
  const perSecond = Math.round(RECOVERIES / ((performance.now() - startMs) / 1_000));
  console.log(`signers recovered in one thread (${kind}): ${perSecond} a second; ${availableParallelism()} processors`);
}

function rate(records: number, seconds: number): string {
  return `${Math.round(records / seconds)} events/s in ${seconds.toFixed(2)} s`;
}

const { frames, events, book } = await makeFrames();
console.log(`${events} events of ${ORDERS} orders in ${frames.length} frames, Node ${process.version}`);
for (let round = 0; round < 3; round++) await measureHere(frames);
const server = await serveJournal({ frames, chainId: CHAIN_ID, settlement: DOMAIN, book });
for (let round = 0; round < 2; round++) await measureCommand('signers unchecked', server.url, '--no-signatures');
await measureRecovery();
for (let round = 0; round < 2; round++) await measureCommand('signers checked', server.url);
server.close();
