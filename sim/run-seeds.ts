// Runs seeds in parallel processes and collects their results.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { SeedResult } from './run-seed.ts';
import type { OrderedSeed, SeedReport, SeedsOrder } from './seeds-process.ts';

export interface RunSeedsOptions {
  readonly program: string;
  readonly order: SeedsOrder;
  readonly processes?: number;
  /** Seeds per process: the EVM frees its memory only when its process ends. */
  readonly seedsPerProcess?: number;
  readonly onLine?: (line: string) => void;
  /** Called with the processor time that it took. */
  readonly onResult?: (result: SeedResult, cpuMs: number) => void;
}

export async function runSeeds(options: RunSeedsOptions): Promise<SeedResult[]> {
  const { order, processes = 1, seedsPerProcess = 50 } = options;
  const size = Math.max(1, Math.min(seedsPerProcess, Math.ceil(order.seeds.length / processes)));
  const groups: OrderedSeed[][] = [];
  for (let at = 0; at < order.seeds.length; at += size) groups.push(order.seeds.slice(at, at + size));
  const results: SeedResult[] = [];
  const work = async () => {
    for (let group = groups.shift(); group !== undefined; group = groups.shift()) {
      results.push(...(await runGroup(options, group)));
      if (order.untilFailure && results.some(({ violations }) => violations.length > 0)) return;
    }
  };
  await Promise.all(Array.from({ length: processes }, work));
  return results.sort((a, b) => a.seed - b.seed);
}

async function runGroup(options: RunSeedsOptions, seeds: readonly OrderedSeed[]): Promise<SeedResult[]> {
  const { program, order, onLine, onResult } = options;
  const child = spawn(process.execPath, [program, JSON.stringify({ ...order, seeds })], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let complaint = '';
  child.stderr.on('data', (chunk: Buffer) => {
    complaint = (complaint + chunk.toString('utf8')).slice(-4_000);
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const results: SeedResult[] = [];
  for await (const text of createInterface({ input: child.stdout })) {
    const report: SeedReport = JSON.parse(text);
    if ('line' in report) onLine?.(report.line);
    else {
      results.push(report.result);
      onResult?.(report.result, report.cpuMs);
    }
  }
  const code = await ended;
  if (code !== 0) throw new Error(`the simulator ended with ${code} after seed ${results.at(-1)?.seed}: ${complaint}`);
  return results;
}
