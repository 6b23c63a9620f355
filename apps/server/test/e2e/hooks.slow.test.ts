// The operator's own programs beside a running service: an admission hook that is slow, wrong or absent, as traders see it, and a
// receiver of webhooks that fails, with what operators can do about it.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSandboxClient } from '@presage/sdk';
import { createOperatorClient, type OperatorClient } from '@presage/sdk/operator';
import { waitFor, walletOf } from '@presage/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isGenuine } from '../../../../examples/operator/webhook-receiver.ts';
import { Exchange } from './exchange.ts';
import type { ErrorReply, MarketBody } from './wire.ts';

const SECRET = 'a secret between two programs';
/** Long enough for an answer on a busy machine: only a hook that never answers takes longer. */
const TIMEOUT_MS = 4_000;

type Answer = (request: IncomingMessage, response: ServerResponse) => void;
const say =
  (body: string, status = 200): Answer =>
  (_request, response) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(body);
const ADMIT = say('{"admit":true}');

/** What the hook and the module answer, under the same names. */
const FAULTS = ['slow', 'throws', 'says nothing', 'says something else'] as const;
const HOOK_ANSWERS: Readonly<Record<string, Answer>> = {
  slow: () => undefined,
  throws: say('{"error":"broken"}', 500),
  'says nothing': say(''),
  'says something else': say('{"admit":"yes"}'),
  refuses: say('{"admit":false,"reason":"not from\\nyour country"}'),
  limits: say('{"admit":true,"limits":{"openOrders":1}}'),
};

const wallets = Object.fromEntries(
  [...FAULTS, 'refuses', 'limits', 'known', 'new', 'other'].map((name) => [name, walletOf(`hooked ${name}`)]),
);
const walletNamed = (name: string) => wallets[name] ?? walletOf(name);
const nameOf = (address: string) => Object.keys(wallets).find((name) => walletNamed(name).address === address) ?? '';

interface Program {
  readonly url: string;
  readonly server: Server;
  close(): void;
}

async function listen(answer: Answer, port = 0): Promise<Program> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server, close };
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text;
}

const answerHook: Answer = async (request, response) => {
  const { wallet } = JSON.parse(await textOf(request)) as { wallet: string };
  (HOOK_ANSWERS[nameOf(wallet)] ?? ADMIT)(request, response);
};

interface Told {
  readonly id: string;
  readonly topic: string;
}

let hook: Program;
let receiver: Program;
let receiverStatus: number;
let attempts: number;
let told: Told[];
let exchange: Exchange;
let operator: OperatorClient;
let market: MarketBody;
let folder: string;

beforeAll(async () => {
  hook = await listen(answerHook);
  [receiverStatus, attempts, told] = [200, 0, []];
  receiver = await listen(async (request, response) => {
    const body = await textOf(request);
    attempts++;
    const isSigned = isGenuine(request.headers['x-presage-signature'], body, SECRET, Date.now() / 1_000);
    const status = isSigned ? receiverStatus : 401;
    if (status === 200) told.push(JSON.parse(body) as Told);
    response.writeHead(status).end();
  });
  folder = await mkdtemp(join(tmpdir(), 'presage-hooks-'));
  const env = {
    PRESAGE_ADMISSION_HOOK: hook.url,
    PRESAGE_ADMISSION_HOOK_TIMEOUT_MS: String(TIMEOUT_MS),
    PRESAGE_WEBHOOK_URL: receiver.url,
    PRESAGE_WEBHOOK_SECRET: SECRET,
    PRESAGE_WEBHOOK_TOPICS: 'trade_settled',
  };
  exchange = await Exchange.open({ env });
  const { url } = exchange.client;
  operator = createOperatorClient({ url, key: await createSandboxClient({ url }).getOperatorKey() });
  market = await exchange.newMarket('Does the operator answer?');
});
afterAll(async () => {
  await exchange?.close();
  hook?.close();
  receiver?.close();
  if (folder !== undefined) await rm(folder, { recursive: true });
});

async function order(name: string, side: 'buy' | 'sell' = 'buy', size = '5') {
  const terms = { market: market.id, side, price: '0.4', size };
  const { status, body, headers } = await exchange.client.placeOrder(walletNamed(name), terms);
  // A refusal has a body of its own.
  return { status, body: body as unknown as ErrorReply & { orderHash: string }, headers };
}

async function expectUnavailable(name: string): Promise<void> {
  const { status, body, headers } = await order(name);
  expect([status, body.code]).toEqual([503, 'admission_unavailable']);
  expect(body.error).toContain('check of wallets does not answer');
  expect(headers.get('retry-after')).toMatch(/^\d+$/);
}

