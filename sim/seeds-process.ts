// The program that runs seeds one after another and writes a line of JSON for each; bundled into one file by bundle.ts.
import './kernel/instant-zlib.ts';
import { runSeed, type SeedOptions, type SeedResult } from './run-seed.ts';
import { type ChainTemplate, makeChainTemplate } from './world/sim-chain-template.ts';
import { hasEvents } from './world/world.ts';

/** Options that shorten a life; a whole life if absent. */
interface LifeLimits extends Pick<SeedOptions, 'actions' | 'faults' | 'isCluster'> {
  readonly lifeShare?: ChainTemplate['lifeShare'] | undefined;
  /** Whether there are events; drawn for each seed if absent. */
  readonly events?: boolean | undefined;
}

/** A seed with its own limits, or with those of the order. */
export type OrderedSeed = number | (LifeLimits & Pick<SeedOptions, 'seed'>);

export interface SeedsOrder extends LifeLimits, Pick<SeedOptions, 'without' | 'isTraced'> {
  readonly seeds: readonly OrderedSeed[];
  /** Also writes every line of the world. */
  readonly isTold?: boolean;
  /** Stops after the first seed with a violation. */
  readonly untilFailure?: boolean;
}

export type SeedReport = { readonly line: string } | { readonly result: SeedResult; readonly cpuMs: number };

const write = process.stdout.write.bind(process.stdout);
const report = (entry: SeedReport) => void write(`${JSON.stringify(entry)}\n`);

const { seeds, isTold, untilFailure, ...options }: SeedsOrder = JSON.parse(process.argv[2] ?? '{"seeds":[1]}');
/** Templates by the share of a life, and by whether they have events. */
const templates = new Map<string, ChainTemplate>();

for (const each of seeds) {
  const ordered = { ...options, ...(typeof each === 'number' ? { seed: each } : each) };
  const { lifeShare = 1, events = hasEvents(ordered.seed) } = ordered;
  const kind = `${lifeShare} ${events}`;
  const template = templates.get(kind) ?? (await makeChainTemplate(lifeShare, events));
  templates.set(kind, template);
  const startCpu = process.cpuUsage();
  const onLine = isTold ? (line: string) => report({ line }) : undefined;
  const result = await runSeed({ ...ordered, template, onLine });
  const { user, system } = process.cpuUsage(startCpu);
  report({ result, cpuMs: (user + system) / 1_000 });
  if (untilFailure && result.violations.length > 0) break;
}
// The EVM's threads would keep the process alive.
write('', () => process.exit(0));
