// What the past is good for, from the terminal: exports, the daily archive and rewards, over a real sandbox that has lived for some days.
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSandbox, type SandboxProcess, withoutQuickMarkets } from '@presage/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Presage } from './presage.ts';

let sandbox: SandboxProcess;
let presage: Presage;
let dir: string;
let marketId: string;

beforeAll(async () => {
  sandbox = await openSandbox(withoutQuickMarkets({}));
  presage = await Presage.open({ PRESAGE_URL: sandbox.url });
  dir = await mkdtemp(join(tmpdir(), 'presage-history-'));
  ({ id: marketId } = await presage.json<{ id: string }>(
    'markets',
    'create',
    'Is the past of use?',
    '--expires',
    '30d',
  ));
  await presage.json('wallet', 'fund', '500');
  await presage.json('wallet', 'new', '--wallet', 'bob');
  await presage.json('wallet', 'fund', '500', '--wallet', 'bob');
  for (const wallet of ['default', 'bob']) await presage.json('wallet', 'setup', '--wallet', wallet);
  await order('buy', '100@48c', 'bob');
  await order('sell', '100@52c', 'default');
  await order('buy', '10@52c', 'bob');
  // Two midnights: the day between them has no frame but what the service writes by itself.
  await presage.json('time', 'warp', '2d');
  await order('buy', '5@40c', 'bob');
});
afterAll(async () => {
  await presage?.close();
  await sandbox?.discard();
  if (dir !== undefined) await rm(dir, { recursive: true, force: true });
});

function order(side: string, terms: string, wallet: string): Promise<unknown> {
  return presage.json('order', side, 'yes', terms, '--market', marketId, '--wallet', wallet, '--expires', '10d');
}

const linesOf = (csv: string) => csv.split('\r\n').slice(1, -1);

describe('presage export', () => {
  it('writes the own fills of a wallet, and nobody else’s', async () => {
    const fills = linesOf(await presage.text('export', 'fills', '--wallet', 'bob'));
    expect(fills).toHaveLength(1);
    expect(fills[0]).toMatch(/,taker,0x[0-9a-f]{64},buy,YES,520000,10000000,5200000,0,0x/);
  });

  it('writes JSON lines into a file, and continues behind a cursor', async () => {
    const out = join(dir, 'trades.jsonl');
    await presage.text('admin', 'export', 'trades', '--format', 'jsonl', '--out', out);
    const trades = (await readFile(out, 'utf8'))
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
    const own = trades.find((trade) => trade.marketId === marketId);
    expect(own).toMatchObject({ price: 520_000, size: 10_000_000, takerSide: 'buy', question: 'Is the past of use?' });
    const rest = await presage.text('admin', 'export', 'trades', '--after', trades.at(-1).cursor);
    expect(linesOf(rest)).toEqual([]);
  });

  it('writes both fills of every trade, positions and the audit log for operators', async () => {
    await presage.json('admin', 'halt', '--reason', '=1+1');
    await presage.json('admin', 'resume');
    const fills = linesOf(await presage.text('admin', 'export', 'fills'));
    expect(fills.filter((line) => line.includes(marketId))).toHaveLength(2);
    expect(linesOf(await presage.text('admin', 'export', 'positions')).length).toBeGreaterThan(1);
    const audit = await presage.text('admin', 'export', 'audit');
    expect(audit).toContain(",halt-trading,,'=1+1,");
  });

  it('writes the rows of a range alone', async () => {
    const tomorrow = Math.floor(Date.now() / 1_000) + 86_400;
    expect(linesOf(await presage.text('export', 'trades', '--from', String(tomorrow)))).toEqual([]);
    expect(linesOf(await presage.text('export', 'trades', '--to', String(tomorrow)))).toHaveLength(1);
  });

  it.each([
    [['export', 'everything'], 2],
    [['export', 'audit'], 2],
    [['export', 'trades', '--from', 'yesterday'], 2],
    [['export', 'trades', '--format', 'xml'], 2],
    [['export', 'trades', '--after', 'nowhere'], 1],
  ])('refuses %j', async (args, code) => {
    expect((await presage.run(...args)).code).toBe(code);
  });
});

