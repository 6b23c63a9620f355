// Runs the stand-in service of these tests as a process, perhaps as another user, and ends it with the test.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { inheritedEnvironment, RUNNER } from '@presage/testkit';
import { onTestFinished } from 'vitest';
import type { Account } from '../src/account.ts';

const ENTRY = fileURLToPath(new URL('service-process.ts', import.meta.url));

export interface RunningService {
  readonly url: string;
  readonly process: ChildProcess;
  kill(signal: NodeJS.Signals): Promise<void>;
}

export async function spawnService(dataDir: string, account?: Account): Promise<RunningService> {
  const service = spawnBareService(dataDir, account);
  const { url } = JSON.parse(await readFirstLine(service.process)) as { url: string };
  return { ...service, url };
}

/** Without waiting for it to be ready. */
export function spawnBareService(dataDir: string, account?: Account): Omit<RunningService, 'url'> {
  const child = spawn(process.execPath, [RUNNER, ENTRY, dataDir], {
    env: inheritedEnvironment(),
    ...account,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const kill = async (signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    child.kill(signal);
    await exit;
  };
  onTestFinished(() => kill('SIGTERM'));
  return { process: child, kill };
}

/** Throws what the process wrote to stderr when it ended before it was ready. */
async function readFirstLine({ stdout, stderr }: ChildProcess): Promise<string> {
  if (!stdout || !stderr) throw new Error('the service was spawned without pipes');
  const complaints: string[] = [];
  stderr.on('data', (chunk: Buffer) => complaints.push(chunk.toString()));
  for await (const line of createInterface(stdout)) return line;
  throw new Error(`the service ended: ${complaints.join('')}`);
}
