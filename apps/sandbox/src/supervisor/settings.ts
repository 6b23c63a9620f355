// What the supervisor itself must know of the environment; everything else is the service's to read and to refuse.
import { resolve } from 'node:path';

export interface Settings {
  readonly dataDir: string;
  readonly host: string;
  /** Undefined when it is one that the service will refuse. */
  readonly port: number | undefined;
  /** False when the chains are the user's: then only the service is started. */
  readonly hasOwnChain: boolean;
  readonly isQuiet: boolean;
  /** The service's log goes to stderr as it is, rather than to a file. */
  readonly isLogShown: boolean;
}

type Environment = Readonly<Record<string, string | undefined>>;

const QUIET_LEVELS = ['error', 'fatal', 'silent'];

export function readSettings(environment: Environment): Settings {
  const { PRESAGE_DATA_DIR, PRESAGE_HOST, PRESAGE_PORT, PORT, PRESAGE_LOG_LEVEL } = environment;
  const hasOwnChain = environment.PRESAGE_PROFILE !== 'live' && !environment.PRESAGE_CHAINS;
  return {
    dataDir: resolve(PRESAGE_DATA_DIR || './data'),
    host: PRESAGE_HOST || '127.0.0.1',
    port: parsePort(PRESAGE_PORT || PORT || '8080'),
    hasOwnChain,
    isQuiet: QUIET_LEVELS.includes(PRESAGE_LOG_LEVEL ?? ''),
    isLogShown: !hasOwnChain || !!PRESAGE_LOG_LEVEL,
  };
}

function parsePort(text: string): number | undefined {
  const port = Number(text);
  return Number.isInteger(port) && port >= 0 && port <= 65_535 ? port : undefined;
}
