// The command line against a real sandbox: a complete trade, every exit code, and the journal of a running and a stopped service.
import { cp, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSandbox, type SandboxProcess, waitFor, withoutQuickMarkets } from '@presage/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Presage, toLines } from './presage.ts';

const HASH = expect.stringMatching(/^0x[0-9a-f]{64}$/);
const QUESTION = 'Does the terminal work?';

interface Step {
  readonly step: string;
  readonly detail: string;
  readonly txHash?: string;
}

interface ShownBooks {
  readonly seq: number;
  readonly source: string;
  readonly books: readonly { readonly hash: string; readonly bids: readonly unknown[] }[];
}

interface Placed {
  readonly orderHash: string;
  readonly orderStatus: string;
  readonly remainingSize: number;
}

let sandbox: SandboxProcess;
let presage: Presage;

beforeAll(async () => {
  sandbox = await openSandbox(withoutQuickMarkets({}));
  presage = await Presage.open({ PRESAGE_URL: sandbox.url });
});
afterAll(async () => {
  await presage?.close();
  await sandbox?.discard();
});

it.each([
  ['once', (...args: string[]) => presage.start(...args).ended],
  ['and again', (...args: string[]) => presage.run(...args)],
])('the tour ends well %s, with a transaction for each step on chain', async (_when, run) => {
  const { code, stdout } = await run('demo', '--json');
  expect(code).toBe(0);
  const steps = toLines<Step>(stdout);
  expect(steps.filter(({ txHash }) => txHash !== undefined)).toHaveLength(8);
  expect(new Set(steps.map(({ step }) => step))).toEqual(
    new Set(['fund', 'approve', 'market', 'sell', 'buy', 'settle', 'warp', 'propose', 'redeem', 'done']),
  );
  for (const { txHash } of steps) if (txHash !== undefined) expect(txHash).toEqual(HASH);
  expect(steps.at(-1)?.detail).toBe('you began with 100 and have 104');
});

it('operates the exchange: a market, its text, a pause, a halt, a blocked wallet, and the log of it', async () => {
  const { marketId } = await presage.json<{ marketId: string }>(
    'admin',
    'markets',
    'create',
    'Does the operator work?',
    '--expires',
    '30d',
    '--source',
    'the test',
  );
  await presage.json('admin', 'categories', 'define', 'tests', 'Tests');
  const edit = ['admin', 'markets', 'edit', marketId, '--category', 'tests', '--reason', 'its place'];
  expect(await presage.json(...edit)).toMatchObject({ category: 'tests', source: 'the test' });
  expect(await presage.json('admin', 'markets', 'pause', marketId)).toMatchObject({ paused: true });
  expect(await presage.json('admin', 'halt', '--reason', 'a test')).toMatchObject({ halted: true });
  expect(await presage.text('admin', 'stopped')).toMatch(/trading is halted: a test\npaused 0x/);
  expect(await presage.json('admin', 'resume')).toMatchObject({ halted: false });
  const wallet = `0x${'ab'.repeat(20)}`;
  expect(await presage.json('admin', 'block', wallet)).toMatchObject({ blocked: true, cancelledOrders: 0 });
  await presage.json('admin', 'unblock', wallet);
  const { publicKey, keyId } = await presage.json<Record<string, string>>('admin', 'keys', 'new');
  const add = ['admin', 'keys', 'add', 'night watch', publicKey!, '--rights', 'read,trading'];
  expect(await presage.json(...add)).toMatchObject({ keyId, rights: ['read', 'trading'], privateKey: null });
  expect(await presage.text('admin', 'keys')).toContain('night watch');
  await presage.json('admin', 'keys', 'revoke', keyId!);
  expect(await presage.json('admin', 'retry')).toMatchObject({ chains: [31_337] });
  expect(await presage.json('admin', 'failures')).toMatchObject({ trades: [] });
  await presage.json('admin', 'markets', 'close', marketId);
  const { actions } = await presage.json<{ actions: { kind: string }[] }>('admin', 'log', '--subject', marketId);
  expect(actions.map(({ kind }) => kind)).toEqual(['close-market', 'pause-market', 'edit-market', 'create-market']);
  const log = await presage.text('admin', 'log');
  expect(log.match(/(halt|resume)-trading|(un)?block-wallet/g)).toEqual([
    'unblock-wallet',
    'block-wallet',
    'resume-trading',
    'halt-trading',
  ]);
  const { code, stderr } = await presage.run('admin', 'markets', 'void', marketId);
  expect(code).not.toBe(0);
  expect(stderr).toContain('does not let this market be voided now');
});

