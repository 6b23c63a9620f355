// Digests and signers are bit-equal to viem's, on random orders and on the shared vectors.
import { isLongRun, SeededRandom, seedFromEnv } from '@presage/testkit';
import { hashStruct, hashTypedData, recoverAddress } from 'viem';
import { sign } from 'viem/accounts';
import { beforeAll, describe, expect, it } from 'vitest';
import vectors from '../../../vectors/orders.json' with { type: 'json' };
import {
  type Address,
  fromHex,
  fromOrderJson,
  ORDER_TYPES,
  type Order,
  OrderHasher,
  type OrderJsonForm,
  toHex,
  toPrice,
  toSize,
  ZERO_ADDRESS,
} from '../src/index.ts';
import { openSignerRecovery, type SignerRecovery } from '../src/signing/signer.ts';

const ORDERS = isLongRun ? 10_000 : 500;
/** viem takes 4 ms a recovery: all of them in the long run only. */
const RECOVERIES = isLongRun ? ORDERS : 100;
/** viem's share of the long run is minutes. */
const RECOVERY_TIMEOUT_MS = 600_000;
const SEED = seedFromEnv(20_261_115);

const domain = { ...vectors.domain, verifyingContract: vectors.domain.verifyingContract as Address };
function randomOrder(random: SeededRandom): Order {
  return {
    marketId: random.hex(32),
    trader: random.hex(20),
    side: random.int(0, 1) as 0 | 1,
    outcome: random.int(0, 1) as 0 | 1,
    price: toPrice(random.int(1, 999_999)),
    size: toSize(random.int(1, 2 ** 31) * random.int(1, 2 ** 21)),
    nonce: random.bigint64(),
    expiration: random.bigint64(),
    makerFeeRecipient: random.int(0, 9) === 0 ? random.hex(20) : ZERO_ADDRESS,
  };
}

const toMessage = (order: Order) => ({ ...order, price: BigInt(order.price), size: BigInt(order.size) });

describe('order digest', () => {
  let hasher: OrderHasher;
  beforeAll(async () => {
    hasher = await OrderHasher.open(domain);
  });

  it(`is bit-equal to viem's over ${ORDERS} random orders`, () => {
    const random = new SeededRandom(SEED);
    for (let i = 0; i < ORDERS; i++) {
      const order = randomOrder(random);
      const message = toMessage(order);
      expect(hasher.orderHash(order)).toBe(
        hashTypedData({ domain, types: ORDER_TYPES, primaryType: 'Order', message }),
      );
    }
  });

  it('agrees with every shared vector, struct hash and digest', () => {
    expect(vectors.orders.length).toBe(64);
    for (const vector of vectors.orders) {
      const order = toOrder(vector.order);
      expect(toHex(hasher.structHash(order))).toBe(vector.structHash);
      expect(hasher.orderHash(order)).toBe(vector.digest);
      expect(hashStruct({ data: toMessage(order), primaryType: 'Order', types: ORDER_TYPES })).toBe(vector.structHash);
    }
  });

  it('differs by domain', async () => {
    const other = await OrderHasher.open({ ...domain, chainId: 137 });
    const order = toOrder(vectors.orders[0]!.order);
    expect(other.orderHash(order)).not.toBe(hasher.orderHash(order));
  });
});

const hasNative = await openSignerRecovery('native').then(
  () => true,
  () => false,
);
if (!hasNative) console.warn('native secp256k1 was not built on this machine: recovery is tested in WebAssembly only');

/** What viem says, asked once for both. */
const recoveries: { readonly digest: Uint8Array; readonly signature: Uint8Array; readonly signer: string }[] = [];

beforeAll(async () => {
  const random = new SeededRandom(SEED + 1);
  for (let i = 0; i < RECOVERIES; i++) {
    const [hash, privateKey] = [random.hex(32), random.hex(32)];
    const signature = await sign({ hash, privateKey, to: 'hex' });
    const signer = (await recoverAddress({ hash, signature })).toLowerCase();
    recoveries.push({ digest: fromHex(hash), signature: fromHex(signature), signer });
  }
}, RECOVERY_TIMEOUT_MS);

describe.each(hasNative ? (['native', 'wasm'] as const) : (['wasm'] as const))('signer recovery, %s', (kind) => {
  let recovery: SignerRecovery;
  beforeAll(async () => {
    recovery = await openSignerRecovery(kind);
  });

  it('finds the signer of every shared vector, with v as 27/28 and as 0/1', () => {
    for (const { digest, signature, signer } of vectors.orders) {
      const bytes = fromHex(signature);
      expect(recovery.recover(fromHex(digest), bytes)).toBe(signer);
      const bare = Uint8Array.from(bytes);
      bare[64]! -= 27;
      expect(recovery.recover(fromHex(digest), bare)).toBe(signer);
    }
  });

  it(`agrees with viem over ${RECOVERIES} random digests`, () => {
    expect(recoveries).toHaveLength(RECOVERIES);
    for (const { digest, signature, signer } of recoveries) expect(recovery.recover(digest, signature)).toBe(signer);
  });

  it('refuses high s, a wrong v, a wrong length, and r or s of zero', () => {
    const { digest, signature } = vectors.orders[5]!;
    const hash = fromHex(digest);
    const good = fromHex(signature);
    expect(recovery.recover(hash, good)).toBeDefined();
    expect(recovery.recover(hash, highS(good))).toBeUndefined();
    for (const v of [2, 3, 26, 29, 255]) {
      const wrong = Uint8Array.from(good);
      wrong[64] = v;
      expect(recovery.recover(hash, wrong), `v ${v}`).toBeUndefined();
    }
    expect(recovery.recover(hash, good.subarray(0, 64))).toBeUndefined();
    expect(recovery.recover(hash, Uint8Array.from([...good, 0]))).toBeUndefined();
    expect(recovery.recover(hash, Uint8Array.from(good).fill(0, 0, 32))).toBeUndefined();
    expect(recovery.recover(hash, Uint8Array.from(good).fill(0, 32, 64))).toBeUndefined();
  });
});

/** The malleable twin: s -> n - s with the other parity recovers to the same key on a lenient verifier. */
function highS(signature: Uint8Array): Uint8Array {
  const n = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
  const s = BigInt(toHex(signature.subarray(32, 64)));
  const twin = Uint8Array.from(signature);
  twin.set(fromHex(`0x${(n - s).toString(16).padStart(64, '0')}`), 32);
  twin[64] = twin[64] === 27 ? 28 : 27;
  return twin;
}

function toOrder(json: (typeof vectors.orders)[number]['order']): Order {
  return fromOrderJson({ ...json, price: Number(json.price), size: Number(json.size) } as unknown as OrderJsonForm);
}
