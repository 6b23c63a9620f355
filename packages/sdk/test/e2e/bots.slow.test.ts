// The bots of examples/ do what they say: three windows quoted and claimed; killed in a fourth and started again, they claim that first and go on.
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { hasPython, isLongRun, QUICK_MARKETS, RUNNER, waitFor } from '@presage/testkit';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { SdkSandbox } from './sdk-sandbox.ts';

const EXAMPLES = fileURLToPath(new URL('../../../../examples/', import.meta.url));
const WINDOW = 900;

interface Said {
  readonly event: 'started' | 'quoting' | 'claimed' | 'done';
  readonly market?: `0x${string}`;
  readonly end?: number;
  readonly paid?: number;
}

interface Bot {
  readonly said: Said[];
  readonly trouble: () => string;
  readonly ended: Promise<number | null>;
  /** Without a chance to tidy up. */
  kill(): void;
}

let sandbox: SdkSandbox;

function start(command: string, args: readonly string[], windows: number): Bot {
  const child: ChildProcess = spawn(command, [...args, sandbox.url, String(windows)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const said: Said[] = [];
  let rest = '';
  let trouble = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    const lines = (rest + chunk.toString()).split('\n');
    rest = lines.pop() ?? '';
    said.push(...lines.map((line) => JSON.parse(line) as Said));
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    trouble += chunk.toString();
  });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  return { said, trouble: () => trouble, ended, kill: () => void child.kill('SIGKILL') };
}

/** Somebody sells to the bot, once it quotes its next window. */
async function sellTo(bot: Bot, count: number): Promise<Required<Pick<Said, 'market' | 'end'>>> {
  const quoting = () => bot.said.filter(({ event }) => event === 'quoting');
  const { market, end } = await waitFor(`window ${count} is quoted\n${bot.trouble()}`, () => quoting()[count - 1], {
    timeoutMs: 60_000,
  });
  const taker = sandbox.client('bot taker');
  await taker.placeOrder({ marketId: market as string, side: 'sell', price: '0.45', size: '10' });
  await waitFor('the fill is settled', async () => (await sandbox.reader.listPendingTrades()).count === 0);
  return { market: market!, end: end! };
}

async function travelPast(end: number): Promise<void> {
  const { now } = await sandbox.reader.getTime();
  await sandbox.post('/sandbox/time', { advanceSeconds: end - now + 5 });
}

async function playWindow(bot: Bot, count: number): Promise<void> {
  const { end } = await sellTo(bot, count);
  await travelPast(end);
  await waitFor(
    `window ${count} is claimed\n${bot.trouble()}`,
    () => bot.said.filter(({ event }) => event === 'claimed').length === count,
    { timeoutMs: 90_000 },
  );
}

async function playBot(command: string, args: readonly string[]): Promise<void> {
  const first = start(command, args, 3);
  for (const count of [1, 2, 3]) await playWindow(first, count);
  expect(await first.ended, first.trouble()).toBe(0);
  const claimed = first.said.filter(({ event }) => event === 'claimed');
  // It bought ten YES, and a price that stands still is not lower.
  expect(claimed.map(({ paid }) => paid)).toEqual([10_000_000, 10_000_000, 10_000_000]);
  expect(new Set(claimed.map(({ market }) => market)).size).toBe(3);

  const killed = start(command, args, 0);
  const { market, end } = await sellTo(killed, 1);
  killed.kill();
  await killed.ended;
  await travelPast(end);
  await waitFor('its window is decided', async () => (await sandbox.reader.getMarket(market)).resolved);
  const again = start(command, args, 1);
  await playWindow(again, 1);
  expect(await again.ended, again.trouble()).toBe(0);
  expect(again.said.map(({ event }) => event)).toEqual(['started', 'quoting', 'claimed', 'done']);
  expect(again.said.map(({ paid }) => paid)).toEqual([10_000_000, undefined, 10_000_000, undefined]);
}

describe.skipIf(!isLongRun)('a bot that quotes quick markets (in the long suite)', () => {
  beforeAll(async () => {
    sandbox = await SdkSandbox.open({ env: QUICK_MARKETS });
  });
  afterAll(() => sandbox?.close());

  it('in TypeScript quotes three windows, claims each, is killed, and starts again', async () => {
    await beginAtRest();
    await playBot(process.execPath, [RUNNER, `${EXAMPLES}typescript/quick-maker.ts`]);
  });

  it.skipIf(!hasPython())('in Python does the same (skipped where there is no python3)', async () => {
    await beginAtRest();
    await playBot('python3', [`${EXAMPLES}python/quick_maker.py`]);
  });
});

/** Into a window that begins at the price it will end at, with time enough to trade. */
async function beginAtRest(): Promise<void> {
  await sandbox.post('/sandbox/price', { asset: 'BTC', priceUSD: 50_000 });
  const { now } = await sandbox.reader.getTime();
  await sandbox.post('/sandbox/time', { advanceSeconds: WINDOW - (now % WINDOW) + 5 });
}
