// The service's log: JSON lines to stderr, for the supervisor or whatever else collects them.
import pino, { type Logger } from 'pino';

export { describeFailure } from './start-failure.ts';

/** No module logs a secret; this is for the day when one does by mistake. */
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
 * Node's own stream rather than pino's: that one tries a line again for ever when nobody is there to read it any more, and a service
 * whose supervisor was killed could then neither go on nor end.
 */
export function openServiceLog(level: string): Logger {
  // A log that nobody reads is no reason to stop.
  process.stderr.on('error', () => undefined);
  return pino({ level, base: null, redact: SECRETS }, process.stderr);
}
