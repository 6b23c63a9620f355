// Admission over the real engine, real threads and signatures made by viem: the published order of checks, replays, refusals.
import { PresageError, parseJson, type SigningDomain, stringifyJson } from '@presage/protocol';
import { SignaturePool } from '@presage/signers';
import { hashTypedData } from 'viem';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Admission, type AdmissionOptions } from '../../src/admission/admission.ts';
import { EngineCommandPort } from './engine-command-port.ts';
import { alice, aliceBuysYes, bob, bobSellsYes, DOMAIN, MARKET, NOW, signBy, typedData } from './signed-bodies.ts';

const CLOSED_MARKET = `0x${'c1'.repeat(32)}` as const;
const OTHER_CHAIN_MARKET = `0x${'0c'.repeat(32)}` as const;
const UNSERVED_MARKET = `0x${'0d'.repeat(32)}` as const;
const UNKNOWN_MARKET = `0x${'ee'.repeat(32)}` as const;
const OTHER_CONTRACT = `0x${'ab'.repeat(20)}` as const;
const OTHER_DOMAIN: SigningDomain = { ...DOMAIN, chainId: 137, verifyingContract: OTHER_CONTRACT };
const MIN_ORDER_SIZE = 1_000;

let pool: SignaturePool;
let traders: EngineCommandPort;
let admission: Admission;

beforeAll(async () => {
  pool = await SignaturePool.open({ workers: 1 });
});
afterAll(() => pool.close());

beforeEach(async () => {
  traders = new EngineCommandPort();
  traders.list({ marketId: MARKET });
  traders.list({ marketId: CLOSED_MARKET });
  traders.list({ marketId: OTHER_CHAIN_MARKET, chainId: OTHER_DOMAIN.chainId });
  traders.list({ marketId: UNSERVED_MARKET, chainId: 5 });
  traders.close(CLOSED_MARKET);
  admission = await openAdmission(pool);
});

async function openAdmission(signers: AdmissionOptions['signers']): Promise<Admission> {
  const opened = new Admission({ ...traders, signers, commands: traders });
  const { funds, assessor, halts } = traders;
  for (const domain of [DOMAIN, OTHER_DOMAIN]) {
    await opened.addChain({ domain, minOrderSize: MIN_ORDER_SIZE, funds, assessor, halts });
  }
  return opened;
}

/** `accepted`, `replayed`, or the code of the refusal. */
async function judge(body: unknown): Promise<string> {
  const result = await admission.submit(body).catch(toRefusal);
  if (result instanceof PresageError) return result.code;
  return result.replayed ? 'replayed' : 'accepted';
}

async function refusalOf(body: unknown): Promise<PresageError> {
  const result = await admission.submit(body).catch(toRefusal);
  if (result instanceof PresageError) return result;
  throw new Error('the order was accepted');
}

function toRefusal(cause: unknown): PresageError {
  if (cause instanceof PresageError) return cause;
  throw cause;
}

