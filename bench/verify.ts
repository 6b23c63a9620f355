// How fast a journal is verified from outside: chain, order hashes and replay, with and without the signers.
import { createHash } from 'node:crypto';
import { Engine } from '@presage/engine';
import { encodeFrame } from '@presage/journal';
import {
  DEFAULT_TERMS,
  encodeRecord,
  isJournalled,
  type Order,
  OrderHasher,
  type Side,
  toHex,
  toPrice,
  toSize,
  ZERO_ADDRESS,
} from '@presage/protocol';
import { openDigestSigner } from '@presage/protocol/digest-signer';
import { openSignerRecovery } from '@presage/protocol/signer';
import { JournalVerifier } from '@presage/sdk/verify';
import { marketFacts, person, SeededRandom, TEST_MARKET } from '@presage/testkit';

const DOMAIN = { name: 'PresageSettlement', version: '1' };
const ORDERS = Number(process.argv[2] ?? 40_000);
const ORDERS_A_FRAME = 20;
const SEED = 7;

async function makeFrames(): Promise<{ frames: Uint8Array[]; events: number }> {
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
        address: account.address.toLowerCase() as Order['trader'],
        sign: await openDigestSigner(toHex(account.getHdKey().privateKey!)),
      };
    }),
  );
  const engine = new Engine();
  const frames: Uint8Array[] = [];
  let [timeMs, firstSeq, previousHash, pending] = [1_900_000_000_000, 1, new Uint8Array(32), [] as Uint8Array[]];
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
    const side = random.below(2) as Side;
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
  return { frames, events: firstSeq - 1 };
}

async function measure(name: string, frames: readonly Uint8Array[], hasSigners: boolean): Promise<void> {
  const recovery = hasSigners ? await openSignerRecovery() : undefined;
  const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest();
  const verifier = new JournalVerifier({ partition: 'm0', domains: new Map([[31_337, DOMAIN]]), recovery, sha256 });
  const startMs = performance.now();
  const before = process.cpuUsage();
  for (const bytes of frames) await verifier.add(bytes);
  const seconds = (performance.now() - startMs) / 1_000;
  const { user, system } = process.cpuUsage(before);
  const perSecond = (each: number) => Math.round(verifier.counts.records / each);
  const { records, orders, trades } = verifier.counts;
  const wall = `${perSecond(seconds)} events/s in ${seconds.toFixed(2)} s`;
  const cpu = `${perSecond((user + system) / 1_000_000)} for each second of processor time`;
  console.log(`${name}: ${wall}, ${cpu} (${records} events, ${orders} orders, ${trades} trades)`);
}

const { frames, events } = await makeFrames();
console.log(`${events} events in ${frames.length} frames, Node ${process.version}`);
for (let round = 0; round < 3; round++) await measure('signers unchecked', frames, false);
await measure('signers checked  ', frames, true);
