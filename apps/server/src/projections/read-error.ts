// Translates database errors for readers of the view and the audit log.
import { PresageError } from '@presage/protocol';
import { codeOf, isMissingTable } from './table-watch.ts';

/** Any other error is a defect of the program and stays unchanged. */
export function toReadError(error: unknown): unknown {
  if (isConnectionFault(error) || isDamage(error)) return new PresageError('database_unavailable');
  // The tables were dropped while the service runs, and are rebuilt.
  return isMissingTable(error) ? new PresageError('view_behind') : error;
}

/**
 * Codes of the client and the system for an unreachable server, and PostgreSQL's classes 57P (shutting down), 53 (out
 * of connections, memory or disk) and 08 (connection).
 */
function isConnectionFault(error: unknown): boolean {
  return /^(CONNECT|ECONN|EPIPE|ETIMEDOUT|EHOST|ENET|ENOTFOUND|EAI_AGAIN|57P|53|08)/.test(codeOf(error));
}

/** PostgreSQL's classes XX (a damaged page or index) and 58 (a file that is missing or unreadable). */
function isDamage(error: unknown): boolean {
  return /^(XX|58)/.test(codeOf(error));
}