describe('the first failure answers', () => {
  it('in the published order, one repaired field after another', async () => {
    await admission.submit(await signBy(alice, aliceBuysYes({ nonce: 1 })));
    await admission.submit(await signBy(bob, bobSellsYes({ price: 700_000 })));
    traders.poor.add(alice.address.toLowerCase());
    traders.halted.add(alice.address.toLowerCase());
    const order = aliceBuysYes({
      marketId: '0x12',
      price: 0,
      size: 0,
      expiration: NOW,
      makerFeeRecipient: bob.address,
    });
    let signer: typeof alice | undefined;
    let postOnly: unknown = 'yes';
    const rows: [repair: () => unknown, next: string][] = [
      [() => undefined, 'invalid_field'],
      [() => (order.marketId = UNKNOWN_MARKET), 'invalid_field'],
      [() => (postOnly = true), 'price_out_of_range'],
      [() => (order.price = 18_446_744_073_709_551_615n), 'price_out_of_range'],
      [() => (order.price = 710_000), 'size_zero'],
      [() => (order.size = 18_446_744_073_709_551_615n), 'size_too_large'],
      [() => (order.size = MIN_ORDER_SIZE - 1), 'expiration_too_soon'],
      [() => (order.expiration = NOW + 60), 'fee_recipient_not_zero'],
      [() => (order.makerFeeRecipient = aliceBuysYes().makerFeeRecipient), 'invalid_signature_length'],
      [() => (signer = bob), 'market_not_found'],
      [() => (order.marketId = UNSERVED_MARKET), 'market_not_found'],
      [() => (order.marketId = CLOSED_MARKET), 'size_too_small'],
      [() => (order.size = MIN_ORDER_SIZE), 'market_closed'],
      [() => (order.marketId = MARKET), 'invalid_signature'],
      [() => (signer = alice), 'trading_halted'],
      [() => traders.halted.clear(), 'nonce_already_used'],
      [() => (order.nonce = 2), 'insufficient_balance'],
      [() => traders.poor.clear(), 'would_cross'],
      [() => (postOnly = false), 'accepted'],
      [() => undefined, 'replayed'],
    ];
    for (const [row, [repair, next]] of rows.entries()) {
      repair();
      const { signature } = signer === undefined ? { signature: '0x12' } : await signBy(signer, order);
      expect(await judge({ order, signature, postOnly }), `row ${row}`).toBe(next);
    }
  });

  it.each([
    ['trading_halted', () => traders.halted.add(alice.address.toLowerCase())],
    ['wallet_blocked', () => traders.stopped.add(alice.address.toLowerCase())],
    ['market_paused', () => traders.stopped.add(MARKET)],
  ])('with %s if that is seen while the funds are checked', async (code, stop) => {
    const body = await signBy(alice, aliceBuysYes({ nonce: 9 }));
    const { check } = traders.funds;
    traders.funds.check = (signed) => {
      stop();
      return check(signed);
    };
    expect(await judge(body)).toBe(code);
    expect(traders.accepted).toEqual([]);
  });

  it('by the service clock for a market whose expiration has come, though it is not closed yet', async () => {
    const soon = `0x${'50'.repeat(32)}` as const;
    traders.list({ marketId: soon, expiration: NOW + 100 });
    const body = await signBy(alice, aliceBuysYes({ marketId: soon, nonce: 9 }));
    traders.now = NOW + 100;
    expect(await refusalOf(body)).toMatchObject({ code: 'market_closed', details: { now: NOW + 100 } });
    traders.now = NOW + 99;
    expect(await judge(body)).toBe('accepted');
  });

  it('with what the host refuses as it comes', async () => {
    const body = await signBy(alice, aliceBuysYes());
    const refusal = await refusalOf({ ...body, timeInForce: 'FOK' });
    expect(refusal).toMatchObject({ code: 'fok_not_filled', status: 409, details: { fillable: 0 } });
  });

  it('with 429 when the signature queue is full, before it reaches the host', async () => {
    const full = await SignaturePool.open({ workers: 1, maxQueued: 0 });
    const busy = await openAdmission(full);
    const submitted = busy.submit(await signBy(alice, aliceBuysYes()));
    await expect(submitted).rejects.toMatchObject({ code: 'rate_limited', status: 429 });
    await full.close();
    expect(traders.accepted).toEqual([]);
  });
});

