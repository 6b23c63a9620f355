// The process: reads the configuration, composes the service, ends it in order.
import { watchParent } from '@presage/runtime/node';
import closeWithGrace from 'close-with-grace';
import { type Config, ConfigInvalid, printableConfig, readConfig } from './config.ts';
import { openServiceLog } from './log/open.ts';

/** For the supervisor, which reads stdout; logs go to stderr. */
function report(message: object): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

/** For a person in a sandbox; for machines one JSON line, as everything a live service logs. */
function fail(error: unknown): never {
  const message = toMessage(error);
  const line = process.env.PRESAGE_PROFILE === 'live' ? JSON.stringify(toLogLine(error, message)) : message;
  process.stderr.write(`${line}\n`);
  process.exit(1);
}

function toLogLine(error: unknown, message: string) {
  const faults = error instanceof ConfigInvalid ? { faults: error.faults } : {};
  return { level: 60, time: Date.now(), ...faults, msg: message };
}

function toMessage(error: unknown): string {
  if (error instanceof ConfigInvalid) return error.message;
  const { code, message, stack, port } = error as NodeJS.ErrnoException & { port?: number };
  if (code === 'EADDRINUSE')
    return `Port ${port} is taken: choose another with PRESAGE_PORT or PRESAGE_ADMIN_PORT, or stop what listens there.`;
  return stack ?? message;
}

function load(): Config {
  try {
    return readConfig(process.env);
  } catch (error) {
    return fail(error);
  }
}

/** A supervisor that was killed cannot stop its children: they look for themselves. */
function endWithParent(): void {
  const parent = Number(process.env.PRESAGE_PARENT_PID);
  if (Number.isInteger(parent) && parent > 0) watchParent(() => process.kill(process.pid, 'SIGTERM'), parent);
}

const config = load();
const log = openServiceLog(config.logLevel);
log.debug({ config: printableConfig(config) }, 'configuration');
if (config.profile === 'sandbox' && config.isPublic) {
  log.error(
    { host: config.host },
    'THIS SANDBOX CAN BE REACHED FROM OUTSIDE: anybody there can write, move its clock and print its money',
  );
}
endWithParent();

// Only now: a fault of the configuration is reported before the rest of the service is loaded.
const isOnlyEngine = config.roles.length === 1 && config.roles[0] === 'engine';
const compose = isOnlyEngine
  ? (await import('./compose-engine.ts')).composeEngine
  : (await import('./compose.ts')).compose;
const service = await compose({
  config,
  log,
  onProgress: (step) => report({ type: 'progress', step }),
  onMaker: (running) => report({ type: 'maker', running }),
  // The journal cannot be written or trusted: anything answered from now on could be lost.
  onFatal: (error) => {
    log.fatal({ error: error instanceof Error ? error.stack : String(error) }, 'the service must end');
    process.exit(1);
  },
}).catch(fail);

closeWithGrace({ delay: 15_000 }, async ({ err }) => {
  if (err) log.fatal({ error: err.stack }, 'an uncaught error');
  await service.close();
});
log.info({ url: service.url, adminUrl: service.adminUrl }, 'the service is ready');
report({ type: 'ready', url: service.url, ...(service.adminUrl && { adminUrl: service.adminUrl }) });
