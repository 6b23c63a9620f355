// The service's log: JSON lines to stderr, for the supervisor or whatever else collects them; and how a failed start is described.
import { messageOf } from '@presage/runtime';
import { isErrorCode } from '@presage/runtime/node';
import pino, { type Logger } from 'pino';
import { ConfigInvalid } from '../config.ts';
import { BoundedLines } from './bounded-lines.ts';

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
export function openServiceLog(level: string, lane?: number): Logger {
  // A log that nobody reads is no reason to stop, nor is progress that nobody reads.
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
  /** Given only for a defect: other failures name their cause and what to do. */
  readonly stack?: string;
}

/** A fault that a person can fix in a sentence, a defect with its stack. */
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

/** Errors of these types are defects. */
function isDefect(error: Error): boolean {
  return [TypeError, ReferenceError, RangeError, SyntaxError].some((kind) => error instanceof kind);
}

/** A host name with several addresses fails with an aggregate of errors and no message of its own. */
function toSentence(error: Error): string {
  if (error.message !== '') return error.message;
  const parts: unknown[] = error instanceof AggregateError ? error.errors : [];
  return parts.length > 0 ? parts.map((part) => messageOf(part)).join('; ') : error.name;
}
