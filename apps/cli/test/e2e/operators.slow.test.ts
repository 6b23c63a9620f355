// What two operators do at the command line: approvals with their exit code, and files of markets that are run again after a break.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApiKeyPair } from '@presage/protocol/ed25519';
import { openSandbox, type SandboxProcess, waitFor, withoutQuickMarkets } from '@presage/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Presage, toLines } from './presage.ts';

const { publicKeyHex, privateKeyHex } = createApiKeyPair(Buffer.alloc(32, 7));
const LINES = 8;
let sandbox: SandboxProcess;
let [alice, bob]: Presage[] = [];
let dir: string;

beforeAll(async () => {
  const env = { PRESAGE_OPERATOR_KEYS: `bob=${publicKeyHex}`, PRESAGE_APPROVAL_ACTIONS: 'halt-trading' };
  sandbox = await openSandbox(withoutQuickMarkets({ env }));
  alice = await Presage.open({ PRESAGE_URL: sandbox.url });
  bob = await Presage.open({ PRESAGE_URL: sandbox.url, PRESAGE_OPERATOR_KEY: privateKeyHex });
  dir = await mkdtemp(join(tmpdir(), 'presage-bulk-'));
});
afterAll(async () => {
  await alice?.close();
  await bob?.close();
  await sandbox?.discard();
  await rm(dir, { recursive: true, force: true });
});

interface Reports {
  readonly lines: readonly {
    readonly line: number;
    readonly outcome: string;
    readonly id: string;
    readonly detail: string;
  }[];
}

async function countOf(question: RegExp): Promise<number> {
  const answer = await fetch(`${sandbox.url}/api/v1/markets?limit=500`);
  const { markets } = (await answer.json()) as { markets: { question: string }[] };
  return markets.filter((market) => question.test(market.question)).length;
}

describe('an action that a second operator confirms', () => {
  it('says who must, with an exit code of its own, and is done by `approve`', async () => {
    const { code, stderr } = await alice!.run('admin', 'halt', '--reason', 'a trial');
    expect(code).toBe(6);
    const [, id = ''] = /presage admin approve (ap_[0-9a-f]{24})/.exec(stderr) ?? [];
    expect(await bob!.text('admin', 'approvals')).toMatch(/halt-trading +- +a trial/);
    expect((await alice!.run('admin', 'approve', id)).stderr).toContain('(approval_by_requester)');
    expect(await bob!.text('admin', 'approve', id)).toContain('halt-trading is done');
    expect(await bob!.text('admin', 'stopped')).toContain('trading is halted: a trial');
    expect(await bob!.text('admin', 'log')).toMatch(/sandbox, op_[0-9a-f]+ +halt-trading/);
    await bob!.text('admin', 'resume');
    const again = await alice!.run('admin', 'halt', '--json');
    const [failure] = toLines<{ details: { approval: { approvalId: string } } }>(again.stderr.split('\n').at(-2)!);
    const { approvalId } = failure!.details.approval;
    expect(await bob!.text('admin', 'reject', approvalId)).toContain(`${approvalId} is rejected`);
  });
});

describe('a file of markets', () => {
  it('is checked without effect, and reports on every line', async () => {
    const file = join(dir, 'checked.csv');
    await writeFile(
      file,
      'question,expires,category,feeRateBps\nIs it fine?,30d,general,50\nIs it not?,30d,nowhere,\n',
    );
    const { code, stdout } = await alice!.run('admin', 'markets', 'bulk', file, '--dry-run', '--json');
    expect(code).toBe(5);
    expect(toLines<Reports>(stdout)).toMatchObject([
      {
        lines: [
          { line: 2, outcome: 'valid', detail: '' },
          { line: 3, outcome: 'refused', id: 'category_not_found' },
        ],
      },
    ]);
    expect(await countOf(/^Is it (fine|not)/)).toBe(0);
  });

  it('goes on after a break, and creates nothing twice', async () => {
    await writeFile(
      join(dir, 'match.json'),
      JSON.stringify({ question: 'Does {home} win round {round}?', expires: 86_400 }),
    );
    await alice!.text('admin', 'templates', 'define', 'match', join(dir, 'match.json'));
    const file = join(dir, 'rounds.csv');
    const rounds = Array.from({ length: LINES }, (_, index) => `Ajax,${index + 1}`);
    await writeFile(file, ['home,round', ...rounds, ''].join('\n'));
    const running = alice!.start('admin', 'markets', 'bulk', file, '--template', 'match');
    await waitFor('two are there', async () => (await countOf(/^Does Ajax win/)) >= 2);
    running.interrupt();
    await running.ended;
    const { lines } = await alice!.json<Reports>('admin', 'markets', 'bulk', file, '--template', 'match');
    expect(lines).toHaveLength(LINES);
    expect(lines.map(({ outcome }) => outcome)).toEqual(expect.arrayContaining(['already there']));
    const again = await alice!.json<Reports>('admin', 'markets', 'bulk', file, '--template', 'match');
    expect(again.lines.map(({ outcome }) => outcome)).toEqual(Array(LINES).fill('already there'));
    expect(again.lines.map(({ id }) => id)).toEqual(lines.map(({ id }) => id));
    expect(await countOf(/^Does Ajax win/)).toBe(LINES);
  });

  it('may be of drafts, or of markets for later', async () => {
    const file = join(dir, 'later.json');
    await writeFile(file, JSON.stringify([{ question: 'Is it later?', expires: '30d', listAt: '1d' }]));
    const drafted = await alice!.json<Reports>('admin', 'markets', 'bulk', file, '--draft');
    expect(drafted.lines).toMatchObject([{ outcome: 'waits for approval' }]);
    await bob!.text('admin', 'approve', drafted.lines[0]!.id);
    expect(await alice!.text('admin', 'schedule')).toContain('Is it later?');
    const again = await alice!.json<Reports>('admin', 'markets', 'bulk', file);
    expect(again.lines).toMatchObject([{ outcome: 'scheduled' }]);
    expect(await alice!.text('admin', 'schedule', 'cancel', again.lines[0]!.id)).toContain('is not created');
  });
});
