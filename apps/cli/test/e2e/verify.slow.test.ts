// `presage verify` against a real sandbox that traded, was reorganized and killed: sound; behind a lying proxy: caught.
import { writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createTradingClient } from '@presage/sdk';
import { type KeptReceipt, verifyExchange } from '@presage/sdk/verify';
import { openSandbox, person, type SandboxProcess, TestClient, waitFor } from '@presage/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Presage } from './presage.ts';

interface Verdict {
  readonly sound: boolean;
  readonly violation?: { readonly kind: string; readonly seq: number };
  readonly counts: Readonly<Record<'orders' | 'signatures' | 'trades' | 'receipts' | 'anchors', number>>;
  readonly chain?: { readonly tradesOnChain: number; readonly drifting: readonly string[] };
}

const ANCHORED = { PRESAGE_ANCHOR_MINUTES: '1' };
const receipts: KeptReceipt[] = [];
let sandbox: SandboxProcess;
let presage: Presage;

beforeAll(async () => {
  sandbox = await openSandbox({ env: ANCHORED });
  presage = await Presage.open({ PRESAGE_URL: sandbox.url });
});
afterAll(async () => {
  await presage?.close();
  await sandbox?.discard();
});

async function trade(rounds: number): Promise<void> {
  const client = await TestClient.open(sandbox.url);
  const { body: market } = await client.post<{ id: string }>('/sandbox/markets', {
    question: `Round ${rounds}?`,
    expiresIn: 86_400,
  });
  const [alice, bob] = [person('alice'), person('bob')].map((account) =>
    createTradingClient({ url: sandbox.url, account }),
  );
  for (let round = 0; round < rounds; round++) {
    const terms = { marketId: market.id, outcome: round % 2 === 0 ? 'YES' : 'NO', size: '3' } as const;
    const resting = await alice!.placeOrder({ ...terms, side: 'buy', price: `0.${40 + (round % 10)}` });
    const taking = await bob!.placeOrder({ ...terms, side: 'sell', price: '0.4', size: '2' });
    for (const { orderHash, receipt } of [resting, taking]) if (receipt) receipts.push({ orderHash, receipt });
    if (round % 3 === 0) await resting.cancel();
  }
}

async function settle(): Promise<void> {
  const client = await TestClient.open(sandbox.url);
  await waitFor('no trade is pending', async () => {
    const { pendingTrades } = await client.read<{ pendingTrades: unknown[] }>('/api/v1/pending-trades');
    return pendingTrades.length === 0;
  });
}

async function anchored(): Promise<void> {
  const client = await TestClient.open(sandbox.url);
  const isMade = async () => (await client.read<{ count: number }>('/api/v1/journal/anchors')).count > 0;
  await waitFor('the journal is anchored', isMade, { timeoutMs: 90_000 });
  await settle();
}

async function verify(
  url: string,
  ...args: string[]
): Promise<{ code: number | null; verdict: Verdict; text: string }> {
  const { code, stdout, stderr } = await presage.run('verify', '--json', '--url', url, ...args);
  return { code, verdict: JSON.parse(stdout.split('\n')[0] ?? '{}') as Verdict, text: stdout + stderr };
}

it('a whole tour, trades, a reorganization and a kill are sound', async () => {
  expect((await presage.run('demo')).code).toBe(0);
  await trade(12);
  const client = await TestClient.open(sandbox.url);
  await client.post('/sandbox/faults', { reorgDepth: 2 });
  await trade(6);
  await sandbox.killGroup();
  sandbox = await openSandbox({ dataDir: sandbox.dataDir, env: ANCHORED });
  await trade(6);
  await settle();
  await anchored();
  const file = join(sandbox.dataDir, 'receipts.json');
  await writeFile(file, JSON.stringify(receipts));
  const { code, verdict, text } = await verify(sandbox.url, '--rpc', sandbox.rpcUrl, '--receipts', file);
  expect(verdict.violation, text).toBeUndefined();
  expect(code).toBe(0);
  expect(receipts).toHaveLength(48);
  expect(verdict).toMatchObject({ sound: true, counts: { receipts: 48 }, chain: { drifting: [] } });
  expect(verdict.counts.signatures).toBe(verdict.counts.orders);
  expect(verdict.counts.anchors).toBeGreaterThan(0);
  expect(verdict.chain?.tradesOnChain).toBe(verdict.counts.trades);
  const all = ['--rpc', sandbox.rpcUrl, '--receipts', file, '--state', join(sandbox.dataDir, 'state.json')];
  const shown = await presage.run('verify', '--url', sandbox.url, ...all);
  expect(shown.stdout).toMatch(/^SOUND/);
  console.log(shown.stdout);
});

it('the SDK comes to the same', async () => {
  const result = await verifyExchange({ url: sandbox.url, receipts });
  expect(result).toMatchObject({ sound: true, counts: { receipts: 48 } });
});

it('an operator that hides an order is caught, with an exit code of its own', async () => {
  const proxy = await openLyingProxy((path, text) => {
    if (!path.startsWith('/api/v1/journal/m0')) return text;
    const page = JSON.parse(text) as { frames: unknown[] };
    return JSON.stringify({ ...page, frames: page.frames.filter((_, index) => index !== 3) });
  });
  const { code, verdict } = await verify(proxy.url);
  expect(code).toBe(5);
  expect(verdict).toMatchObject({ sound: false, violation: { kind: 'sequence_gap' } });
  proxy.server.close();
});

/** Between the verifier and the service. */
async function openLyingProxy(lie: (path: string, text: string) => string): Promise<{ url: string; server: Server }> {
  const server = createServer(async (request, response) => {
    const answer = await fetch(sandbox.url + request.url);
    response.writeHead(answer.status, { 'content-type': 'application/json' });
    response.end(lie(request.url ?? '', await answer.text()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}
