// What usual changes touch, measured by an existing example: every file that names the example would have to be edited.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A list of its own with a query of its own: `GET /api/v1/failed-trades`. */
const ENDPOINT_PATH = '/failed-trades';
const ENDPOINT = /failed-trades|failedTrades|FailedTrades/;
/** The order flag that is known to the engine, the journal, the wire, the view and the SDK. */
const ORDER_FLAG = /selfTradePrevention|self_trade_prevention/;
/** A relayed operation with a signed type of its own and nothing special about it. */
const RELAYED_OPERATION = /invalidate-nonce|invalidateNonce|InvalidateNonce/;
/** A column of `trades` whose name no other table uses. */
const TRADE_COLUMN = /\battempts\b/;

const SERVICE = ['packages/protocol/src', 'apps/server/src'];
const EVERYWHERE = ['packages', 'apps'];

/**
 * Sources of the service; its own test is one more. The list of the specification's routes has no place for a new one. A route that names
 * it without its path is another endpoint, which reads the same list.
 */
export function filesOfAnEndpoint(root: string): string[] {
  const isAnother = (file: string) =>
    file.includes('/api/routes/') && !readFileSync(join(root, file), 'utf8').includes(ENDPOINT_PATH);
  return [...filesNaming(root, SERVICE, ENDPOINT).filter((file) => !isAnother(file)), 'its test'];
}

/** What a method for it in the SDK touches besides. */
export function filesOfAnSdkMethod(root: string): string[] {
  return filesNaming(root, ['packages/sdk/src'], ENDPOINT);
}

/** Sources only: the tests of a flag are as many as one likes to write. */
export function filesOfAnOrderFlag(root: string): string[] {
  return filesNaming(root, EVERYWHERE, ORDER_FLAG).filter((file) => /\/src\//.test(file));
}

/** Sources of the service; clients need an action in the SDK besides. */
export function filesOfARelayedOperation(root: string): string[] {
  return [...filesNaming(root, SERVICE, RELAYED_OPERATION), 'its test'];
}

/** Lines of the schema and the read models, each of which would have to be written again for a new column. */
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