describe('an order that was answered before', () => {
  it('is answered again before any other check, whatever has become of it', async () => {
    const body = await signBy(alice, aliceBuysYes());
    const first = await admission.submit(body);
    traders.poor.add(alice.address.toLowerCase());
    traders.close(MARKET);
    traders.now = NOW + 86_400;
    expect(await admission.submit(body)).toEqual({ answer: first.answer, replayed: true });
    expect(await judge(await signBy(alice, aliceBuysYes({ nonce: 2 })))).toBe('expiration_too_soon');
  });

  it('is known by every spelling of its signature and its ids', async () => {
    const { order, signature } = await signBy(alice, aliceBuysYes());
    expect(await judge({ order, signature })).toBe('accepted');
    const spellings = [signature.slice(2), signature.toUpperCase().replace('0X', '0x'), withV(signature, -27)];
    for (const spelling of spellings) expect(await judge({ order, signature: spelling })).toBe('replayed');
    const shouted = { ...order, marketId: MARKET.toUpperCase().replace('0X', '0x'), nonce: '1' };
    expect(await judge({ order: shouted, signature })).toBe('replayed');
  });

  it('is not known by another signature', async () => {
    const { order, signature } = await signBy(alice, aliceBuysYes());
    expect(await judge({ order, signature })).toBe('accepted');
    traders.now = NOW + 86_400;
    expect(await judge({ order, signature: withV(signature, 2) })).toBe('expiration_too_soon');
  });

  it('is placed once when it is posted many times at once', async () => {
    const body = await signBy(alice, aliceBuysYes());
    const verdicts = await Promise.all(Array.from({ length: 20 }, () => judge(body)));
    expect(verdicts.toSorted()).toEqual(['accepted', ...Array.from({ length: 19 }, () => 'replayed')]);
    expect(traders.accepted).toHaveLength(1);
  });
});

describe('a signature', () => {
  it('made for another domain is answered with who would have signed, the hash and the domain to sign', async () => {
    const order = aliceBuysYes();
    const { signature } = await signBy(alice, order, { ...DOMAIN, chainId: 1 });
    const { code, details } = await refusalOf({ order, signature });
    expect(code).toBe('invalid_signature');
    expect(details).toEqual({
      recoveredSigner: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
      orderHash: hashTypedData(typedData(order, DOMAIN)),
      domain: { ...DOMAIN, verifyingContract: '0x5FbDB2315678afecb367f032d93F642f64180aa3' },
      mistake: "the domain's chainId was 1, it is 31337",
    });
    expect(details?.recoveredSigner).not.toBe(alice.address);
  });

  it('of another wallet is answered with its address in checksum form', async () => {
    const refusal = await refusalOf(await signBy(bob, aliceBuysYes()));
    expect(refusal.details?.recoveredSigner).toBe(bob.address);
  });

  it('for another contract is answered with both addresses whole and in checksum form', async () => {
    const order = aliceBuysYes();
    const verifyingContract = `0x${'00'.repeat(20)}` as const;
    const { message } = await refusalOf(await signBy(alice, order, { ...DOMAIN, verifyingContract }));
    expect(message).toBe(
      `The signature does not recover to the trader: the domain's verifyingContract was ${verifyingContract}, it is 0x5FbDB2315678afecb367f032d93F642f64180aa3`,
    );
  });

  it('of 130 characters that are no hex digits is not said to have 130 digits', async () => {
    const { code, message } = await refusalOf({ order: aliceBuysYes(), signature: `0x${'zz'.repeat(65)}` });
    expect(code).toBe('invalid_signature_length');
    expect(message).toMatch(/130 hex digits: it has characters that are no hex digits$/);
  });

  it('does not name a fee recipient in another form than addresses have', async () => {
    const { message } = await refusalOf(await signBy(alice, aliceBuysYes({ makerFeeRecipient: bob.address })));
    expect(message).toBe(`makerFeeRecipient must be the zero address: got ${bob.address}`);
  });

  it('is judged by the domain of its market on every chain', async () => {
    const order = aliceBuysYes({ marketId: OTHER_CHAIN_MARKET });
    expect(await judge(await signBy(alice, order, DOMAIN))).toBe('invalid_signature');
    expect(await judge(await signBy(alice, order, OTHER_DOMAIN))).toBe('accepted');
  });

  it('is taken with v of 0 or 1 and without 0x, and reaches the host in one spelling', async () => {
    const { order, signature } = await signBy(alice, aliceBuysYes());
    expect(await judge({ order, signature: withV(signature, -27).slice(2).toUpperCase() })).toBe('accepted');
    expect(traders.accepted[0]?.signature).toBe(signature);
  });

  it('with a high s or an invalid v recovers to no signer', async () => {
    const { order, signature } = await signBy(alice, aliceBuysYes());
    for (const bad of [highS(signature), withV(signature, 2), withV(signature, 200)]) {
      const refusal = await refusalOf({ order, signature: bad });
      expect(refusal).toMatchObject({ code: 'invalid_signature', details: { recoveredSigner: null } });
    }
  });
});

