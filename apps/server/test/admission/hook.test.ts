// The operator's say before admission: a hook that answers, is slow, wrong or absent; limits, also of orders at once; blocked places.
import { createServer, type RequestListener, type Server } from 'node:http';
import { fileURLToPath } from 'node:url';
import { PresageError } from '@presage/protocol';
import { portOf } from '@presage/runtime/node';
import { SignaturePool } from '@presage/signers';
import { SILENT_LOG } from '@presage/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Admission } from '../../src/admission/admission.ts';
import { openHook } from '../../src/admission/hook/ask-hook.ts';
import { OperatorGate } from '../../src/admission/hook/operator-gate.ts';
import { type LimitViews, OrderLimits } from '../../src/admission/hook/order-limits.ts';
import type { WalletLimits } from '../../src/admission/hook/verdict.ts';
import { WalletVerdicts, type WalletVerdictsOptions } from '../../src/admission/hook/wallet-verdicts.ts';
import { blockOrigins } from '../../src/api/origin-blocks.ts';
import { readConfig } from '../../src/config.ts';
import { EngineCommandPort } from './engine-command-port.ts';
import { alice, aliceBuysYes, bob, bobSellsYes, DOMAIN, MARKET, NOW, signBy } from './signed-bodies.ts';

const OTHER_MARKET = `0x${'5f'.repeat(32)}` as const;
const EXAMPLE = fileURLToPath(new URL('../../../../examples/operator/admission-hook.mjs', import.meta.url));

let pool: SignaturePool;
let traders: EngineCommandPort;
let endpoint: Server;
let url: string;
let answerWith: RequestListener;
let asked: string[];
let nowMs: number;
let nonce: number;
let views: LimitViews;

