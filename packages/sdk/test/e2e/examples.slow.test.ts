// Every example does what it says against a real sandbox, every function has one, and the README's bot runs as printed.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CutProxy, RUNNER, waitFor, walletOf } from '@presage/testkit';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createSandboxClient, createTradingClient, PlacedOrder } from '../../src/index.ts';
import { createOperatorClient } from '../../src/operator-client.ts';
import { SdkSandbox } from './sdk-sandbox.ts';

const EXAMPLES = fileURLToPath(new URL('../../examples/', import.meta.url));
const EVENT_MAKER = fileURLToPath(new URL('../../../../examples/typescript/event-maker.ts', import.meta.url));
const README = fileURLToPath(new URL('../../README.md', import.meta.url));
const MODULES = fileURLToPath(new URL('../../../../node_modules', import.meta.url));

let sandbox: SdkSandbox;

beforeAll(async () => {
  sandbox = await SdkSandbox.open({ env: { PRESAGE_QUICK_ASSETS: 'BTC', PRESAGE_KEEPER: 'off' } });
  process.env.PRESAGE_URL = sandbox.url;
  vi.spyOn(console, 'log').mockImplementation(() => undefined);
});
afterAll(() => sandbox?.close());

/** An example exports what it has observed. */
function run(name: string): Promise<Record<string, never>> {
  return import(join(EXAMPLES, `${name}.ts`));
}

const NO_POSITION = { yesShares: 0, noShares: 0 };
const PLACED = expect.any(PlacedOrder);

