// Number of files that typical changes touch, measured by an existing example: every file that names it would have to
// be edited.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A list with its own query: `GET /api/v1/failed-trades`. */
const ENDPOINT_PATH = '/failed-trades';
const ENDPOINT = /failed-trades|failedTrades|FailedTrades/;
/** The order flag, which appears in engine, journal, wire, view and SDK. */
const ORDER_FLAG = /selfTradePrevention|self_trade_prevention/;
/** A relayed operation with its own signed type and no special rules. */
const RELAYED_OPERATION = /invalidate-nonce|invalidateNonce|InvalidateNonce/;
/** A column of `trades` whose name no other table uses. */
const TRADE_COLUMN = /\battempts\b/;

const SERVICE = ['packages/protocol/src', 'apps/server/src'];
const EVERYWHERE = ['packages', 'apps'];

/**
 * Sources of the service, plus its own test. The list of the specification's routes is fixed, so it is left out. A
 * route that names the example without its path is another endpoint that reads the same list.
 */
export function filesOfAnEndpoint(root: string): string[] {
  const isAnother = (file: string) =>
    file.includes('/api/routes/') && !readFileSync(join(root, file), 'utf8').includes(ENDPOINT_PATH);
  return [...filesNaming(root, SERVICE, ENDPOINT).filter((file) => !isAnother(file)), 'its test'];
}

/** Files of the SDK that a method for it touches in addition. */
export function filesOfAnSdkMethod(root: string): string[] {
  return filesNaming(root, ['packages/sdk/src'], ENDPOINT);
}

/** Sources only: the number of a flag's tests is arbitrary. */
export function filesOfAnOrderFlag(root: string): string[] {
  return filesNaming(root, EVERYWHERE, ORDER_FLAG).filter((file) => /\/src\//.test(file));
}

/** Sources of the service; clients also need an action in the SDK. */
export function filesOfARelayedOperation(root: string): string[] {
  return [...filesNaming(root, SERVICE, RELAYED_OPERATION), 'its test'];
}

/** Lines of the schema and the read models that would have to be repeated for a new column. */
export function placesOfATradeColumn(root: string): string[] {
  const files = filesNaming(root, ['apps/server/src/store', 'apps/server/src/projections'], TRADE_COLUMN);
  return files.flatMap((file) =>
    readFileSync(join(root, file), 'utf8')
      .split('\n')
      .flatMap((line, index) => (TRADE_COLUMN.test(line) ? [`${file}:${index + 1} ${line.trim()}`] : [])),
  );
}

function filesNaming(root: string, folders: readonly string[], pattern: RegExp): string[] {
  return folders
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
    )
    .filter((file) => /\.(tsx?|sql)$/.test(file) && !file.includes('node_modules'))
    .filter((file) => pattern.test(readFileSync(join(root, file), 'utf8')))
    .sort();
}