describe('presage archive', () => {
  it('is the same from the public journal and from the data folder', async () => {
    const [fromService, fromFolder] = [join(dir, 'service'), join(dir, 'folder')];
    const { days } = await presage.json<{ days: { day: string; outcome: string }[] }>('archive', '--out', fromService);
    expect(days.length).toBeGreaterThan(0);
    expect(new Set(days.map(({ outcome }) => outcome))).toEqual(new Set(['written']));
    await presage.json('archive', '--out', fromFolder, '--data-dir', sandbox.dataDir);
    const trades: string[] = [];
    for (const [index, { day }] of days.entries()) {
      const names = (await readdir(join(fromService, day))).sort();
      // The sandbox's events are listed on its first day.
      const outcomes = index === 0 ? ['m0-outcomes.csv'] : [];
      expect(names).toEqual(['m0-books.csv', ...outcomes, 'm0-trades.csv', 'manifest.json']);
      for (const name of names) {
        const text = await readFile(join(fromService, day, name), 'utf8');
        expect(await readFile(join(fromFolder, day, name), 'utf8')).toBe(text);
        if (name === 'm0-trades.csv') trades.push(...linesOf(text));
      }
    }
    expect(trades.filter((line) => line.includes(`matched,${marketId}`))).toHaveLength(1);
  });

  it('names a frame that the service signs', async () => {
    const { days } = await presage.json<{ days: { day: string }[] }>('archive', '--out', join(dir, 'service'));
    const manifest = JSON.parse(await readFile(join(dir, 'service', days[0]?.day ?? '', 'manifest.json'), 'utf8'));
    const [{ lastSeq, frameHash }] = manifest.partitions;
    const page = await fetch(`${sandbox.url}/api/v1/journal/m0?fromSeq=${lastSeq}&limit=1`);
    const { frames } = (await page.json()) as { frames: { lastSeq: number; hash: string }[] };
    expect(frames[0]).toMatchObject({ lastSeq, hash: frameHash });
  });

  it('is served from the data folder, with the hashes of its files', async () => {
    const { days } = await presage.json<{ days: { day: string }[] }>(
      'archive',
      '--out',
      join(sandbox.dataDir, 'service', 'daily'),
    );
    const [{ day } = { day: '' }] = days;
    const answer = await fetch(`${sandbox.url}/api/v1/archive/${day}`);
    expect(answer.status, await answer.clone().text()).toBe(200);
    const { files } = (await answer.json()) as {
      files: { name: string; path: string; sha256: string; bytes: number }[];
    };
    expect(files.map(({ name }) => name).sort()).toEqual(['m0-books.csv', 'm0-outcomes.csv', 'm0-trades.csv']);
    for (const { path, sha256, bytes } of files) {
      const content = Buffer.from(await (await fetch(sandbox.url + path)).arrayBuffer());
      expect(content).toHaveLength(bytes);
      expect(`0x${createHash('sha256').update(content).digest('hex')}`).toBe(sha256);
    }
    for (const path of ['2001-01-01', '2001-13-99', `${day}/m7-trades.csv`]) {
      const missing = await fetch(`${sandbox.url}/api/v1/archive/${path}`);
      expect([missing.status, ((await missing.json()) as { code: string }).code], path).toEqual([
        404,
        'archive_not_found',
      ]);
    }
    for (const path of ['today', `${day}/manifest.json`, `${day}/..%2f..%2freceipt-key`]) {
      expect((await fetch(`${sandbox.url}/api/v1/archive/${path}`)).status, path).toBe(400);
    }
  });

  it('notices a file that was changed, and a day that is missing', async () => {
    const out = join(dir, 'service');
    const { days } = await presage.json<{ days: { day: string }[] }>('archive', '--out', out, '--check');
    const [first = ''] = days.map(({ day }) => day);
    await writeFile(join(out, first, 'm0-books.csv'), 'other');
    const changed = await presage.run('archive', '--out', out, '--check');
    expect([changed.code, changed.stdout]).toEqual([5, expect.stringContaining('m0-books.csv has another hash')]);
    await rm(join(out, first), { recursive: true });
    const missing = await presage.run('archive', '--out', out, '--check');
    expect([missing.code, missing.stdout]).toEqual([5, expect.stringContaining('missing')]);
    await presage.json('archive', '--out', out);
    expect((await presage.run('archive', '--out', out, '--check')).code).toBe(0);
  });
});

describe('presage rewards', () => {
  it('shares a pool among those who rested near the middle, and writes the payouts', async () => {
    const from = Math.floor(Date.now() / 86_400_000) * 86_400;
    const out = join(dir, 'payouts.csv');
    const terms = ['--spread', '5c', '--min-size', '10', '--pool', '100', '--out', out];
    const range = ['--from', String(from), '--to', String(from + 86_400)];
    const report = await presage.json<{ final: boolean; epochs: { paid: number; rewards: unknown[] }[] }>(
      ...['rewards', '--market', marketId, ...range, ...terms],
    );
    expect(report).toMatchObject({ final: true, epochs: [{ rewards: [{}, {}] }] });
    const payouts = linesOf(await readFile(out, 'utf8')).map((line) => BigInt(line.split(',')[4] ?? ''));
    expect(payouts).toHaveLength(2);
    expect(payouts.reduce((sum, amount) => sum + amount, 0n)).toBe(BigInt(report.epochs[0]?.paid ?? 0));
    const again = ['rewards', '--market', marketId, ...range, ...terms, '--data-dir', sandbox.dataDir];
    expect(await presage.json(...again)).toEqual(report);
  });

  it.each([
    [['--from', '2026-01-02', '--to', '2026-01-01', '--spread', '5c', '--min-size', '1', '--pool', '1']],
    [['--from', '2026-01-01', '--to', '2026-01-02', '--spread', '5', '--min-size', '1', '--pool', '1']],
    [['--from', '2026-01-01', '--to', '2026-01-02', '--spread', '5c', '--min-size', '0', '--pool', '1']],
  ])('refuses %j', async (terms) => {
    expect((await presage.run('rewards', '--market', marketId, ...terms)).code).toBe(2);
  });
});
