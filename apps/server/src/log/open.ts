// The service's log: JSON lines to stderr, for the supervisor or whatever else collects them.
import pino, { type Logger } from 'pino';

export { describeFailure } from './start-failure.ts';

/** Safety net: no module should log a secret. */
const SECRETS = [
  'authorization',
  'signature',
  'api_private_key',
  'privateKey',
  'settlerKey',
  'relayerKey',
  'token',
].flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);

/**
 * Node's own stream rather than pino's: pino retries a line for ever when its reader is gone, and a service
 * whose supervisor was killed could then neither continue nor exit.
 */
export function openServiceLog(level: string): Logger {
  // A log that nobody reads is no reason to stop.
  process.stderr.on('error', () => undefined);
  return pino({ level, base: null, redact: SECRETS }, process.stderr);
}
