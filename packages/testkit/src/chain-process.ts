// Starts the sandbox's chain as a child process, as in production, and stops or kills it.
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { CHAIN_MAIN } from '@presage/devchain';
import type { Hex } from '@presage/protocol';
import { inheritedEnvironment } from './inherited-environment.ts';
import { RUNNER } from './runner.ts';

export interface ChainProcessOptions {
  /** If absent, the chain lives in memory only. */
  readonly dataDir?: string;
  /** Chain id; 31337 if absent. */
  readonly chainId?: number;
  readonly port?: number;
  readonly blockIntervalMs?: number;
  readonly lingerMs?: number;
  /** Empty blocks that a new chain begins with. */
  readonly leadBlocks?: number;
  readonly snapshotGas?: number;
  readonly onProgress?: (done: number, total: number) => void;
}

interface ChainReady {
  readonly url: string;
  readonly wsUrl: string;
  readonly blockNumber: number;
  readonly blockHash: Hex;
  readonly replayedBlocks: number;
  readonly replayMs: number;
}

export interface ChainProcess {
  readonly url: string;
  readonly wsUrl: string;
  readonly pid: number;
  readonly ready: ChainReady;
  /** Sends SIGTERM; rejects if the chain did not end cleanly. */
  stop(): Promise<void>;
  /** Sends SIGKILL. */
  kill(): Promise<void>;
}

/** Resolves when the chain answers; rejects with its stderr if it ends before that. */
export async function openChainProcess(options: ChainProcessOptions = {}): Promise<ChainProcess> {
  const args = [RUNNER, CHAIN_MAIN, '--parent-pid', String(process.pid), ...toArguments(options)];
  const child = spawn(process.execPath, args, { env: inheritedEnvironment(), stdio: ['ignore', 'pipe', 'pipe'] });
  const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
  const ready = await readUntilReady(child, exited, options.onProgress);
  return {
    url: ready.url,
    wsUrl: ready.wsUrl,
    pid: child.pid!,
    ready,
    stop: async () => {
      child.kill('SIGTERM');
      const code = await exited;
      if (code !== 0) throw new Error(`the chain process ended with ${code}`);
    },
    kill: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

function toArguments(options: ChainProcessOptions): string[] {
  const given: [string, string | number | undefined][] = [
    ['--data-dir', options.dataDir],
    ['--chain-id', options.chainId],
    ['--port', options.port ?? 0],
    ['--block-interval-ms', options.blockIntervalMs],
    ['--linger-ms', options.lingerMs],
    ['--snapshot-gas', options.snapshotGas],
    ['--lead-blocks', options.leadBlocks],
  ];
  return given.flatMap(([name, value]) => (value === undefined ? [] : [name, String(value)]));
}

function readUntilReady(
  child: ChildProcess,
  exited: Promise<number | null>,
  onProgress: ChainProcessOptions['onProgress'],
): Promise<ChainReady> {
  let complaint = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    complaint += chunk.toString('utf8');
  });
  return new Promise((resolve, reject) => {
    void exited.then((code) => reject(new Error(`the chain process ended with ${code}: ${complaint.trim()}`)));
    createInterface({ input: child.stdout! }).on('line', (line) => {
      const message: { type: string; done: number; total: number } & ChainReady = JSON.parse(line);
      if (message.type === 'progress') onProgress?.(message.done, message.total);
      if (message.type === 'ready') resolve(message);
    });
  });
}
