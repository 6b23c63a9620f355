// The shape of a benchmark module, and small tools that several of them use.

/** One line of the table. `npm run bench` runs every module listed in `modules.ts` in a process of its own. */
export interface Measurement {
  /** Key of the measurement in `goals.ts`. */
  readonly key: string;
  /** In the goal's unit; most are ratios of two figures taken in the same run. */
  readonly value: number;
  /** What was run, how much of it, and the figures that the value was computed from. */
  readonly conditions: string;
}

/** A module of `bench` exports this as `measure`; one that starts something expensive may answer several keys. */
export type Measure = () => Promise<Measurement | readonly Measurement[]>;

export interface Timing {
  readonly wallMs: number;
  /** CPU time of the whole process with garbage collection, which other load on the machine disturbs least. */
  readonly cpuMs: number;
}

export function time(run: () => void): Timing {
  const cpu = process.cpuUsage();
  const startMs = performance.now();
  run();
  const { user, system } = process.cpuUsage(cpu);
  return { wallMs: performance.now() - startMs, cpuMs: (user + system) / 1000 };
}

/** The best run of each: the least disturbed by other load. */
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
