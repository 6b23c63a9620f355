// Reads the environment variables that the supervisor itself needs; the service reads and checks all others.
import { resolve } from 'node:path';
import { FIRST_CHAIN_ID } from '@presage/devchain';
import { isLoopback } from '@presage/runtime/node';

export interface Settings {
  readonly dataDir: string;
  readonly host: string;
  /** Time in which the service still answers after it was told to end. */
  readonly drainMs: number;
  /** Undefined if invalid; the service then refuses it. */
  readonly port: number | undefined;
  /** False if the user provides the chains: then only the service is started. */
  readonly hasOwnChain: boolean;
  /** Ids of the chains that the sandbox starts, one process each. */
  readonly chainIds: readonly number[];
  /** Which settlement batches are simulated before they are sent. */
  readonly simulation: Simulation;
  /** Sentences about invalid settings; any of them prevents the start. */
  readonly faults: readonly string[];
  readonly isQuiet: boolean;
  /** True if the children's log goes to stderr unchanged, rather than to a file. */
  readonly isLogShown: boolean;
}

const SIMULATIONS = ['unproven', 'always'] as const;
export type Simulation = (typeof SIMULATIONS)[number];

export type Environment = Readonly<Record<string, string | undefined>>;

/** Each chain is a process that holds its state in memory. */
const MAX_CHAINS = 4;
/** The default of a gateway; other nodes end sooner. */
const USUAL_DRAIN_SECONDS = 2;
const QUIET_LEVELS = ['error', 'fatal', 'silent'];

export function readSettings(environment: Environment): Settings {
  const { PRESAGE_DATA_DIR, PRESAGE_HOST, PRESAGE_PORT, PORT, PRESAGE_LOG_LEVEL } = environment;
  const hasOwnChain = environment.PRESAGE_PROFILE !== 'live' && !environment.PRESAGE_CHAINS && isSettler(environment);
  const chains = readChainCount(environment.PRESAGE_SANDBOX_CHAINS, hasOwnChain);
  const { simulation, faults } = readSimulation(environment.PRESAGE_SANDBOX_SIMULATION);
  return {
    dataDir: resolve(PRESAGE_DATA_DIR || './data'),
    host: PRESAGE_HOST || '127.0.0.1',
    port: parsePort(PRESAGE_PORT || PORT || '8080'),
    drainMs: 1_000 * (Number(environment.PRESAGE_DRAIN_SECONDS) || USUAL_DRAIN_SECONDS),
    hasOwnChain,
    chainIds: Array.from({ length: chains.count }, (_, index) => FIRST_CHAIN_ID + index),
    simulation,
    faults: [...chains.faults, ...faults, ...publicFaults(environment)],
    isQuiet: QUIET_LEVELS.includes(PRESAGE_LOG_LEVEL ?? ''),
    isLogShown: !hasOwnChain || !!PRESAGE_LOG_LEVEL,
  };
}

/** Only a settler gets a chain: engines need none, and gateways need the settler's, not a chain of another exchange. */
function isSettler({ PRESAGE_ROLES: roles }: Environment): boolean {
  return !roles || /\b(all|settler)\b/.test(roles);
}

/** The same check as the service's, made here before a chain is started. */
function publicFaults({ PRESAGE_PROFILE, PRESAGE_HOST, PRESAGE_SANDBOX_PUBLIC }: Environment): string[] {
  const isReached =
    PRESAGE_PROFILE !== 'live' && PRESAGE_HOST !== undefined && !isLoopback(PRESAGE_HOST || '127.0.0.1');
  if (!isReached || PRESAGE_SANDBOX_PUBLIC === 'yes') return [];
  return [
    `PRESAGE_HOST=${PRESAGE_HOST}: a sandbox that others can reach lets anybody write and control it; listen on 127.0.0.1, ` +
      'or set PRESAGE_SANDBOX_PUBLIC=yes if that is what you want.',
  ];
}

function readChainCount(text: string | undefined, hasOwnChain: boolean): { count: number; faults: string[] } {
  if (!text) return { count: 1, faults: [] };
  const count = Number(text);
  const isCount = /^\d+$/.test(text) && count >= 1 && count <= MAX_CHAINS;
  if (!isCount) {
    const expected = `give the number of chains that the sandbox starts, from 1 to ${MAX_CHAINS}`;
    return { count: 1, faults: [`PRESAGE_SANDBOX_CHAINS=${text}: ${expected}.`] };
  }
  if (hasOwnChain) return { count, faults: [] };
  return { count: 1, faults: ['PRESAGE_SANDBOX_CHAINS: leave it unset where PRESAGE_CHAINS names the chains.'] };
}

/** Defaults to `unproven`: gas costs nothing here, and the node shares the processor with the service. */
function readSimulation(text: string | undefined): { simulation: Simulation; faults: string[] } {
  const simulation = SIMULATIONS.find((each) => each === (text || 'unproven'));
  if (simulation !== undefined) return { simulation, faults: [] };
  return { simulation: 'unproven', faults: [`PRESAGE_SANDBOX_SIMULATION=${text}: give unproven or always.`] };
}

function parsePort(text: string): number | undefined {
  const port = Number(text);
  return Number.isInteger(port) && port >= 0 && port <= 65_535 ? port : undefined;
}
