// `presage start` and `presage serve`: the installed server, in this process.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { type Call, command, option } from '../command-spec.ts';
import { UsageError } from '../exit-codes.ts';

/** The exports of apps/server/bin/programs.mjs. */
interface ServerPrograms {
  start(): Promise<unknown>;
  serve(): Promise<unknown>;
}

interface Place {
  readonly port?: string;
  readonly dataDir?: string;
}

const PORT = option('--port <number>', 'port to listen on (PRESAGE_PORT, else 8080)');
const DATA_DIR = option('--data-dir <folder>', 'data directory (PRESAGE_DATA_DIR, else ./data)');

export const SERVE = [
  command('start', 'run a whole exchange in a sandbox: chain, prices, web page, service', start, PORT, DATA_DIR),
  command('serve', 'run the live service, configured by environment variables', serve, PORT, DATA_DIR),
];

async function start({ options }: Call<Place>): Promise<void> {
  settle(options);
  await (await findServer()).start();
}

async function serve({ options }: Call<Place>): Promise<void> {
  process.env.PRESAGE_PROFILE ||= 'live';
  settle(options);
  await (await findServer()).serve();
}

/** Passes the options on as environment variables, the only settings that the server reads. */
function settle({ port, dataDir }: Place): void {
  if (port !== undefined) process.env.PRESAGE_PORT = port;
  if (dataDir !== undefined) process.env.PRESAGE_DATA_DIR = dataDir;
}

/** The server is a separate package, because a trader needs neither a chain nor a database. */
async function findServer(): Promise<ServerPrograms> {
  let path: string;
  try {
    path = createRequire(import.meta.url).resolve('@presage/server/programs');
  } catch {
    throw new UsageError(
      'the server is not installed',
      'Install it beside this command: npm install -g @presage/server',
    );
  }
  return import(pathToFileURL(path).href);
}