describe('the example', () => {
  it.each<[string, object]>([
    ['read-markets', { service: 'Presage', trades: expect.any(Array), dependencies: { engine: { up: true } } }],
    [
      'place-order',
      { order: { orderStatus: 'filled' }, settled: [{ stage: 'confirmed' }], failed: [], status: 'cancelled' },
    ],
    ['preview-order', { preview: { errors: [], wouldMatch: { filledSize: 0, remainingSize: 25_000_000 } } }],
    ['send-again', { open: [{ price: 20_000, remainingSize: 5_000_000 }] }],
    [
      'quote-and-cancel',
      { results: [PLACED, PLACED, PLACED], pair: [PLACED, PLACED], cancelled: Array(4).fill(expect.any(String)) },
    ],
    ['setup-wallet', { first: { done: ['stablecoin-permit', 'ctf-approval'] }, second: { done: [] } }],
    ['api-keys', { revoked: { active: false }, isInUse: true }],
    [
      'approve',
      {
        approvals: { settlement: { allowance: '250000000', sharesApproved: true } },
        relayed: { status: 'confirmed' },
        nonce: 1,
      },
    ],
    ['leave', { settlement: { allowance: '0', sharesApproved: false } }],
    ['split-and-merge', { yesShares: 10_000_000, noShares: 10_000_000, balance: '10000000' }],
    ['convert', { balance: '10000000', yes: [10_000_000, 10_000_000, 10_000_000], no: [0, 0, 0] }],
    ['read-events', { events: expect.any(Array), kinds: expect.arrayContaining(['event', 'outcome']), bid: '0.3' }],
    ['buy-outcome', { quote: { best: 'converted' }, total: '0.35', yes: 10_000_000, spent: 3_500_000n }],
    ['resolve-event', { status: 'resolved', winningIndex: 1, totalPayout: 20_000_000n }],
    [
      'read-wallet',
      { order: { status: 'open' }, events: [{ type: 'accepted' }], position: NO_POSITION, held: [], count: 1 },
    ],
    ['read-settlements', { unknown: { found: false }, failedTrades: expect.any(Array) }],
    [
      'read-history',
      {
        csv: expect.stringMatching(/^cursor,time,tradeId.*\r\n.*,taker,.*\r\n$/s),
        days: expect.any(Set),
        epoch: { rewards: [expect.anything()] },
      },
    ],
    ['verify-exchange', { sound: true, counts: { receipts: 1 } }],
    [
      'operate',
      {
        me: { name: 'sandbox' },
        market: { question: 'Will it snow in Lisbon before March?', featured: true, category: 'weather' },
        controls: { halted: true, reason: 'maintenance' },
        keys: [{ name: 'sandbox' }, { name: 'night watch' }],
        webhooks: { enabled: false, deadLetters: [] },
        revenue: [],
        refusal: { code: 'not_voidable' },
        actions: expect.arrayContaining([expect.objectContaining({ kind: 'edit-market', reason: 'clearer' })]),
      },
    ],
    ['quick-market', { current: { asset: 'BTC' }, price: { asset: 'BTC' }, followed: [true] }],
    ['watch-book', { bestBids: ['0.03'] }],
    ['watch-trades', { stages: expect.arrayContaining(['matched', 'confirmed']), kinds: expect.any(Set) }],
    ['watch-wallet', { seen: expect.arrayContaining(['balance', 'order']) }],
    ['watch-price', { prices: [expect.any(Number), expect.any(Number)] }],
    ['play-with-a-sandbox', { balance: '100000000', status: 'resolved', winningOutcome: 1 }],
    [
      'resolve-and-redeem',
      { resolution: { status: 'resolved', winningOutcome: 0 }, totalPayout: 10_000_000n, balance: '10000000' },
    ],
  ])('%s', async (name, expected) => {
    expect(await run(name)).toMatchObject(expected);
  });

  it('run-the-maker, where the sandbox has one', async ({ skip }) => {
    const { status } = await sandbox.http.post('/sandbox/maker', { running: false });
    if (status === 404) skip();
    expect(await run('run-the-maker')).toMatchObject({ started: expect.anything(), stopped: expect.anything() });
  });

  it('handle-errors', async () => {
    const { messages } = (await run('handle-errors')) as unknown as { messages: string[] };
    expect(messages).toMatchObject(
      [/^price must be/, /^market_not_found: /, /out of reach/].map((text) => expect.stringMatching(text)),
    );
  });

  it('dispute, by a wallet with gas of its own, and arbitrated', async () => {
    const { id, expiration } = await sandbox.newMarket('Is it disputed?');
    const proposer = sandbox.client('sdk proposer');
    const { now } = await sandbox.reader.getTime();
    await sandbox.http.post('/sandbox/time', { advanceSeconds: Number(expiration) - now + 1 });
    await (await proposer.proposeResolution(id, 'YES')).wait();
    const becomes = (status: string) =>
      waitFor(`the market is ${status}`, async () => (await sandbox.reader.getResolution(id)).status === status);
    await becomes('proposed');
    const { chains } = await sandbox.reader.getConfig();
    const rpc = async (method: string, params: unknown[]) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
      const answer = await fetch(chains[0]?.rpcUrl ?? '', {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/json' },
      });
      return ((await answer.json()) as { result: unknown }).result;
    };
    const sendAs =
      (from: string) =>
      async ({ to, data }: { to: string; data: string }) => {
        const hash = await rpc('presage_sendAs', [{ from, to, data }]);
        await waitFor('it is mined', async () => (await rpc('eth_getTransactionReceipt', [hash])) !== null);
      };
    const disputer = walletOf('sdk disputer').address;
    await createSandboxClient({ url: sandbox.url }).fund(disputer, '100000');
    const { dispute, arbitrate } = (await run('dispute')) as unknown as Record<
      string,
      (...args: unknown[]) => Promise<void>
    >;
    await dispute!(id, disputer, sendAs(disputer));
    await becomes('disputed');
    const arbitrator = String(await rpc('eth_call', [{ to: chains[0]?.oracle, data: '0x6cc6cde1' }, 'latest']));
    await arbitrate!(id, sendAs(`0x${arbitrator.slice(-40)}`));
    await becomes('expired');
  });

  it('browser-wallet', async () => {
    const account = walletOf('sdk browser');
    const asked: string[] = [];
    const ethereum = {
      request: async ({ method, params }: { method: string; params?: unknown }) => {
        asked.push(method);
        if (method === 'eth_requestAccounts') return [account.address];
        return account.signTypedData(JSON.parse((params as string[])[1] ?? ''));
      },
    };
    Object.assign(globalThis, { ethereum });
    expect(await run('browser-wallet')).toMatchObject({ order: { orderStatus: 'open' } });
    expect(asked).toEqual(['eth_requestAccounts', 'eth_signTypedData_v4']);
  });
});

it('every function of the clients is shown in an example', async () => {
  const names = (await readdir(EXAMPLES)).filter((name) => name.endsWith('.ts'));
  const texts = await Promise.all(names.map((name) => readFile(join(EXAMPLES, name), 'utf8')));
  const client = createTradingClient({ url: sandbox.url, account: walletOf('sdk examples') });
  const { url } = sandbox;
  const sandboxClient = createSandboxClient({ url });
  const operator = createOperatorClient({ url, key: await sandboxClient.getOperatorKey() });
  const functions = Object.entries({ ...client, ...sandboxClient, ...operator }).flatMap(([name, value]) =>
    typeof value === 'function' ? [name] : [],
  );
  const unshown = functions.filter((name) => !texts.some((text) => text.includes(`.${name}(`)));
  expect(unshown).toEqual([]);
});

interface Quoted {
  readonly event: string;
  /** Sums of the best prices of YES of all outcomes. */
  readonly bids?: number;
  readonly asks?: number;
  readonly chances?: readonly number[];
  readonly freed?: number;
}

