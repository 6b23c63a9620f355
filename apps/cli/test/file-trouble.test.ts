// Files and folders that cannot be used: said in words, with what to do.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileJournal, GroupCommit } from '@presage/journal';
import { encodeRecord } from '@presage/protocol';
import { TRADERS } from '@presage/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { EXIT_CODES } from '../src/exit-codes.ts';
import { runCommand } from '../src/run-command.ts';

it('a folder that cannot be written is named with what to do, and without a stack', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'presage-trouble-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  const said: string[] = [];
  const sink = { write: (text: string) => void said.push(text) };
  const inTheWay = join(dir, 'file');
  await writeFile(inTheWay, '');
  const env = { PRESAGE_CONFIG_DIR: join(inTheWay, 'presage') };
  const code = await runCommand(['wallet', 'new'], { env, stdout: sink, stderr: sink });
  expect(said.join('')).toMatch(/^presage: ENOTDIR: .*\n {2}Check the path.*\n$/);
  expect(code).toBe(EXIT_CODES.usage.code);
});

it('an export that the service does not answer leaves the file of an earlier one as it is', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'presage-trouble-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  const out = join(dir, 'trades.csv');
  await writeFile(out, 'an earlier export');
  const sink = { write: () => undefined };
  const args = ['export', 'trades', '--address', `0x${'11'.repeat(20)}`, '--out', out, '--url', 'http://127.0.0.1:1'];
  const code = await runCommand(args, { env: {}, stdout: sink, stderr: sink });
  expect(code).toBe(EXIT_CODES.unreachable.code);
  expect(await readFile(out, 'utf8')).toBe('an earlier export');
});

it('a journal that is written, or behind its copy, is not copied, and the reason is told without a stack', async () => {
  const root = await mkdtemp(join(tmpdir(), 'presage-trouble-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const [from, to] = [join(root, 'from'), join(root, 'to')];
  const write = async (data: string, records: number) => {
    const journal = await FileJournal.open({ dir: join(data, 'journal', 'm0'), partition: 'm0' });
    const commit = new GroupCommit({ journal, now: () => 1 });
    const record = { type: 'heartbeat-set', timeMs: 1, trader: TRADERS.alice, lapseMs: 1 } as const;
    for (let count = 0; count < records; count++) await commit.push([encodeRecord(record)]);
    return journal;
  };
  await (await write(to, 2)).close();
  const written = await write(from, 1);
  const copy = async () => {
    const said: string[] = [];
    const sink = { write: (text: string) => void said.push(text) };
    const code = await runCommand(['journal', 'copy', '--from', from, '--to', to], {
      env: {},
      stdout: sink,
      stderr: sink,
    });
    return [code, said.join('')];
  };
  expect(await copy()).toEqual([
    EXIT_CODES.usage.code,
    expect.stringMatching(/^presage: Process \d+ already writes.*\n$/),
  ]);
  await written.close();
  expect(await copy()).toEqual([EXIT_CODES.usage.code, expect.stringMatching(/^presage: m0 is ahead at its.*\n$/)]);
});