describe('a trade from the terminal', () => {
  let marketId: string;
  let resting: Placed;

  it('starts with a wallet file that only its owner can read, created on first use and reported', async () => {
    const { code, stdout, stderr } = await presage.start('wallet', 'fund', '50', '--json').ended;
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 0, amount: '50000000', txHash: HASH });
    expect(stderr).toMatch(/since this is a sandbox\nwallet 0x[0-9a-fA-F]{40} \((.*default\.json)\)/);
    const path = /\((.*default\.json)\)/.exec(stderr)?.[1] ?? '';
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await presage.json('wallet', 'balance')).toMatchObject({ balance: '50000000', sharesApproved: false });
    const bounded = await presage.json('wallet', 'setup', '--allowance', '40');
    expect(bounded).toMatchObject({ done: ['stablecoin-permit', 'ctf-approval'] });
    expect(await presage.json('wallet', 'balance')).toMatchObject({ allowance: '40000000' });
    expect(await presage.json('wallet', 'setup')).toMatchObject({ done: ['stablecoin-permit'] });
    expect(await presage.json('wallet', 'new', '--wallet', 'bob')).toMatchObject({ name: 'bob' });
  });

  it('deposits with the settlement contract, and takes it out in part and whole', async () => {
    const deposited = { deposited: '12', balance: '38000000', stillDeposited: '12000000' };
    expect(await presage.json('wallet', 'deposit', '12')).toMatchObject(deposited);
    expect(await presage.json('wallet', 'balance')).toMatchObject({ deposited: '12000000', balance: '38000000' });
    const withdrawn = { withdrawn: '2', balance: '40000000', stillDeposited: '10000000' };
    expect(await presage.json('wallet', 'withdraw', '2')).toMatchObject(withdrawn);
    expect(await presage.json('leave', 'withdraw')).toMatchObject({ done: 'withdrawal', txHash: HASH });
    const after = await presage.json('wallet', 'balance');
    expect(after).toMatchObject({ balance: '50000000' });
    expect(after).not.toHaveProperty('deposited');
  });

  it('lists and creates markets', async () => {
    const market = await presage.json<{ id: string }>('markets', 'create', QUESTION, '--expires', '1h');
    marketId = market.id;
    expect(await presage.json('markets', '--search', 'terminal')).toMatchObject({
      markets: [{ id: marketId }],
      count: 1,
    });
    expect(await presage.text('markets')).toContain(QUESTION);
  });

  it('finds the market by text of its question, trades, and shows the ladder', async () => {
    resting = await presage.json<Placed>('order', 'buy', 'yes', '10', '@', '0.55', '--market', 'terminal work');
    expect(resting).toMatchObject({ orderHash: HASH, orderStatus: 'open', remainingSize: 10_000_000 });
    const preview = await presage.json(
      'order',
      'sell',
      'yes',
      '4@55c',
      '--market',
      marketId,
      '--preview',
      '--wallet',
      'bob',
    );
    expect(preview).toMatchObject({ errors: [], wouldMatch: { filledSize: 4_000_000 } });
    const taken = await presage.json(
      'order',
      'sell',
      'yes',
      '4@55c',
      '--market',
      marketId,
      '--wait',
      '--wallet',
      'bob',
    );
    expect(taken).toMatchObject({ orderStatus: 'filled', settled: [{ stage: 'confirmed', txHash: HASH }], failed: [] });
    expect(await presage.text('book', 'terminal')).toMatch(/YES.*\n.*no asks\n0\.55 +6 {2}▆+/);
    expect(await presage.json('orders')).toMatchObject({ count: 1, orders: [{ remainingSize: 6_000_000 }] });
    expect(await presage.json('positions')).toMatchObject({ positions: [{ marketId, yesShares: 4_000_000 }] });
  });

  it('is watched live until Ctrl-C', async () => {
    const watching = presage.start('watch', marketId, '--json');
    await waitFor('the book is shown', async () => watching.output().includes('"book"'));
    const placed = await presage.json<Placed>('order', 'buy', 'yes', '1', '@', '0.25', '--market', marketId);
    await waitFor('the new order is shown', async () => watching.output().includes('250000'));
    watching.interrupt();
    const { code, stdout } = await watching.ended;
    expect(code).toBe(0);
    expect(toLines<{ type: string }>(stdout).every(({ type }) => typeof type === 'string')).toBe(true);
    const shown = await presage.run('watch', marketId, '--count', '1');
    expect(shown).toMatchObject({ code: 0, stdout: expect.stringMatching(/0\.55 +6 .*\n0\.25 +1 /) });
    expect(await presage.json('cancel', placed.orderHash)).toMatchObject({ status: 'cancelled' });
    expect(await presage.json('cancel', '--all', '--market', marketId)).toMatchObject({
      cancelled: [resting.orderHash],
    });
  });

  it('is traced with the same events from the service and from the journal', async () => {
    const traced = await presage.json<{ events: { type: string }[] }>('trace', resting.orderHash);
    const life = ['accepted', 'filled', 'submitted', 'mined', 'confirmed', 'cancelled'];
    expect(traced.events.map(({ type }) => type)).toEqual(life);
    expect(traced).toMatchObject({ question: QUESTION, settlements: [{ stage: 'confirmed' }] });
    const read = await presage.json<{ records: { record: { type: string } }[] }>(
      ...['trace', resting.orderHash, '--data-dir', sandbox.dataDir],
    );
    expect(read.records.map(({ record }) => record.type)).toEqual([
      'order-accepted',
      'trade-matched',
      ...Array(3).fill('trade-moved'),
      'order-cancelled',
    ]);
  });

  it('is proposed, settled and redeemed', async () => {
    expect(await presage.json('time', 'warp', '61m')).toMatchObject({ now: expect.any(Number) });
    expect(await presage.json('resolve', 'propose', marketId, 'yes')).toMatchObject({ outcome: 'YES', txHash: HASH });
    await presage.json('time', 'warp', '2h1s');
    const settled = { status: 'resolved', winningOutcome: 0 };
    expect(await presage.json('resolve', 'settle', marketId)).toMatchObject({ ...settled, txHash: expect.any(String) });
    expect(await presage.json('resolve', 'status', marketId)).toMatchObject(settled);
    expect(await presage.json('redeem')).toMatchObject({
      totalPayout: 4_000_000,
      marketIds: [marketId],
      txHashes: [HASH],
    });
    expect(await presage.text('redeem')).toBe('nothing to redeem\n');
  });
});

