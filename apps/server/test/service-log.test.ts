import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { RUNNER } from '@presage/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { BoundedLines } from '../src/log/bounded-lines.ts';

it('is no reason to hang: a service whose log and progress nobody reads any more still ends', async () => {
  const script = fileURLToPath(new URL('./unread-log.ts', import.meta.url));
  const child = spawn(process.execPath, [RUNNER, script]);
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'exit');
  const [line] = (await once(child.stderr, 'data')) as [Buffer];
  expect(JSON.parse(line.toString())).toMatchObject({ msg: 'it runs' });
  for (const stream of [child.stderr, child.stdout]) stream.destroy();
  await once(child.stderr, 'close');
  child.stdin.write('end');
  expect(await ended).toEqual([3, null]);
});

it('keeps 8 MB for a reader that stands still, and says how many lines it lost', async () => {
  const stream = new PassThrough();
  const lost: number[] = [];
  const lines = new BoundedLines(stream, (count) => lost.push(count));
  const line = `${'x'.repeat(1023)}\n`;
  for (let i = 0; i < 9_000; i++) lines.write(line);
  expect(stream.writableLength).toBeLessThan(8.1 * 1024 * 1024);
  let read = 0;
  stream.on('data', (chunk: Buffer) => {
    read += chunk.length;
  });
  await once(stream, 'drain');
  expect(lost).toEqual([9_000 - read / line.length]);
  expect(read).toBeGreaterThanOrEqual(8 * 1024 * 1024);
});
