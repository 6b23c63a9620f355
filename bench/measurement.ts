// The result type of a benchmark module, and small tools that several modules use.

/** One line of the table. `npm run bench` runs every module listed in `modules.ts` in a process of its own. */
export interface Measurement {
  /** Key of the measurement in `goals.ts`. */
  readonly key: string;
  /** In the goal's unit; most are ratios of two figures taken in the same run. */
  readonly value: number;
  /** The workload, its size, and the figures from which the value was computed. */
  readonly conditions: string;
}

/** Exported by a module of `bench` as `measure`; a module with an expensive setup may return several keys. */
export type Measure = () => Promise<Measurement | readonly Measurement[]>;

export interface Timing {
  readonly wallMs: number;
  /** CPU time of the whole process including garbage collection, the measure least affected by other load. */
  readonly cpuMs: number;
}

export function time(run: () => void): Timing {
  const cpu = process.cpuUsage();
  const startMs = performance.now();
  run();
  const { user, system } = process.cpuUsage(cpu);
  return { wallMs: performance.now() - startMs, cpuMs: (user + system) / 1000 };
}

/** The best run of each, which other load affected least. */
export function bestOf(rounds: readonly Timing[]): Timing {
  return {
    wallMs: Math.min(...rounds.map((round) => round.wallMs)),
    cpuMs: Math.min(...rounds.map((round) => round.cpuMs)),
  };
}

export function perSecond(count: number, ms: number): string {
  return `${Math.round((count / ms) * 1000).toLocaleString('en')}/s`;
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
