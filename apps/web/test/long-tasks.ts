// Tasks of a page's main thread that took too long, read from a trace of the browser.

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  /** Processor time in microseconds: what the page itself took, however busy the machine is. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

const TASK = /RunTask$/;

/** The tasks above the limit, in milliseconds of processor time; throws when the trace holds no task at all. */
export function findLongTasks(trace: Buffer, limitMs: number): number[] {
  const { traceEvents } = JSON.parse(trace.toString('utf8')) as { traceEvents: TraceEvent[] };
  const mains = new Set(
    traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid} ${tid}`),
  );
  const tasks = traceEvents.filter(
    ({ name, ph, pid, tid, tdur }) => ph === 'X' && TASK.test(name) && tdur !== undefined && mains.has(`${pid} ${tid}`),
  );
  if (tasks.length === 0) throw new Error('the trace holds no task of a page');
  return tasks.map(({ tdur = 0 }) => tdur / 1_000).filter((ms) => ms > limitMs);
}
