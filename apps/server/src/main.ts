// The process: reads the configuration, composes the service, ends it in order.
import { Backoff, sleep } from '@presage/runtime';
import { IdleCollector, refuseArguments, watchParent } from '@presage/runtime/node';
import type { Service } from './compose.ts';
import { type Config, canStandBy, printableConfig, readConfig } from './config.ts';
import { endInOrder } from './end-in-order.ts';
import { describeFailure, openServiceLog } from './log/open.ts';

/** Time to close after the drain; a service that takes longer is killed. */
const END_MS = 15_000;
/** Time for a node to release its partitions: it may wait several times, 10 s each, for a database that does not answer. */
const GIVE_UP_MS = 120_000;
const REOPEN = { firstMs: 200, longestMs: 5_000 };

/** Reports to the supervisor, which reads stdout; logs go to stderr. */
function report(message: object): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

/** Prints the failure and exits: text for a person in a sandbox, one JSON line like every log in a live service. */
function fail(error: unknown): never {
  const { message, ...more } = describeFailure(error);
  const isLive = process.env.PRESAGE_PROFILE === 'live';
  const line = isLive
    ? JSON.stringify({ level: 60, time: Date.now(), ...more, msg: message })
    : (more.stack ?? message);
  process.stderr.write(`${line}\n`);
  process.exit(1);
}

function load(): Config {
  try {
    return readConfig(process.env);
  } catch (error) {
    return fail(error);
  }
}

/** Ends this process with its supervisor, which cannot stop its children when it is killed. */
function endWithParent(): void {
  const parent = Number(process.env.PRESAGE_PARENT_PID);
  if (Number.isInteger(parent) && parent > 0) watchParent(() => process.kill(process.pid, 'SIGTERM'), parent);
}

refuseArguments();
const config = load();
const log = openServiceLog(config.logLevel, config.lane?.index);
log.debug({ config: printableConfig(config) }, 'configuration');
if (config.profile === 'sandbox' && config.isPublic) {
  log.error(
    { host: config.host },
    'THIS SANDBOX CAN BE REACHED FROM OUTSIDE: anybody there can write, move its clock and print its money',
  );
}
endWithParent();
// A lane whose service is gone can neither answer nor finish anything.
if (config.lane !== undefined) process.once('disconnect', () => process.exit(0));
new IdleCollector().start();

async function loadComposition() {
  const isOnlyEngine = config.roles.length === 1 && config.roles[0] === 'engine';
  return isOnlyEngine ? (await import('./compose-engine.ts')).composeEngine : (await import('./compose.ts')).compose;
}

/** Aborted by the first termination signal. */
const ending = new AbortController();
/** The running service; undefined while this node starts or stands by. */
let service: Service | undefined;
/** Whether this node has ever run or stood by. From then on it retries when opening fails; before, it ends with the error. */
let isMember = false;

/** Opens the service. A function, since a program with top-level await is a module, which starts more slowly. */
async function start(): Promise<void> {
  // Loaded late, so that a configuration fault is reported before the rest of the service loads.
  const compose = await loadComposition();
  for (const backoff = new Backoff(REOPEN); ; ) {
    try {
      await open(compose);
      return;
    } catch (error) {
      if (ending.signal.aborted) return;
      if (!isMember) fail(error);
      log.error({ error: String(error) }, 'the service could not be opened again; retrying');
      await sleep(backoff.nextMs(), ending.signal).catch(() => undefined);
    }
    if (ending.signal.aborted) return;
  }
}

async function open(compose: Awaited<ReturnType<typeof loadComposition>>): Promise<void> {
  let opened: Service | undefined;
  let failure: { readonly error: unknown } | undefined;
  const onFatal = (error: unknown) => {
    if (failure !== undefined) return;
    if (!canStandBy(config.roles, error)) end(error);
    failure = { error };
    if (opened !== undefined) opening = standBy(opened, error);
  };
  opened = await compose({
    config,
    log,
    onProgress: (step) => report({ type: 'progress', step }),
    onMaker: (running) => report({ type: 'maker', running }),
    onStandBy: () => {
      isMember = true;
    },
    onFatal,
    signal: ending.signal,
  });
  isMember = true;
  service = opened;
  // The journal failed while the rest was still opening.
  if (failure !== undefined) return standBy(opened, failure.error);
  const { url, adminUrl } = opened;
  log.info({ url, adminUrl }, 'the service is ready');
  report({ type: 'ready', url, ...(adminUrl && { adminUrl }) });
}

/** Kills the process, since the journal cannot be written or trusted and any further answer could be lost. */
function end(error: unknown): never {
  log.fatal({ error: error instanceof Error ? error.stack : String(error) }, 'the service must end');
  process.exit(1);
}

/** Closes everything and opens it again, so that nothing remains of the state that this node believed. */
async function standBy(previous: Service, error: unknown): Promise<void> {
  log.warn({ error: String(error) }, 'lost the journal of its chain: this node gives up what it had and stands by');
  const late = setTimeout(() => end(error), GIVE_UP_MS);
  await previous.close();
  clearTimeout(late);
  service = undefined;
  if (!ending.signal.aborted) await start();
}

/** The current opening of the service: the first one, or one after a standby. */
let opening = start();
const endOptions = { delayMs: END_MS + config.drainSeconds * 1_000, isLane: config.lane !== undefined };
endInOrder(endOptions, async (error) => {
  if (error !== undefined) log.fatal({ error: error.stack }, 'an uncaught error');
  ending.abort();
  await opening;
  await service?.close();
});
