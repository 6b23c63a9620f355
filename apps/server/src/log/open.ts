// Opens the service's log, JSON lines to stderr for the supervisor or another collector; describes failed starts.
import { messageOf } from '@presage/runtime';
import { isErrorCode } from '@presage/runtime/node';
import pino, { type Logger } from 'pino';
import { ConfigInvalid } from '../config.ts';
import { BoundedLines } from './bounded-lines.ts';

/** Redacted fields: a safety net, since no module should log a secret. */
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
 * Opens the log. Uses Node's stream rather than pino's: pino retries a line for ever when its reader is gone, and a service
 * whose supervisor was killed could then neither continue nor exit.
 */
export function openServiceLog(level: string, lane?: number): Logger {
  // Ignores errors: an unread log or progress report is no reason to stop.
  for (const stream of [process.stderr, process.stdout]) stream.on('error', () => undefined);
  const lines = new BoundedLines(process.stderr, (lost) =>
    log.warn({ lost }, 'lines of the log were lost: nobody read it'),
  );
  const log = pino({ level, base: lane === undefined ? null : { lane }, redact: SECRETS }, lines);
  return log;
}

interface StartFailure {
  readonly message: string;
  /** Faults of the configuration. */
  readonly faults?: readonly string[];
  /** Stack of a defect; other failures name their cause and remedy in the message. */
  readonly stack?: string;
}

/** Describes a failed start: a fault that a person can fix by a sentence, a defect with its stack. */
export function describeFailure(error: unknown): StartFailure {
  if (error instanceof ConfigInvalid) return { message: error.message, faults: error.faults };
  if (!(error instanceof Error)) return { message: String(error) };
  if (isErrorCode(error, 'EADDRINUSE') && 'port' in error) {
    const remedy = 'choose another with PRESAGE_PORT or PRESAGE_ADMIN_PORT, or stop what listens there';
    return { message: `Port ${error.port} is taken: ${remedy}.` };
  }
  const { stack } = error;
  return { message: toSentence(error), ...(isDefect(error) && stack && { stack }) };
}

/** Whether an error is a defect of the program, by its type. */
function isDefect(error: Error): boolean {
  return [TypeError, ReferenceError, RangeError, SyntaxError].some((kind) => error instanceof kind);
}

/** Message of an error. Joins an AggregateError, which has no message of its own: a host name with several addresses fails with one. */
function toSentence(error: Error): string {
  if (error.message !== '') return error.message;
  const parts: unknown[] = error instanceof AggregateError ? error.errors : [];
  return parts.length > 0 ? parts.map((part) => messageOf(part)).join('; ') : error.name;
}