describe('a hook over HTTP', () => {
  it('refuses in its own words, on one line', async () => {
    const { status, body } = await order('refuses');
    expect([status, body.code]).toEqual([403, 'not_admitted']);
    expect(body.error).toContain('not from your country');
  });

  it('limits a wallet, which is told its limit', async () => {
    expect((await order('limits')).status).toBe(200);
    const { status, body } = await order('limits');
    expect([status, body.code]).toEqual([403, 'not_admitted']);
    expect(body.details).toMatchObject({ limit: 'openOrders', maximum: 1, current: 1 });
  });

  it.each(FAULTS)('that %s is no verdict: the trader is asked to come back', expectUnavailable);

  it('that is slow with one wallet does not keep the others waiting', async () => {
    const slow = order('slow');
    expect((await order('known')).status).toBe(200);
    expect((await slow).status).toBe(503);
  });

  it('that is absent leaves verdicts in force and cancels open, refuses wallets that it has not judged, and is asked again when it is back', async () => {
    const { body } = await order('known');
    const { port } = hook.server.address() as AddressInfo;
    hook.close();
    await expectUnavailable('new');
    expect((await order('known')).status).toBe(200);
    const cancelled = await exchange.client.delete(`/api/v1/orders/${body.orderHash}?marketId=${market.id}`);
    expect(cancelled.status).toBe(200);
    hook = await listen(answerHook, port);
    await waitFor('the wallet is admitted', async () => (await order('new')).status === 200);
  });
});

describe('a receiver of webhooks', () => {
  it('that fails for a while is told everything afterwards, in order', async () => {
    receiverStatus = 500;
    await order('known', 'buy', '1');
    for (let trade = 0; trade < 3; trade++) await order('other', 'sell', '1');
    await exchange.settled();
    await waitFor('an attempt', async () => attempts > 1);
    expect(told).toEqual([]);
    receiverStatus = 200;
    const settled = (await exchange.trades(market.id)).length;
    await waitFor('all trades are told', async () => told.length >= settled);
    const seqs = told.map(({ id }) => Number(id.split(':')[2]));
    expect(seqs).toEqual([...new Set(seqs)].sort((a, b) => a - b));
    expect(told).toHaveLength(settled);
  });

  it('that wants an event no more has it as a dead letter, and sending it again is recorded in the audit log', async () => {
    receiverStatus = 410;
    await order('known', 'buy', '1');
    await order('other', 'sell', '1');
    await waitFor('a dead letter', async () => (await operator.getWebhooks()).count > 0);
    const { deadLetters } = await operator.getWebhooks();
    receiverStatus = 200;
    const before = told.length;
    const answer = await operator.retryWebhooks({ reason: 'the receiver is mended' });
    expect(answer).toEqual({ sent: deadLetters.length, left: 0 });
    expect(told.slice(before).map(({ id }) => id)).toEqual(deadLetters.map(({ id }) => id));
    const [action] = (await operator.listActions({ limit: 1 })).actions;
    expect(action).toMatchObject({
      kind: 'retry-webhooks',
      reason: 'the receiver is mended',
      action: { letters: deadLetters.length },
    });
    // With nothing to send nothing happens, and nothing is recorded.
    expect(await operator.retryWebhooks()).toEqual({ sent: 0, left: 0 });
    expect((await operator.listActions({ limit: 1 })).actions[0]?.seq).toBe(action?.seq);
  });
});

describe('a hook that is a module', () => {
  beforeAll(async () => {
    const names = Object.fromEntries(Object.keys(wallets).map((name) => [walletNamed(name).address, name]));
    const path = join(folder, 'hook.mjs');
    await writeFile(path, moduleFor(names));
    await exchange.sandbox.stop();
    const env = { PRESAGE_ADMISSION_HOOK: path, PRESAGE_ADMISSION_HOOK_TIMEOUT_MS: String(TIMEOUT_MS) };
    exchange = await exchange.reopen({ env });
  });

  it('admits, and refuses in its own words', async () => {
    expect((await order('new')).status).toBe(200);
    const { status, body } = await order('refuses');
    expect([status, body.code]).toEqual([403, 'not_admitted']);
    expect(body.error).toContain('not from your country');
  });

  it.each(FAULTS)('that %s is no verdict: the trader is asked to come back', expectUnavailable);
});

function moduleFor(names: Readonly<Record<string, string>>): string {
  return `const NAMES = ${JSON.stringify(names)};
const ANSWERS = {
  slow: () => new Promise(() => undefined),
  throws: () => { throw new Error('broken'); },
  'says nothing': () => undefined,
  'says something else': () => ({ admit: 'yes' }),
  refuses: () => ({ admit: false, reason: 'not from\\nyour country' }),
};
export default ({ wallet }) => (ANSWERS[NAMES[wallet]] ?? (() => ({ admit: true })))();
`;
}