beforeAll(async () => {
  pool = await SignaturePool.open({ workers: 1 });
  endpoint = createServer((request, response) => {
    asked.push(request.url ?? '');
    answerWith(request, response);
  });
  await new Promise<void>((resolve) => endpoint.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${portOf(endpoint)}`;
});
afterAll(async () => {
  endpoint.closeAllConnections();
  endpoint.close();
  await pool.close();
});
beforeEach(() => {
  traders = new EngineCommandPort();
  traders.list({ marketId: MARKET });
  traders.list({ marketId: OTHER_MARKET });
  asked = [];
  nowMs = 0;
  nonce = 0;
  views = { sumTraded: async () => [], listPositions: async () => [] };
});
afterEach(() => endpoint.closeAllConnections());

const say =
  (body: string, status = 200): RequestListener =>
  (_request, response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);
const sayJson = (verdict: object) => say(JSON.stringify(verdict));

interface GateOptions extends Partial<Pick<WalletVerdictsOptions, 'onFailure' | 'timeoutMs'>> {
  readonly hook?: string;
  readonly limits?: WalletLimits;
}

async function openAdmission({ hook, limits = {}, ...options }: GateOptions = {}): Promise<Admission> {
  const verdicts =
    hook &&
    new WalletVerdicts({
      ask: await openHook(hook),
      timeoutMs: 2_000,
      seconds: 300,
      onFailure: 'refuse',
      log: SILENT_LOG,
      nowMs: () => nowMs,
      ...options,
    });
  const orderLimits = new OrderLimits({ reads: traders, views, nowMs: () => NOW * 1_000 });
  const gate = new OperatorGate({ verdicts: verdicts || undefined, orderLimits, limits });
  const admission = new Admission({ ...traders, signers: pool, commands: traders, gate });
  await admission.addChain({ domain: DOMAIN, minOrderSize: 1 });
  return admission;
}

const body = (fields: object = {}) => signBy(alice, aliceBuysYes({ nonce: ++nonce, ...fields }));

/** `accepted`, or the refusal's code. */
async function judge(admission: Admission, fields?: object): Promise<string> {
  const refusal = await refusalOf(admission, fields);
  return refusal?.code ?? 'accepted';
}

async function refusalOf(admission: Admission, fields?: object): Promise<PresageError | undefined> {
  try {
    await admission.submit(await body(fields));
    return undefined;
  } catch (error) {
    if (error instanceof PresageError) return error;
    throw error;
  }
}

describe('a hook over HTTP', () => {
  it('admits, or refuses with a reason that the trader sees', async () => {
    const admission = await openAdmission({ hook: url });
    answerWith = sayJson({ admit: false, reason: 'not of\nage', seconds: 0 });
    const refusal = await refusalOf(admission);
    expect(refusal).toMatchObject({ code: 'not_admitted', status: 403, details: { reason: 'not of age' } });
    expect(refusal?.message).toContain('not of age');
    answerWith = sayJson({ admit: true });
    expect(await judge(admission)).toBe('accepted');
  });

  it('is asked once for orders at once, and again when the verdict has expired', async () => {
    const admission = await openAdmission({ hook: url });
    answerWith = sayJson({ admit: true, seconds: 60 });
    const bodies = await Promise.all(Array.from({ length: 5 }, () => body()));
    const results = await admission.submitAll(bodies);
    expect(results.map(({ status }) => status)).toEqual(Array.from({ length: 5 }, () => 'fulfilled'));
    expect(asked).toHaveLength(1);
    nowMs = 59_999;
    await judge(admission);
    expect(asked).toHaveLength(1);
    nowMs = 60_000;
    answerWith = sayJson({ admit: false });
    expect(await judge(admission)).toBe('not_admitted');
    expect(asked).toHaveLength(2);
  });

  const FAILURES: Readonly<Record<string, RequestListener>> = {
    'never answers': () => undefined,
    'answers no JSON': say('<html>'),
    'answers something else': sayJson({ ok: true }),
    'names an unknown limit': sayJson({ admit: true, limits: { openOrder: 3 } }),
    'answers without end': (_request, response) => {
      const timer = setInterval(() => response.write('x'.repeat(8_192)), 1);
      response.on('close', () => clearInterval(timer));
    },
    'fails with 500': say('{"admit":true}', 500),
    'redirects elsewhere': (_request, response) => response.writeHead(302, { location: url }).end(),
    'hangs up': (request) => request.socket.destroy(),
  };

  it.each(Object.entries(FAILURES))('that %s refuses or admits, as the rule says', async (_name, failure) => {
    answerWith = failure;
    const limited = { hook: url, timeoutMs: 200 };
    expect(await judge(await openAdmission({ ...limited, onFailure: 'refuse' }))).toBe('admission_unavailable');
    expect(await judge(await openAdmission({ ...limited, onFailure: 'admit' }))).toBe('accepted');
  });

  it('that is absent refuses, is not asked with every order, and works again when it is back', async () => {
    const admission = await openAdmission({ hook: 'http://127.0.0.1:9' });
    expect(await judge(admission)).toBe('admission_unavailable');
    const away = await openAdmission({ hook: url });
    answerWith = say('', 503);
    expect(await judge(away)).toBe('admission_unavailable');
    expect(await judge(away)).toBe('admission_unavailable');
    expect(asked).toHaveLength(1);
    nowMs = 5_000;
    answerWith = sayJson({ admit: true });
    expect(await judge(away)).toBe('accepted');
  });

  it('that fails later leaves its last verdict in force, whatever the rule', async () => {
    const admission = await openAdmission({ hook: url, onFailure: 'admit' });
    answerWith = sayJson({ admit: false, reason: 'no', seconds: 60 });
    expect(await judge(admission)).toBe('not_admitted');
    nowMs = 60_000;
    answerWith = say('', 500);
    expect(await judge(admission)).toBe('not_admitted');
  });
});

describe('a hook that is a module', () => {
  it('decides by its default export, as the example does', async () => {
    const admission = await openAdmission({ hook: EXAMPLE });
    expect(await judge(admission)).toBe('accepted');
    expect(await refusalOf(admission, { size: 2_000_000_000 })).toMatchObject({
      code: 'not_admitted',
      message: expect.stringContaining('at most 2000000000 millionths of a share at stake'),
      details: { limit: 'position', maximum: 2_000_000_000n, current: 10_000_000n },
    });
  });

  it('is refused at the start if it exports no function', async () => {
    await expect(openHook(fileURLToPath(import.meta.resolve('@presage/protocol')))).rejects.toThrow(
      'no default export',
    );
  });

  it('is refused at the start if it is absent', async () => {
    await expect(openHook('/nowhere/hook.mjs')).rejects.toThrow(
      /^PRESAGE_ADMISSION_HOOK: the module \/nowhere\/hook\.mjs cannot be loaded: .*Mend or unset it\.$/,
    );
  });
});

describe('limits', () => {
  const SHARE = 1_000_000;

  it('count orders at once: of ten, as many pass as the limit leaves room for', async () => {
    const admission = await openAdmission({ limits: { openOrders: 3n } });
    const bodies = await Promise.all(Array.from({ length: 10 }, () => body()));
    const results = await admission.submitAll(bodies);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    expect(await refusalOf(admission)).toMatchObject({ details: { limit: 'openOrders', current: 3n } });
  });

  it('let an order that is sent twice at once be answered twice', async () => {
    const admission = await openAdmission({ limits: { openOrders: 1n } });
    const twice = await body();
    const results = await admission.submitAll([twice, twice]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
    expect(await judge(admission)).toBe('not_admitted');
  });

  it('of each market leave room in the others', async () => {
    const admission = await openAdmission({ limits: { openOrders: 2n, market: { openOrders: 1n } } });
    expect(await judge(admission)).toBe('accepted');
    expect(await judge(admission)).toBe('not_admitted');
    expect(await judge(admission, { marketId: OTHER_MARKET })).toBe('accepted');
  });

  it('of the position count what is held and what open orders may add, and always let a wallet reduce', async () => {
    const yesShares = BigInt(100 * SHARE);
    views = { ...views, listPositions: async () => [{ marketId: MARKET, yesShares, noShares: 0n }] };
    const admission = await openAdmission({ limits: { market: { position: yesShares } } });
    expect(await judge(admission, { size: SHARE })).toBe('not_admitted');
    expect(await judge(admission, { side: 1, size: 150 * SHARE })).toBe('accepted');
    expect(await judge(admission, { side: 0, outcome: 1, size: 51 * SHARE })).toBe('not_admitted');
    expect(await judge(admission, { side: 0, outcome: 1, size: 50 * SHARE })).toBe('accepted');
  });

  it('of the volume count what was traded in a day and what open orders offer', async () => {
    views = { ...views, sumTraded: async () => [{ marketId: OTHER_MARKET, cost: 4_000_000n }] };
    const admission = await openAdmission({ limits: { dailyVolume: 10_000_000n } });
    expect(await judge(admission)).toBe('accepted');
    expect(await refusalOf(admission)).toMatchObject({ details: { limit: 'dailyVolume', current: 9_500_000n } });
  });

  it('of a verdict replace those of the configuration one by one', async () => {
    answerWith = sayJson({ admit: true, limits: { openOrders: 2 } });
    const admission = await openAdmission({ hook: url, limits: { openOrders: 1n, dailyVolume: 6_000_000n } });
    expect(await judge(admission, { size: SHARE })).toBe('accepted');
    expect(await judge(admission)).toBe('not_admitted');
    expect(await judge(admission, { size: SHARE })).toBe('accepted');
    expect(await judge(admission, { size: SHARE })).toBe('not_admitted');
  });

  it('are free again when an order is refused after its limit was checked', async () => {
    const admission = await openAdmission({ limits: { openOrders: 1n } });
    traders.poor.add(alice.address.toLowerCase());
    await admission.addChain({ domain: DOMAIN, minOrderSize: 1, funds: traders.funds });
    expect(await judge(admission)).toBe('insufficient_balance');
    traders.poor.clear();
    expect(await judge(admission)).toBe('accepted');
    const own = await signBy(bob, bobSellsYes());
    await expect(admission.submit(own)).resolves.toMatchObject({ replayed: false });
  });
});

describe('blocked places', () => {
  const refuse = blockOrigins({ countryHeader: 'cf-ipcountry', countries: ['KP'], addresses: ['203.0.113.0/24'] });
  const from = (address: string, country?: string, isForwarded = true) => {
    const headers = country === undefined ? {} : { 'cf-ipcountry': country };
    return () => refuse?.({ address, headers, isForwarded });
  };

  it('are addresses of a prefix, and countries that a trusted proxy names', () => {
    expect(from('203.0.113.9')).toThrow(/network address/);
    expect(from('198.51.100.1', 'kp')).toThrow(/orders from kp/);
    expect(from('198.51.100.1', 'FR')).not.toThrow();
    expect(from('198.51.100.1')).not.toThrow();
    expect(from('2001:db8::1')).not.toThrow();
  });

  it('are not named by a client itself', () => {
    expect(from('198.51.100.1', 'KP', false)).not.toThrow();
  });

  it('need a proxy to name countries, and limits need known names, in the configuration', () => {
    const read = (environment: Record<string, string>) => () => readConfig(environment);
    expect(read({ PRESAGE_BLOCKED_COUNTRIES: 'KP' })).toThrow('set PRESAGE_TRUSTED_PROXIES');
    expect(read({ PRESAGE_WALLET_LIMITS: 'orders=3' })).toThrow('write NAME=NUMBER');
    expect(read({ PRESAGE_ADMISSION_HOOK: 'ftp://x' })).toThrow('use an http or https URL');
  });
});
