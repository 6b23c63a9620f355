// A file that takes long to make is made once, also when the process that was at it has died.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { makeOnce } from '../scripts/make-once.ts';

function makeFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'presage-make-once-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, 'made');
}

it('is made by the first who asks, and leaves nothing else behind', () => {
  const file = makeFile();
  expect(makeOnce(file, () => 'first')).toBe('first');
  expect(makeOnce(file, () => 'second')).toBe('first');
  expect(readdirSync(join(file, '..'))).toEqual(['made']);
});

it('is waited for while another process makes it', () => {
  const file = makeFile();
  const other = spawn('sh', ['-c', `sleep 1; printf theirs > "${file}.theirs"; mv "${file}.theirs" "${file}"`]);
  onTestFinished(() => void other.kill());
  writeFileSync(`${file}.lock`, String(other.pid));
  expect(makeOnce(file, () => 'ours')).toBe('theirs');
});

it('is made by the next when the process that was at it has died, or has failed', () => {
  const file = makeFile();
  writeFileSync(`${file}.lock`, String(spawnSync('true').pid));
  const fail = () => {
    throw new Error('it does not compile');
  };
  expect(() => makeOnce(file, fail)).toThrow('it does not compile');
  expect(existsSync(file)).toBe(false);
  expect(makeOnce(file, () => 'ours')).toBe('ours');
  expect(readFileSync(file, 'utf8')).toBe('ours');
});