describe('orders of a batch', () => {
  it('count on the permits before them in the list, with one of their own or without, and on none behind them', async () => {
    const permitted = new Set<string>();
    const opened = new Admission({ ...traders, signers: pool, commands: traders });
    await opened.addChain({
      domain: DOMAIN,
      minOrderSize: MIN_ORDER_SIZE,
      permits: {
        check: async ({ order }) => {
          await new Promise((resolve) => setTimeout(resolve, 20));
          permitted.add(order.trader);
          return undefined;
        },
        release: () => undefined,
      },
      funds: {
        ...traders.funds,
        check: ({ order }) => (permitted.has(order.trader) ? undefined : { code: 'insufficient_allowance' }),
      },
    });
    const word = `0x${'0f'.repeat(32)}`;
    const permitSignature = { nonce: 3, value: '77', deadline: NOW, v: 27, r: word, s: word };
    const [early, first, later, last] = await Promise.all(
      [1, 2, 3, 4].map((nonce) => signBy(alice, aliceBuysYes({ nonce }))),
    );
    const batch = [early, { ...first, permitSignature }, { ...later, permitSignature: null }, last];
    const results = await opened.submitAll(batch);
    const codes = results.map((each) => (each.status === 'fulfilled' ? 'placed' : toRefusal(each.reason).code));
    expect(codes).toEqual(['insufficient_allowance', 'placed', 'placed', 'placed']);
  });
});

describe('a body', () => {
  it('with a nonce past 2^53 as a plain JSON number verifies to the last digit', async () => {
    const nonce = (BigInt(NOW) << 32n) | 0xdeadbeefn;
    const body = await signBy(alice, aliceBuysYes({ nonce }));
    const text = stringifyJson(body);
    expect(text).toContain(`"nonce":${nonce},`);
    expect(await judge(parseJson(text))).toBe('accepted');
    expect(traders.accepted[0]?.order.nonce).toBe(nonce);
    expect(await judge(parseJson(text.replace(`${nonce}`, `${nonce + 1n}`)))).toBe('invalid_signature');
  });

  it('becomes a command with its terms and its permit', async () => {
    const half = `0x${'0f'.repeat(32)}`;
    const permitSignature = { nonce: 3, value: '77', deadline: NOW, v: 27, r: half, s: half };
    const body = await signBy(alice, aliceBuysYes());
    await admission.submit({ ...body, permitSignature, timeInForce: 'IOC' });
    expect(traders.accepted[0]).toMatchObject({
      orderHash: hashTypedData(typedData(body.order, DOMAIN)),
      terms: { timeInForce: 'IOC', postOnly: false, selfTradePrevention: 'none', reduceOnly: false },
      permit: { nonce: 3n, value: 77n, deadline: BigInt(NOW), v: 27, r: half, s: half },
    });
  });

  it('of no shape at all is refused and never crashes', async () => {
    for (const body of [undefined, null, 7, 'order', [], {}, { order: null, signature: {} }]) {
      expect(await judge(body)).toBe('invalid_field');
    }
  });
});

function withV(signature: string, change: number): string {
  const v = Number.parseInt(signature.slice(-2), 16) + change;
  return signature.slice(0, -2) + v.toString(16).padStart(2, '0');
}

/** The malleable twin: the same signer to a lenient verifier. */
function highS(signature: string): string {
  const n = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
  const s = (n - BigInt(`0x${signature.slice(66, 130)}`)).toString(16).padStart(64, '0');
  return signature.slice(0, 66) + s + (signature.endsWith('1b') ? '1c' : '1b');
}
