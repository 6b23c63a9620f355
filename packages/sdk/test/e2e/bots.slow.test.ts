// The bots of examples/ do what they say: three windows quoted and claimed, and a fourth after starting again.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { waitFor } from '@presage/testkit';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { SdkSandbox } from './sdk-sandbox.ts';

const EXAMPLES = fileURLToPath(new URL('../../../../examples/', import.meta.url));
const RUN = fileURLToPath(new URL('../../../../scripts/run.mjs', import.meta.url));
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
}

let sandbox: SdkSandbox;

function hasPython(): boolean {
  try {
    execFileSync('python3', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

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
  return { said, trouble: () => trouble, ended: new Promise((resolve) => child.once('exit', resolve)) };
}

/** Somebody sells to the bot, and time passes to the end of the window. */
async function playWindow(bot: Bot, count: number): Promise<void> {
  const quoting = () => bot.said.filter(({ event }) => event === 'quoting');
  const { market, end } = await waitFor(`window ${count} is quoted\n${bot.trouble()}`, () => quoting()[count - 1], {
    timeoutMs: 60_000,
  });
  const taker = sandbox.client('bot taker');
  const marketId = market as string;
  await taker.placeOrder({ marketId, side: 'sell', price: '0.45', size: '10' });
  await waitFor('the fill is settled', async () => (await sandbox.reader.listPendingTrades()).count === 0);
  const { now } = await sandbox.reader.getTime();
  await sandbox.post('/sandbox/time', { advanceSeconds: (end as number) - now + 5 });
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
  const again = start(command, args, 1);
  await playWindow(again, 1);
  expect(await again.ended, again.trouble()).toBe(0);
  expect(again.said.map(({ event }) => event)).toEqual(['started', 'quoting', 'claimed', 'done']);
}

describe.skipIf(process.env.PRESAGE_TEST_LONG !== '1')('a bot that quotes quick markets (in the long suite)', () => {
  beforeAll(async () => {
    sandbox = await SdkSandbox.open();
  });
  afterAll(() => sandbox?.close());

  it('in TypeScript quotes three windows, claims each, and starts again', async () => {
    await beginAtRest();
    await playBot(process.execPath, [RUN, `${EXAMPLES}typescript/quick-maker.ts`]);
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
