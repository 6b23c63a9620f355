// The program that runs seeds, one after another, and writes a line of JSON for each: made into one file by bundle.ts.
import './kernel/instant-zlib.ts';
import { runSeed, type SeedOptions, type SeedResult } from './run-seed.ts';
import { makeChainTemplate } from './world/sim-chain-template.ts';

/** With limits of its own, or with those of the order. */
export type OrderedSeed = number | Pick<SeedOptions, 'seed' | 'actions' | 'faults'>;

export interface SeedsOrder extends Pick<SeedOptions, 'actions' | 'faults' | 'without' | 'isTraced'> {
  readonly seeds: readonly OrderedSeed[];
  /** Every line of the world is written, too. */
  readonly isTold?: boolean;
  /** The first seed with a violation is the last. */
  readonly untilFailure?: boolean;
}

export type SeedReport = { readonly line: string } | { readonly result: SeedResult; readonly cpuMs: number };

const write = process.stdout.write.bind(process.stdout);
const report = (entry: SeedReport) => void write(`${JSON.stringify(entry)}\n`);

const { seeds, isTold, untilFailure, ...options } = JSON.parse(process.argv[2] ?? '{"seeds":[1]}') as SeedsOrder;
const template = await makeChainTemplate();
for (const each of seeds) {
  const startCpu = process.cpuUsage();
  const onLine = isTold ? (line: string) => report({ line }) : undefined;
  const ordered = typeof each === 'number' ? { seed: each } : each;
  const result = await runSeed({ ...options, ...ordered, template, onLine });
  const { user, system } = process.cpuUsage(startCpu);
  report({ result, cpuMs: (user + system) / 1_000 });
  if (untilFailure && result.violations.length > 0) break;
}
// The EVM keeps threads that would keep the process.
write('', () => process.exit(0));
