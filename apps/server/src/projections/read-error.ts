// What readers of the view and of the audit log are told when the database fails a query.
import { PresageError } from '@presage/protocol';
import { codeOf, isMissingTable } from './table-watch.ts';

/** Any other error is a fault of the program, and stays what it is. */
export function toReadError(error: unknown): unknown {
  if (isConnectionFault(error) || isDamage(error)) return new PresageError('database_unavailable');
  // Dropped under the service: they are rebuilt.
  return isMissingTable(error) ? new PresageError('view_behind') : error;
}

/** The client's and the system's codes for a server that is not reached, and PostgreSQL's classes 57P (shutting down), 53 (out of connections, memory or disk) and 08 (connection). */
function isConnectionFault(error: unknown): boolean {
  return /^(CONNECT|ECONN|EPIPE|ETIMEDOUT|EHOST|ENET|ENOTFOUND|EAI_AGAIN|57P|53|08)/.test(codeOf(error));
}

/** PostgreSQL's class XX (a page or an index that is not what was written) and 58 (a file that is missing or cannot be read). */
function isDamage(error: unknown): boolean {
  return /^(XX|58)/.test(codeOf(error));
}