it('makes an event, shows its outcomes, and converts NO of two of them', async () => {
  const question = 'Which tree grows first?';
  const made = await presage.json<{ id: string; outcomes: { marketId: string }[] }>(
    ...['events', 'create', question, 'Alder', 'Birch', 'No tree', '--expires', '30d'],
  );
  expect(await presage.json('events', '--search', 'alder')).toMatchObject({ events: [{ id: made.id, question }] });
  expect(await presage.text('event', 'tree grows')).toMatch(/Which tree grows first\?\n.*\n\n.*OUTCOME.*\n.*0 +Alder/);
  expect(await presage.json('markets', '--event', made.id)).toMatchObject({ count: 3 });
  await presage.json('wallet', 'new', '--wallet', 'forester');
  for (const { marketId } of made.outcomes.slice(0, 2)) {
    await presage.json('order', 'buy', 'no', '6', '@', '0.6', '--market', marketId);
    const sale = ['order', 'sell', 'no', '6', '@', '0.6', '--market', marketId, '--wait', '--wallet', 'forester'];
    expect(await presage.json(...sale)).toMatchObject({ orderStatus: 'filled', failed: [] });
  }
  const converted = await presage.json('convert', made.id, '6', 'alder', '1');
  expect(converted).toMatchObject({ eventId: made.id, indexes: [0, 1], txHash: HASH });
  await waitFor('the shares are converted', async () => {
    const { positions } = await presage.json<{ positions: { marketId: string; yesShares: number }[] }>('positions');
    return positions.find(({ marketId }) => marketId === made.outcomes[2]?.marketId)?.yesShares === 6_000_000;
  });
  expect(await presage.run('convert', made.id, '6', 'oak')).toMatchObject({ code: 2 });
});

it('creates, lists and revokes API keys', async () => {
  const { api_key_id: id } = await presage.json('keys', 'create', '--name', 'a key');
  expect(await presage.json('keys', 'list')).toMatchObject({
    apiKeys: [{ api_key_id: id, name: 'a key', active: true }],
  });
  expect(await presage.json('keys', 'revoke', String(id))).toMatchObject({ active: false });
  expect((await presage.run('keys', 'list')).code).toBe(2);
});

it('passes all checks of the doctor', async () => {
  const report = await presage.json<{ checks: { check: string; verdict: string }[] }>(
    ...['doctor', '--data-dir', sandbox.dataDir],
  );
  expect(report).toMatchObject({ sound: true });
  const checks = report.checks.map(({ check, verdict }) => `${check} ${verdict}`);
  expect(checks).toEqual(
    expect.arrayContaining(['service', 'clock', 'chain', 'database', 'wallet', 'disk'].map((check) => `${check} good`)),
  );
});

