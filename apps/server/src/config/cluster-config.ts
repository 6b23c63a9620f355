// Configuration of a cluster: this node's roles, and the address at which other nodes call it.
import { randomBytes } from 'node:crypto';
import { isLoopback } from '@presage/runtime/node';
import type { LaneSettings } from './lane-config.ts';
import type { SettingsReader } from './settings-reader.ts';

const ROLES = ['gateway', 'engine', 'settler'] as const;
/** Role of a node: gateways answer and verify, engines decide, settlers act on chains. */
export type Role = (typeof ROLES)[number];

export interface ClusterSettings {
  /** Secret shared by all nodes; a calling node proves that it knows it. */
  readonly secret: string;
  readonly host: string;
  readonly port: number;
}

/** `wait`: answers nothing until a standby is back. `alone`: answers once the primary alone has a write on disk, with a warning. */
export const STANDBY_CHOICES = ['wait', 'alone'] as const;
export type StandbyChoice = (typeof STANDBY_CHOICES)[number];

/** Minimum length of the secret: a shorter one could be guessed from an intercepted proof. */
const LEAST_SECRET = 16;

/** Reads `all` or a list of roles. */
export function readRoles(read: SettingsReader): readonly Role[] {
  const named = read.list('PRESAGE_ROLES');
  if (named.length === 0 || (named.length === 1 && named[0] === 'all')) return ROLES;
  const unknown = named.filter((name) => !ROLES.some((role) => role === name));
  for (const name of unknown) read.faults.push(`PRESAGE_ROLES=${name}: use all, or some of ${ROLES.join(', ')}`);
  return ROLES.filter((role) => named.includes(role));
}

/** Reads the drain. Only gateways have one by default: their balancer needs a moment to notice; nobody takes over from other nodes. */
export function readDrain(read: SettingsReader): number {
  const isGateway = read.list('PRESAGE_ROLES').includes('gateway');
  return read.integer('PRESAGE_DRAIN_SECONDS', [0, 30], isGateway ? 2 : 0);
}

/** Reads cluster settings; undefined for a single node without lanes. The secret for lanes is drawn at each start. */
export function readCluster(read: SettingsReader, lanes: number): ClusterSettings | undefined {
  if (lanes > 0) return { secret: randomBytes(32).toString('hex'), host: '127.0.0.1', port: 0 };
  const secret = read.optional('PRESAGE_CLUSTER_SECRET');
  if (secret === undefined) return undefined;
  if (secret.length < LEAST_SECRET) read.faults.push(`PRESAGE_CLUSTER_SECRET: use ${LEAST_SECRET} characters or more`);
  return {
    secret,
    host: read.text('PRESAGE_CLUSTER_HOST', '127.0.0.1'),
    port: read.port(['PRESAGE_CLUSTER_PORT'], 0),
  };
}

interface ClusterParts {
  readonly roles: readonly Role[];
  readonly cluster: ClusterSettings | undefined;
  readonly journalUrl: string | undefined;
  readonly host: string;
  readonly lanes: number;
  readonly lane: LaneSettings | undefined;
}

export function clusterFaults(parts: ClusterParts): string[] {
  if (parts.lane !== undefined) return [];
  return parts.lanes > 0 ? laneFaults(parts) : sharingFaults(parts);
}

function laneFaults({ roles, journalUrl }: ClusterParts): string[] {
  if (journalUrl === undefined && roles.length === ROLES.length) return [];
  return [
    'PRESAGE_LANES: only a service with its journal in files has lanes; with PRESAGE_JOURNAL_URL or PRESAGE_ROLES start gateways',
  ];
}

function sharingFaults({ roles, cluster, journalUrl, host }: ClusterParts): string[] {
  const faults: string[] = [];
  const isSplit = roles.length < ROLES.length;
  if (isSplit && journalUrl === undefined) {
    faults.push('PRESAGE_ROLES: several nodes share one journal; set PRESAGE_JOURNAL_URL');
  }
  if (isSplit && cluster === undefined) {
    faults.push(
      'PRESAGE_CLUSTER_SECRET: nodes with different roles call each other; set the same secret on all of them',
    );
  }
  if (cluster !== undefined && journalUrl === undefined) {
    faults.push('PRESAGE_CLUSTER_SECRET: only nodes that share a journal call each other; set PRESAGE_JOURNAL_URL');
  }
  const isWide = [cluster?.host, host].some((each) => each === '0.0.0.0' || each === '::');
  if (cluster !== undefined && isWide && !isLoopback(host)) {
    faults.push(
      'PRESAGE_CLUSTER_HOST, PRESAGE_HOST: nodes find each other by these addresses; name one that the others reach',
    );
  }
  return faults;
}
