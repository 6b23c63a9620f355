// An order whose answer is lost: the trader is told that it may have been placed, before they place it again.
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { EXIT_CODES } from '../src/exit-codes.ts';
import { runCommand } from '../src/run-command.ts';

const MARKET = `0x${'5e'.repeat(32)}`;
const SETTLEMENT = { name: 'PresageSettlement', version: '1', address: `0x${'11'.repeat(20)}` };
const ANSWERS: Readonly<Record<string, object>> = {
  '/api/v1/config': {
    authRequired: false,
    sandbox: true,
    chains: [{ chainId: 1, settlement: SETTLEMENT }],
    quickMarkets: { assets: [] },
  },
  '/api/v1/time': { now: 1_900_000_000, nowMs: 1_900_000_000_000 },
  [`/api/v1/markets/${MARKET}`]: { id: MARKET, question: 'Is it lost?', chainId: 1 },
};

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function order(env: Readonly<Record<string, string>>, ...options: string[]) {
  const said: string[] = [];
  const sink = { write: (text: string) => void said.push(text) };
  const args = ['order', 'buy', 'yes', '1', '@', '0.5', '--market', MARKET, ...options];
  const key = { PRESAGE_PRIVATE_KEY: `0x${'07'.repeat(32)}` };
  const code = await runCommand(args, { env: { ...key, ...env }, stdout: sink, stderr: sink });
  return { code, text: said.join('') };
}

async function serve(placing: (response: ServerResponse) => void): Promise<string> {
  server = createServer(({ url = '' }, response) => {
    const answer = ANSWERS[url];
    if (answer === undefined) placing(response);
    else response.end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('an order without an answer', () => {
  it('is said to be possibly placed once it was sent, and not before', async () => {
    const url = await serve((response) => response.destroy());
    const lost = await order({ PRESAGE_URL: url });
    expect(lost.code).toBe(EXIT_CODES.unreachable.code);
    expect(lost.text).toContain('the order may have been placed');
    server?.closeAllConnections();
    await new Promise((resolve) => server?.close(resolve));
    const unsent = await order({ PRESAGE_URL: url });
    expect(unsent.code).toBe(EXIT_CODES.unreachable.code);
    expect(unsent.text).not.toContain('may have been placed');
  });

  it.each([
    { status: 503, refusal: 'partition_unavailable', isInDoubt: true },
    { status: 503, refusal: 'exchange_halted', isInDoubt: false },
    { status: 409, refusal: 'market_closed', isInDoubt: false },
  ])('is said to be possibly placed: $isInDoubt, where the service answers $refusal', async (answered) => {
    const { status, refusal, isInDoubt } = answered;
    const url = await serve((response) => {
      response.statusCode = status;
      response.end(JSON.stringify({ error: 'No', code: refusal }));
    });
    const { text } = await order({ PRESAGE_URL: url });
    expect(text).toContain(refusal);
    expect(text.includes('may have been placed')).toBe(isInDoubt);
  });
});

it('an order that was placed is named before its settlement is waited for', async () => {
  const orderHash = `0x${'ab'.repeat(32)}`;
  const accepted = {
    orderHash,
    orderStatus: 'filled',
    matches: 1,
    filledSize: 1,
    remainingSize: 0,
    trades: [{ id: 1 }],
  };
  let isPlaced = false;
  const url = await serve((response) => {
    // The service is gone right after it has accepted the order.
    if (isPlaced) response.destroy();
    else response.end(JSON.stringify(accepted));
    isPlaced = true;
  });
  const { code, text } = await order({ PRESAGE_URL: url }, '--wait', '--timeout', '2');
  expect([code, text]).toEqual([EXIT_CODES.timeout.code, expect.stringContaining(`order ${orderHash}: placed`)]);
});
