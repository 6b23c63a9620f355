import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { RUNNER } from '@presage/testkit';
import { expect, it, onTestFinished } from 'vitest';

it('is no reason to hang: a service whose log nobody reads any more still ends', async () => {
  const script = fileURLToPath(new URL('./unread-log.ts', import.meta.url));
  const child = spawn(process.execPath, [RUNNER, script]);
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'exit');
  const [line] = (await once(child.stderr, 'data')) as [Buffer];
  expect(JSON.parse(line.toString())).toMatchObject({ msg: 'it runs' });
  child.stderr.destroy();
  await once(child.stderr, 'close');
  child.stdin.write('end');
  expect(await ended).toEqual([3, null]);
});
