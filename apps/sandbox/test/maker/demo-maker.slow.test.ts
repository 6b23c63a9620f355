// The demo maker in the whole sandbox: books alive on both outcomes, trades, no errors, and nothing left of it when it has stopped.
import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createPublicClient, createSandboxClient, createTradingClient } from '@presage/sdk';
import { isLongRun, openSandbox, type SandboxProcess, TestClient, waitFor } from '@presage/testkit';
import type { Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MAKER_KEY, TAKER_KEYS } from '../../src/maker/maker-wallets.ts';
import { DemoTour } from '../../src/tour/demo-tour.ts';

const { address } = privateKeyToAccount(MAKER_KEY);
const WINDOWS = isLongRun ? 8 : 2;
let sandbox: SandboxProcess;
let client: TestClient;

beforeAll(async () => {
  sandbox = await openSandbox({ env: { PRESAGE_DEMO: 'on' } });
  client = await TestClient.open(sandbox.url);
});
afterAll(() => sandbox.discard());

interface OpenMarket {
  readonly id: string;
  readonly kind: string;
  readonly volume: number;
}

const openMarkets = async () => (await client.read<{ markets: OpenMarket[] }>('/api/v1/markets?status=open')).markets;
const ordersOfMaker = async () => (await client.read<{ count: number }>(`/api/v1/orders?trader=${address}`)).count;

async function tradesOf(key: Hex): Promise<number> {
  const { address: trader } = privateKeyToAccount(key);
  return (await client.read<{ trade_count: number }>(`/api/v1/user-stats?address=${trader}`)).trade_count;
}

/** Both sides of both outcomes. */
async function isAlive({ id }: OpenMarket): Promise<boolean> {
  for (const outcome of ['YES', 'NO']) {
    const { bids, asks } = await client.read<{ bids: object[]; asks: object[] }>(
      `/api/v1/orderbook/${id}?outcome=${outcome}`,
    );
    if (bids.length === 0 || asks.length === 0) return false;
  }
  return true;
}

const allAlive = async () => {
  const markets = await openMarkets();
  const alive = await Promise.all(markets.map(isAlive));
  // Between two windows no quick market is open for a moment.
  return markets.length >= 4 && markets.some(({ kind }) => kind === 'quick') && alive.every(Boolean);
};

function makerPid(): number {
  const rows = execFileSync('ps', ['-A', '-o', 'pid=,args='], { encoding: 'utf8' }).trim().split('\n');
  const own = rows.filter((row) => row.includes('maker/main.ts') && isOurs(Number(row.trim().split(/\s+/)[0])));
  return Number(own[0]?.trim().split(/\s+/)[0]);
}

function isOurs(pid: number): boolean {
  return Number(execFileSync('ps', ['-o', 'ppid=', '-p', String(pid)], { encoding: 'utf8' })) === sandbox.pid;
}

async function failedRounds(): Promise<string[]> {
  const log = await readFile(join(sandbox.dataDir, 'service.log'), 'utf8');
  return log.split('\n').filter((line) => line.includes('demo maker failed'));
}

describe('the demo maker', () => {
  it('keeps both sides of both outcomes of every market alive, quick ones too', async () => {
    await waitFor('every book is alive', allAlive);
  });

  it('has a crowd of wallets trade with it, and the trades settle', async () => {
    await waitFor('something was traded', async () => (await openMarkets()).some(({ volume }) => volume > 0));
    await waitFor('a trade is confirmed', async () => {
      const market = (await openMarkets()).find(({ volume }) => volume > 0)!;
      const { trades } = await client.read<{ trades: { status: string }[] }>(`/api/v1/trades/${market.id}`);
      return trades.some(({ status }) => status === 'confirmed');
    });
    await waitFor('three takers have traded', async () => {
      const counts = await Promise.all(TAKER_KEYS.map(tradesOf));
      return counts.filter((count) => count > 0).length >= 3;
    });
  });

  it('is shown around in a tour, on which a trade fails and heals', async () => {
    const { url } = sandbox;
    const said: string[] = [];
    await new DemoTour({
      url,
      reader: createPublicClient({ url }),
      sandbox: createSandboxClient({ url }),
      visitor: createTradingClient({ url, account: privateKeyToAccount(generatePrivateKey()) }),
      say: (line) => said.push(line),
      signal: AbortSignal.timeout(300_000),
    }).run();
    const text = said.join('\n');
    for (const words of [
      'An event of 5',
      'An event of 6',
      '/quick/BTC',
      'A trade that fails',
      'It heals',
      'presage trace 0x',
    ])
      expect(text).toContain(words);
    expect((await client.post<object>('/sandbox/faults', {})).body).toMatchObject({ settlement: 'normal' });
  });

  it(`follows quick markets through ${WINDOWS} windows that end, without an error`, async () => {
    for (let window = 0; window < WINDOWS; window++) {
      const before = (await openMarkets()).filter(({ kind }) => kind === 'quick').map(({ id }) => id);
      expect((await client.post('/sandbox/time', { advanceSeconds: 900 })).status).toBe(200);
      await waitFor('the books of the next windows are alive', async () => {
        const quick = (await openMarkets()).filter(({ kind, id }) => kind === 'quick' && !before.includes(id));
        const alive = await Promise.all(quick.map(isAlive));
        return quick.length === before.length && alive.every(Boolean);
      });
    }
    expect(await failedRounds()).toEqual([]);
  });

  it('leaves nothing on the book when it is killed, and is started again', async () => {
    const pid = makerPid();
    process.kill(pid, 'SIGSTOP');
    await waitFor('its orders are gone', async () => (await ordersOfMaker()) === 0);
    process.kill(pid, 'SIGKILL');
    await waitFor('its orders are back', async () => (await ordersOfMaker()) > 0);
    expect(makerPid()).not.toBe(pid);
  });

  it('stops and starts on request, and the choice survives a restart', async () => {
    expect((await client.post<object>('/sandbox/maker', { running: false })).body).toEqual({ running: false });
    await waitFor('its orders are gone', async () => (await ordersOfMaker()) === 0);
    await sandbox.killGroup();
    sandbox = await openSandbox({ dataDir: sandbox.dataDir, env: { PRESAGE_DEMO: 'on' } });
    client = client.at(sandbox.url);
    expect(await ordersOfMaker()).toBe(0);
    expect((await client.post<object>('/sandbox/maker', { running: true })).body).toEqual({ running: true });
    await waitFor('its orders are back', async () => (await ordersOfMaker()) > 0);
  });
});