it('the maker of a whole event keeps the sum of its chances at one, and converts what it holds', async () => {
  const outcomes = ['Red', 'Green', 'Blue', 'None of them'];
  const question = 'Does the maker keep its sum?';
  const event = await createSandboxClient({ url: sandbox.url }).createEvent({ question, outcomes });
  // A bid above what the maker asks: it cannot quote that side without trading.
  const crowd = { marketId: event.outcomes[3]!.marketId, side: 'buy', price: '0.9', size: '1' } as const;
  await sandbox.client('sdk event crowd').placeOrder(crowd);
  let output = '';
  const maker = spawn(process.execPath, [RUNNER, EVENT_MAKER, sandbox.url, event.id, '3'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void maker.kill('SIGKILL'));
  let trouble = '';
  maker.stdout.on('data', (chunk) => (output += String(chunk)));
  maker.stderr.on('data', (chunk) => (trouble += String(chunk)));
  const ended = new Promise((resolve) => maker.once('exit', resolve));
  const said = () =>
    output
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Quoted);
  const quotes = () => said().filter((line) => line.event === 'quoted');
  const taker = sandbox.client('sdk event taker');
  for (const index of [0, 1]) {
    await waitFor(`it quotes\n${trouble}`, () => quotes().length === index + 1);
    const { marketId } = event.outcomes[index]!;
    const { asks } = await sandbox.reader.getOrderbook(marketId, { outcome: 'YES' });
    await taker.placeOrder({ marketId, side: 'buy', price: BigInt(asks[0]!.price), size: '10', timeInForce: 'FOK' });
  }
  expect(await ended, trouble).toBe(0);
  expect(said().find((line) => line.event === 'converted')?.freed).toBe(10_000_000);
  for (const { bids = 0, asks = 0, chances = [] } of quotes()) {
    expect(chances.reduce((sum, chance) => sum + chance, 0)).toBeCloseTo(1, 3);
    expect(bids).toBeLessThan(1_000_000);
    expect(asks).toBeGreaterThan(1_000_000);
  }
  // What was bought costs more, and the others less.
  const [first, , last] = quotes().map(({ chances }) => chances!);
  expect(last![0]).toBeGreaterThan(first![0]!);
  expect(last![3]).toBeLessThan(first![3]!);
});

describe('the bot of the README', () => {
  let bot: ChildProcess | undefined;
  let dir: string;

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'presage-bot-'));
    await symlink(MODULES, join(dir, 'node_modules'));
  });
  afterAll(async () => {
    bot?.kill('SIGKILL');
    await rm(dir, { recursive: true, force: true });
  });

  it('quotes around its last fill and again after it was cut off, as printed, in 20 lines', async () => {
    const code = /```ts bot\n([\s\S]*?)```/.exec(await readFile(README, 'utf8'))?.[1] ?? '';
    expect(code.split('\n').filter((line) => line.trim() !== '').length).toBeLessThanOrEqual(21);
    await writeFile(join(dir, 'bot.ts'), code);
    await writeFile(join(dir, 'package.json'), '{"type":"module"}');
    const { id } = await sandbox.newMarket('Does the bot quote?');
    let output = '';
    const proxy = await CutProxy.open(sandbox.url);
    onTestFinished(() => proxy.close());
    const key = generatePrivateKey();
    const env = { ...process.env, PRESAGE_URL: proxy.url, BOT_KEY: key, BOT_MARKET: id };
    bot = spawn(process.execPath, ['--import', import.meta.resolve('tsx'), 'bot.ts'], {
      cwd: dir,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [bot.stdout, bot.stderr]) stream?.on('data', (chunk) => (output += String(chunk)));
    const quotes = async () => {
      if (bot?.exitCode !== null) throw new Error(`the bot ended: ${output}`);
      const { bids, asks } = await sandbox.reader.getOrderbook(id, { outcome: 'YES' });
      return [bids[0]?.price, asks[0]?.price].join();
    };
    await waitFor('it quotes around the middle', async () => (await quotes()) === '480000,520000');
    const ann = sandbox.client('sdk ann');
    // Its stream may not be connected yet when its first quotes appear: trade until it reacts.
    await waitFor(
      'it has followed the price',
      async () => {
        await ann.placeOrder({ marketId: id, side: 'buy', price: '0.52', size: '1', timeInForce: 'IOC' });
        return (await quotes()) === '500000,540000';
      },
      { pollMs: 500 },
    );
    // As its own heartbeat does while it cannot be heard.
    await createTradingClient({ url: sandbox.url, account: privateKeyToAccount(key) }).cancelAll();
    expect(await quotes()).toBe(',');
    proxy.cut();
    await waitFor('it quotes again', async () => (await quotes()) === '500000,540000');
    expect(output).toBe('');
  });
});
