// What a start that failed says: a sentence with a remedy to people, one JSON line to machines, a stack only for a defect.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { ConfigInvalid } from '../src/config.ts';
import { describeFailure } from '../src/log/open.ts';

const ROOT = new URL('../../../', import.meta.url);

it('a cause outside is named without a stack, a defect with one', async () => {
  const refused = new Error('The database at db/x does not answer. Start it.');
  expect(describeFailure(refused)).toEqual({ message: refused.message });
  expect(describeFailure(new ConfigInvalid(['A=1: use 2']))).toMatchObject({ faults: ['A=1: use 2'] });
  const defect = new TypeError('x is not a function');
  expect(describeFailure(defect)).toEqual({ message: defect.message, stack: defect.stack });
  expect(describeFailure('no error at all')).toEqual({ message: 'no error at all' });
});

it('a name with several addresses, none of which answers, leaves no empty message', () => {
  const each = ['connect ECONNREFUSED ::1:1', 'connect ECONNREFUSED 127.0.0.1:1'].map((text) => new Error(text));
  expect(describeFailure(new AggregateError(each)).message).toBe(each.map(({ message }) => message).join('; '));
  expect(describeFailure(new Error()).message).toBe('Error');
});

it('a taken port is named with its remedy', async () => {
  const [first, second] = [createServer(), createServer()];
  onTestFinished(() => void first.close());
  await new Promise<void>((resolve) => first.listen(0, '127.0.0.1', resolve));
  const { port } = first.address() as { port: number };
  const error = await new Promise((resolve) => second.once('error', resolve).listen(port, '127.0.0.1'));
  expect(describeFailure(error).message).toMatch(new RegExp(`^Port ${port} is taken: .*PRESAGE_PORT`));
});

it('the service says it in one line, to machines as JSON', () => {
  const dir = mkdtempSync(join(tmpdir(), 'presage-start-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const chains = join(dir, 'chains.json');
  writeFileSync(chains, '{"chains":[]}');
  const say = (profile: string) => {
    const env = { PATH: process.env.PATH, PRESAGE_PROFILE: profile, PRESAGE_CHAINS: chains, PRESAGE_PORTT: '1' };
    const program = ['scripts/run.mjs', 'apps/server/src/main.ts'];
    const { status, stderr } = spawnSync(process.execPath, program, {
      cwd: fileURLToPath(ROOT),
      env,
      encoding: 'utf8',
    });
    expect(status).toBe(1);
    return stderr;
  };
  expect(say('sandbox')).toMatch(/^The configuration has \d fault\(s\):\n {2}- PRESAGE_PORTT: .*\n/);
  expect(JSON.parse(say('live'))).toMatchObject({
    level: 60,
    faults: expect.arrayContaining([expect.stringContaining('PORTT')]),
  });
});

it.each([
  'apps/server/src/main.ts',
  'apps/sandbox/src/main.ts',
  'apps/sandbox/src/maker/main.ts',
  'apps/sandbox/src/tour/main.ts',
])('%s starts nothing when it is given arguments, and says what to set', (program) => {
  const command = ['scripts/run.mjs', program, '--port', '18123'];
  const options = { cwd: fileURLToPath(ROOT), env: { PATH: process.env.PATH }, encoding: 'utf8' } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, command, options);
  expect([status, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(/^This program takes no arguments.* Set PRESAGE_PORT in the environment instead.*\n$/);
});
