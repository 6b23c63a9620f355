// A busy exchange verified from outside: by the command, and by a visitor in a real Chromium; behind a lying proxy both notice.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isLongRun, seedFromEnv } from '@presage/testkit';
import { CHROMIUM } from '@presage/testkit/chromium';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { money } from '../src/lib/format.ts';
import { TestBrowser } from './browser.ts';
import { BusyExchange, CHAINS } from './busy-exchange.ts';
import { TIMEOUT } from './page-actions.ts';

const ORDERS = isLongRun ? 20_000 : 120;
/** By path: it must be another process anyway. */
const PRESAGE = fileURLToPath(new URL('../../cli/bin/presage.mjs', import.meta.url));
const VERIFY_TIMEOUT = { timeout: 600_000 };

interface Verdict {
  readonly sound: boolean;
  readonly violation?: { readonly kind: string; readonly seq: number };
  readonly counts: Readonly<Record<'records' | 'orders' | 'signatures' | 'trades' | 'receipts' | 'anchors', number>>;
  readonly point: { readonly lastSeq: number };
  readonly resumedFrom?: number;
  readonly chains: readonly { readonly chainId: number; readonly tradesOnChain: number; readonly drifting: string[] }[];
}

let exchange: BusyExchange;
let dir: string;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'presage-proof-'));
  exchange = await BusyExchange.open({ orders: ORDERS, seed: seedFromEnv(20) });
  await exchange.live();
}, 3_600_000);
afterAll(async () => {
  await exchange?.close();
  await rm(dir, { recursive: true, force: true });
});

async function verify(url: string, ...args: string[]): Promise<{ code: number; verdict: Verdict; text: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [PRESAGE, 'verify', '--json', '--url', url, ...args], (error, stdout, stderr) => {
      const verdict = JSON.parse(stdout.split('\n')[0] || '{}') as Verdict;
      resolve({ code: error === null ? 0 : Number(error.code), verdict, text: stdout + stderr });
    });
  });
}

describe('`presage verify`', () => {
  it(
    'finds everything sound after reorganizations, outages, failed settlements and a kill, on both chains',
    async () => {
      const receipts = join(dir, 'receipts.json');
      await writeFile(receipts, JSON.stringify(exchange.receipts));
      const state = ['--state', join(dir, 'state')];
      const nodes = ['--rpc', ...(await exchange.rpcUrls())];
      const { code, verdict, text } = await verify(exchange.url, ...nodes, '--receipts', receipts, ...state);
      expect(verdict.violation, text).toBeUndefined();
      expect(code, text).toBe(0);
      expect(exchange.receipts.length).toBeGreaterThan(ORDERS * 0.9);
      expect(verdict.counts.receipts).toBe(exchange.receipts.length);
      expect(verdict.counts.signatures).toBe(verdict.counts.orders);
      expect(verdict.counts.anchors).toBeGreaterThanOrEqual(CHAINS.length);
      expect(verdict.chains.map(({ chainId, drifting }) => [chainId, drifting])).toEqual(CHAINS.map((id) => [id, []]));
      const onChain = verdict.chains.map(({ tradesOnChain }) => tradesOnChain);
      expect(Math.min(...onChain)).toBeGreaterThan(0);
      const { records, trades } = verdict.counts;
      console.log(`${records} records, ${trades} trades, settled on each chain: ${onChain.join(', ')}`);
    },
    VERIFY_TIMEOUT.timeout,
  );

  it(
    'goes on from there, and reads only what is new',
    async () => {
      await exchange.trade(20);
      const { code, verdict, text } = await verify(exchange.url, '--state', join(dir, 'state'));
      expect(code, text).toBe(0);
      expect(verdict.resumedFrom).toBeGreaterThan(ORDERS);
      expect(verdict.counts.records - verdict.resumedFrom!).toBeLessThan(ORDERS);
      expect(verdict.counts.records).toBe(verdict.point.lastSeq);
    },
    VERIFY_TIMEOUT.timeout,
  );

  it('catches an operator that hides an order, with an exit code of its own', async () => {
    const proxy = await openLyingProxy();
    const { code, verdict } = await verify(proxy);
    expect(code).toBe(5);
    expect(verdict).toMatchObject({ sound: false, violation: { kind: 'sequence_gap' } });
  });
});

describe.skipIf(CHROMIUM === undefined)('the proof screen', () => {
  let browser: TestBrowser;

  beforeAll(async () => {
    browser = await TestBrowser.open();
  });
  afterAll(() => browser?.close());

  it(
    'verifies in the browser while the page stays alive, and checks the receipts that the browser kept',
    async () => {
      await exchange.settle();
      const own = exchange.receipts
        .slice(0, 3)
        .map(({ orderHash, receipt }) => ({ orderHash, receipt, marketId: '0x', text: 'Buy 1 YES' }));
      const localStorage = [{ name: 'presage.receipts', value: JSON.stringify(own) }];
      const { page, complaints, outside, close } = await browser.visit(`${exchange.url}/proof`, {
        storageState: { cookies: [], origins: [{ origin: exchange.url, localStorage }] },
      });
      onTestFinished(close);
      await page.getByTestId('receipts').getByText('3 kept in this browser').waitFor(TIMEOUT);
      const answer = await (await fetch(`${exchange.url}/api/v1/solvency`)).json();
      const held = (answer as { chains: { collateral: number }[] }).chains.map(({ collateral }) => money(collateral));
      await expect.poll(() => page.getByTestId('collateral').allInnerTexts(), TIMEOUT).toEqual(held);
      for (const again of [false, true]) {
        await page.getByTestId('verify').click();
        await page.locator('[data-testid=verify-panel][data-state=sound]').waitFor(VERIFY_TIMEOUT);
        expect(await page.getByTestId('verdict').innerText()).toBe('Everything checks out');
        const findings = await page.getByTestId('findings').innerText();
        expect(findings).toContain('3 of your 3 receipts are kept');
        expect(findings.includes('you had checked before')).toBe(again);
      }
      expect([complaints, outside]).toEqual([[], []]);
    },
    VERIFY_TIMEOUT.timeout,
  );

  it('says what happened and where when the operator hides an order', async () => {
    const { page, close } = await browser.visit(`${await openLyingProxy()}/proof`);
    onTestFinished(close);
    await page.getByTestId('verify').click(TIMEOUT);
    await page.locator('[data-testid=verify-panel][data-state=unsound]').waitFor(VERIFY_TIMEOUT);
    const text = await page.getByTestId('violation').innerText();
    expect(text).toMatch(/^Records are missing or doubled in the journal\. At record \d+ of the journal\./);
  });
});

/** Between the verifier and the service; leaves out one frame of the journal. */
async function openLyingProxy(): Promise<string> {
  const server: Server = createServer(async (request, response) => {
    const answer = await fetch(exchange.url + request.url).catch(() => undefined);
    if (answer === undefined) return response.destroy();
    const bytes = Buffer.from(await answer.arrayBuffer());
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' });
    response.end(request.url?.startsWith('/api/v1/journal/m0') ? withoutOneFrame(bytes.toString()) : bytes);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function withoutOneFrame(text: string): string {
  const page = JSON.parse(text) as { frames: unknown[] };
  return JSON.stringify({ ...page, frames: page.frames.filter((_, index) => index !== 3) });
}