describe('the exit code', () => {
  it.concurrent.each([
    [0, ['--help']],
    [1, ['trace', `0x${'00'.repeat(32)}`]],
    [2, []],
    [3, ['markets', '--url', 'http://127.0.0.1:1']],
    [4, ['markets', '--timeout', '0.001']],
    [5, ['doctor', '--url', 'http://127.0.0.1:1']],
  ])('is %i for `presage %j`', async (code, args) => {
    const ended = await presage.start(...args).ended;
    expect(ended).toMatchObject({ code });
    if (code !== 0 && code !== 5) expect(ended.stdout).toBe('');
  });

  it.each([
    [['dance']],
    [['order', 'buy', 'maybe', '1', '@', '0.5', '--market', 'x']],
    [['order', 'buy', 'yes', '1', '@', '0.5', '--market', 'no such words at all']],
    [['journal', 'verify', '--data-dir', 'nowhere']],
    [['markets', '--url', 'nonsense']],
    [['markets', '--timeout', '1e3']],
    [['markets', '--timeout', '0x10']],
    [['markets', '--timeout', '1,5']],
    [['order', 'buy', 'yes', '1,5', '@', '0.5', '--market', 'x']],
    [['order', 'buy', 'yes', '1', '@', '0,5', '--market', 'x']],
  ])('is 2 for `presage %j`, too', async (args) => {
    expect(await presage.run(...args)).toMatchObject({ code: 2, stdout: '' });
  });

  it('comes with the code and remedy of the service, as JSON on request', async () => {
    const { stderr } = await presage.run('trace', `0x${'00'.repeat(32)}`, '--json');
    expect(JSON.parse(stderr)).toMatchObject({
      code: 'order_not_found',
      error: expect.any(String),
      requestId: expect.any(String),
    });
  });
});

describe('the journal', () => {
  let market: { id: string };
  let live: ShownBooks;
  const journal = (...args: string[]) => [...args, '--data-dir', sandbox.dataDir];

  beforeAll(async () => {
    market = await presage.json<{ id: string }>('markets', 'create', 'Is history kept?', '--expires', '5d');
    for (const price of ['0.31', '0.32', '0.33'])
      await presage.json('order', 'buy', 'no', '7', '@', price, '--market', market.id);
    live = await presage.json<ShownBooks>('book', market.id);
  });

  it('verifies beside the running service, can be tailed, and gives the same books as the service', async () => {
    expect(await presage.json(...journal('journal', 'verify'))).toMatchObject({ sound: true });
    const following = presage.start(...journal('journal', 'tail', 'm0', '--follow', '-n', '1', '--json'));
    await waitFor('the last record is shown', async () => following.output().includes('\n'));
    const { orderHash } = await presage.json<Placed>('order', 'sell', 'no', '1', '@', '0.9', '--market', market.id);
    await waitFor('the new record is shown', async () => following.output().includes(orderHash));
    following.interrupt();
    expect((await following.ended).code).toBe(0);
    const rebuilt = await presage.json<ShownBooks>(...journal('book', market.id, '--at', String(live.seq)));
    expect(rebuilt.books.map(({ hash }) => hash)).toEqual(live.books.map(({ hash }) => hash));
    expect(rebuilt).toMatchObject({ seq: live.seq, source: 'journal' });
    expect((await presage.json<ShownBooks>(...journal('book', 'history', '--at', '2'))).books[1]?.bids).toHaveLength(1);
    expect((await presage.run(...journal('book', 'history', '--at', '99999'))).code).toBe(2);
  });

  it('gives the same results after the service has stopped', async () => {
    await sandbox.stop();
    expect(await presage.json(...journal('journal', 'verify'))).toMatchObject({ sound: true });
    const rebuilt = await presage.json<ShownBooks>(...journal('book', market.id, '--at', String(live.seq)));
    expect(rebuilt.books.map(({ hash }) => hash)).toEqual(live.books.map(({ hash }) => hash));
    const accepted = await presage.lines<{ seq: number }>(
      ...journal('journal', 'dump', 'm0', '--type', 'order-accepted'),
    );
    expect(accepted.length).toBeGreaterThanOrEqual(4);
    expect(await presage.lines(...journal('journal', 'tail', 'm0', '-n', '3'))).toHaveLength(3);
  });

  it('is found damaged when one byte of it is flipped', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'presage-damage-'));
    try {
      await cp(join(sandbox.dataDir, 'service', 'journal'), join(dir, 'journal'), { recursive: true });
      const folder = join(dir, 'journal', 'm0');
      const name = (await readdir(folder)).find((each) => each.endsWith('.frames')) ?? '';
      const bytes = await readFile(join(folder, name));
      // Behind the last frame the file is empty.
      bytes[Math.floor(bytes.findLastIndex((byte) => byte !== 0) / 2)]! ^= 1;
      await writeFile(join(folder, name), bytes);
      const { code, stdout } = await presage.run('journal', 'verify', '--data-dir', dir, '--json');
      expect(code).toBe(5);
      expect(JSON.parse(stdout)).toMatchObject({
        sound: false,
        partitions: expect.arrayContaining([
          expect.objectContaining({ partition: 'control', sound: true }),
          expect.objectContaining({ partition: 'm0', sound: false, fault: expect.stringContaining('damaged') }),
        ]),
      });
      expect((await presage.run('journal', 'dump', 'm0', '--data-dir', dir)).code).toBe(5);
    } finally {
      await rm(dir, { recursive: true, force: true });
    }
  });
});
