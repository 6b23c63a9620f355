// Settings of the embedded server: small, private, and tuned for a view that can be rebuilt from the journal.
import { ownerSetting } from './postmaster-file.ts';

/** Passed on the command line rather than in the cluster's file, so that an upgraded service brings its own. */
export function listServerArguments(cluster: string, port: number, moreConnections: number): string[] {
  const connections = `max_connections=${CONNECTIONS + moreConnections}`;
  const settings = [ownerSetting(process.pid), `port=${port}`, connections, ...SETTINGS];
  return ['-D', cluster, ...settings.flatMap((setting) => ['-c', setting])];
}

/** For one service with two small pools; each idle connection costs about 2 MB. */
const CONNECTIONS = 32;

const SETTINGS = [
  'listen_addresses=127.0.0.1',
  // A socket file would need a folder that both users can access, with a path under 108 characters.
  'unix_socket_directories=',

  'shared_buffers=32MB',
  'maintenance_work_mem=32MB',
  // The engine needs the other core.
  'max_parallel_workers_per_gather=0',
  'max_worker_processes=2',
  'autovacuum_worker_slots=1',
  'autovacuum_max_workers=1',
  // Three I/O workers are useless for a database that fits into memory.
  'io_method=sync',
  // Compiling costs more than it saves on queries of milliseconds.
  'jit=off',

  // The journal is the truth, and the projector's cursor commits with its rows: a commit lost in a crash is projected again.
  'synchronous_commit=off',
  // Stays on, unlike the above: without it a crash could leave torn pages rather than an earlier state.
  'fsync=on',
  // No replica is ever fed from this server.
  'wal_level=minimal',
  'max_wal_senders=0',
  'max_logical_replication_workers=0',
  'max_wal_size=256MB',
  'min_wal_size=32MB',

  // Cancels the query of a client that died, so that it does not delay the next start.
  'client_connection_check_interval=1s',
  'timezone=UTC',
  'log_timezone=UTC',
  'log_checkpoints=off',
];
