// Finds the source files that one order passes from HTTP to its answer, by V8's coverage of a running service, threads
// included.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { findFreePort } from '../packages/runtime/src/node/index.ts';
import { InspectorSession } from './inspector-session.ts';

interface FunctionCoverage {
  readonly functionName: string;
  readonly ranges: readonly { readonly startOffset: number; readonly count: number }[];
}

interface ScriptCoverage {
  readonly url: string;
  readonly functions: readonly FunctionCoverage[];
}

type Testkit = typeof import('../packages/testkit/src/index.ts');

/** Orders sent first: code that runs only the first time is not counted. */
const WARM_UP = 5;
/** Orders with pauses in between: a timer does not run beside every one of them, so its code is not counted. */
const COUNTED = 12;
const PAUSE_MS = 130;
/**
 * About the duration of an order under observation: code that is called in most pauses of this length belongs to a
 * timer.
 */
const IDLE_MS = 20;
/** Followers of the journal, which handle an order beside its answer, not on the way to it. */
const AFTERWARDS =
  /^apps\/server\/src\/((projections|api\/stream|resolution|store|settlement|quick|chains)\/|host\/follow-records|proof\/(public-journal|published-partition))/;
const FOLLOWS = / follow@/;

export interface OrderPath {
  readonly files: readonly string[];
  /** Number of files, where a package counts once: it is a library behind one entrance. */
  readonly counted: number;
}

/** Places a limit order that rests in an empty book, in the sandbox of the repository at `root`. */
export async function findOrderPath(root: string): Promise<OrderPath> {
  const testkit: Testkit = await import(pathToFileURL(join(root, 'packages/testkit/src/index.ts')).href);
  const { openSandbox, TestClient, walletOf } = testkit;
  const port = await findFreePort();
  const sandbox = await openSandbox({ env: { NODE_OPTIONS: `--inspect-port=127.0.0.1:${port}` } });
  try {
    const client = await TestClient.open(sandbox.url);
    const { body: market } = await client.post<{ id: `0x${string}` }>('/sandbox/markets', {
      question: 'Which way does an order go?',
      expiresIn: 30 * 86_400,
    });
    const session = await InspectorSession.openByPid(servicePid(sandbox.dataDir), port);
    let price = 0;
    const watch = async (doing: () => Promise<unknown>) => {
      await session.takeCoverage<ScriptCoverage>();
      await doing();
      return calledIn(await session.takeCoverage<ScriptCoverage>());
    };
    const place = async () => {
      price += 1;
      const text = { market: market.id, side: 'buy', price: (price / 100).toFixed(2), size: '1' } as const;
      const submission = await client.signOrder(walletOf('the wanderer'), text);
      return watch(async () => {
        const { status } = await client.post('/api/v1/orders', submission);
        if (status !== 200) throw new Error(`the order was refused with ${status}`);
      });
    };
    for (let sent = 0; sent < WARM_UP; sent++) await place();
    const [passed, idle]: [Set<string>[], Set<string>[]] = [[], []];
    for (let sent = 0; sent < COUNTED; sent++) {
      passed.push(await place());
      await sleep(PAUSE_MS);
      idle.push(await watch(() => sleep(IDLE_MS)));
    }
    session.close();
    const isTimed = (call: string) => idle.filter((calls) => calls.has(call)).length > COUNTED / 2;
    const always = [...passed[0]!]
      .filter((call) => passed.every((calls) => calls.has(call)) && !isTimed(call))
      .filter((call) => !FOLLOWS.test(call));
    return toPath([...new Set(always.map((call) => call.split(' ')[0]!))]);
  } finally {
    await sandbox.discard();
  }
}

function toPath(passed: readonly string[]): OrderPath {
  const files = passed.filter((file) => !AFTERWARDS.test(file)).sort();
  const entrances = new Set(files.map((file) => /^packages\/[^/]+/.exec(file)?.[0] ?? file));
  return { files, counted: entrances.size };
}

/** Every called function of our own sources, as `file function@offset`. */
function calledIn(scripts: readonly ScriptCoverage[]): Set<string> {
  const called = new Set<string>();
  for (const { url, functions } of scripts) {
    if (!url.startsWith('file://') || !url.includes('/.cache/presage/')) continue;
    const modules = modulesOf(fileURLToPath(url));
    for (const { functionName, ranges } of functions) {
      const { startOffset, count } = ranges[0]!;
      const file = modules.findLast(({ from }) => from <= startOffset)?.file;
      if (count > 0 && file !== undefined && file !== LIBRARY) called.add(`${file} ${functionName}@${startOffset}`);
    }
  }
  return called;
}

const LIBRARY = '';
const known = new Map<string, { from: number; file: string }[]>();

/** Places of the sources in a bundle, which has a comment before each: `// apps/server/src/main.ts`. */
function modulesOf(bundle: string): { from: number; file: string }[] {
  const found = known.get(bundle) ?? [];
  if (found.length === 0 && existsSync(bundle)) {
    const text = readFileSync(bundle, 'utf8');
    for (const match of text.matchAll(/^\/\/ (\S+\.m?[jt]sx?)$/gm)) found.push({ from: match.index, file: match[1]! });
    known.set(bundle, found);
  }
  // Libraries stay in the list: otherwise their functions would count as the previous file's.
  return found.map(({ from, file }) => ({ from, file: file.includes('node_modules') ? LIBRARY : file }));
}

/** Read from the supervisor's list: a file for each process, named after its role and pid. */
function servicePid(dataDir: string): number {
  const name = readdirSync(join(dataDir, 'processes')).find((each) => each.startsWith('service-'));
  return Number(name?.split('-')[1]);
}
