// What two usual changes touch, measured by what an existing example touches: every file that names it would have to be edited.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A list of its own with a query of its own: `GET /api/v1/failed-trades`. */
const ENDPOINT_PATH = '/failed-trades';
const ENDPOINT = /failed-trades|failedTrades|FailedTrades/;
/** The order flag that is known to the engine, the journal, the wire, the view and the SDK. */
const ORDER_FLAG = /selfTradePrevention|self_trade_prevention/;

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
