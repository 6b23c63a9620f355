// Logs into a server that has just started, and names the service's database in a new cluster.
import { codeOf, messageOf } from '@presage/runtime';
import postgres from 'postgres';
import { PostmasterFailure } from './postmaster-failure.ts';

export const DATABASE = 'presage';

/** Codes of PostgreSQL: appendix A of its manual. */
const NO_SUCH_DATABASE = '3D000';
/** Login refused, internal error (as of damaged files), system error (as of missing files). */
const CLUSTER_FAULT = /^(28|XX|58)/;

/** Throws a PostmasterFailure of kind "cluster" when the cluster is damaged or knows another password than ours. */
export async function findDatabase(url: string): Promise<void> {
  try {
    await runStatement(url, 'select 1');
  } catch (error) {
    const code = String(codeOf(error) ?? '');
    if (CLUSTER_FAULT.test(code)) throw new PostmasterFailure(`FATAL: ${messageOf(error)}`);
    if (code !== NO_SUCH_DATABASE) throw error;
    // Not created beside it: that would copy 300 files, and sync each of them at the first close.
    await runStatement(withDatabase(url, 'template1'), `alter database postgres rename to ${DATABASE}`);
  }
}

async function runStatement(url: string, statement: string): Promise<void> {
  const sql = postgres(url, { max: 1, fetch_types: false, onnotice: () => undefined });
  try {
    await sql.unsafe(statement);
  } finally {
    await sql.end();
  }
}

function withDatabase(url: string, database: string): string {
  const other = new URL(url);
  other.pathname = `/${database}`;
  return other.href;
}
