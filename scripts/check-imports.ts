// Checks import directions between workspaces and boundaries between the server's modules, over every file.
import { fileURLToPath } from 'node:url';
import { readImportGraph } from './import-graph.ts';

type ImportEdge = ReturnType<typeof readImportGraph>[number];

/** Small tools that every workspace except protocol and engine may use. */
const RUNTIME = 'packages/runtime';

/**
 * The sources of a workspace may import itself and these. Importing `contracts` is harmless: it has only generated
 * constants.
 */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  contracts: [],
  'packages/protocol': [],
  'packages/engine': ['packages/protocol'],
  [RUNTIME]: [],
  'packages/journal': [RUNTIME, 'packages/protocol'],
  'packages/signers': [RUNTIME, 'packages/protocol'],
  'packages/embedded-postgres': [RUNTIME],
  'packages/devchain': [RUNTIME, 'packages/protocol', 'packages/journal'],
  'packages/chain': [RUNTIME, 'packages/protocol', 'contracts'],
  // The verifier needs the engine.
  'packages/sdk': [RUNTIME, 'packages/protocol', 'packages/engine', 'packages/journal'],
  'packages/testkit': [
    RUNTIME,
    'packages/protocol',
    'packages/engine',
    'packages/journal',
    'packages/chain',
    'packages/devchain',
    'packages/embedded-postgres',
    'packages/sdk',
    'contracts',
  ],
  'apps/server': [
    RUNTIME,
    'packages/protocol',
    'packages/engine',
    'packages/journal',
    'packages/signers',
    'packages/chain',
    'packages/embedded-postgres',
    'contracts',
  ],
  'apps/sandbox': [
    RUNTIME,
    'packages/protocol',
    'packages/chain',
    'packages/devchain',
    'packages/embedded-postgres',
    'packages/sdk',
    'contracts',
  ],
  'apps/web': [RUNTIME, 'packages/protocol', 'packages/sdk'],
  'apps/cli': [
    RUNTIME,
    'packages/protocol',
    'packages/sdk',
    'packages/journal',
    'packages/engine',
    'packages/signers',
    // For deployments and maintenance of an operator's chains.
    'packages/chain',
    'contracts',
  ],
};

/** Folders that a browser loads, and the part of runtime that it cannot load. */
const FOR_BROWSERS = ['packages/sdk/src/', 'apps/web/src/'];
const NODE_ONLY = `${RUNTIME}/src/node/`;
/** Scripts that plain JavaScript entry points may import: the runner of TypeScript programs, and its file cache. */
const RUNNER = ['scripts/run.mjs', 'scripts/kept-files.mjs'];
/** The simulator composes the service itself, with the deployer of the sandbox. */
const SIMULATOR = 'sim';

const SERVER = 'apps/server/src';
/** The only files that may import several modules: compositions of the service, of an engine node and of one chain, and the fold of its notes. */
const MEETING_PLACES = [
  'compose.ts',
  'compose-engine.ts',
  'compose-exchange.ts',
  ...['chain', 'chain-view', 'chain-actor', 'chain-state', 'chains'].map((name) => `chains/${name}.ts`),
].map((name) => `${SERVER}/${name}`);
/** Entrances of modules that consist of their main class. */
const CLASS_ENTRANCES = [
  'chains/chains.ts',
  'settlement/settlement.ts',
  'indexer/indexer.ts',
  'resolution/keeper.ts',
  'wallets/wallets.ts',
].map((name) => `${SERVER}/${name}`);
/** Files at the server's root, whose types every module may import; domain code belongs in a module. */
const ROOT_FILES = [
  'main.ts',
  'end-in-order.ts',
  'compose.ts',
  'compose-engine.ts',
  'compose-exchange.ts',
  'config.ts',
  'clock.ts',
].map((name) => `${SERVER}/${name}`);

/** Returns one sentence for each forbidden import, and for each file of the server that is in no module. */
export function judgeImports(edges: readonly ImportEdge[]): string[] {
  const files = [...new Set(edges.flatMap(({ from, to }) => [from, to]))];
  const strays = files.filter((file) => file.startsWith(`${SERVER}/`) && isStray(file));
  const faults = edges.flatMap((edge) => directionFault(edge) ?? browserFault(edge) ?? moduleFault(edge) ?? []);
  return [...strays.map((file) => `${file} lies in no module: the server's root is for composing only`), ...faults];
}

function isStray(file: string): boolean {
  return moduleOf(file) === undefined && !ROOT_FILES.includes(file);
}

/** Names such as `packages/engine`, `contracts`, or `bench` and `scripts`, which may import like tests. */
function workspaceOf(path: string): string {
  const [top = '', name = ''] = path.split('/');
  return top === 'packages' || top === 'apps' ? `${top}/${name}` : top;
}

function directionFault({ from: file, to: target }: ImportEdge): string | undefined {
  const [from, to] = [workspaceOf(file), workspaceOf(target)];
  if (from === to || to === 'vectors' || RUNNER.includes(target)) return undefined;
  // Tests, examples, benches and scripts may use any package; no other workspace imports an app.
  const isSource = ALLOWED[from] !== undefined && /^(packages|apps)\/[^/]+\/(src|bin)\//.test(file);
  // The repository's generators run those of the workspaces.
  const isGenerator = from === 'scripts' && /^apps\/[^/]+\/scripts\//.test(target);
  const isSimulated = from === SIMULATOR && (to === 'apps/server' || to === 'apps/sandbox');
  if (isGenerator || isSimulated || (isSource ? ALLOWED[from]?.includes(to) : !to.startsWith('apps/')))
    return undefined;
  return `${file} imports ${target}: ${from} may not import ${to}`;
}

function browserFault({ from: file, to: target }: ImportEdge): string | undefined {
  const isForbidden = target.startsWith(NODE_ONLY) && FOR_BROWSERS.some((place) => file.startsWith(place));
  return isForbidden ? `${file} imports ${target}: browsers have nothing of Node` : undefined;
}

function moduleFault({ from: file, to: target, typeOnly }: ImportEdge): string | undefined {
  const [from, to] = [moduleOf(file), moduleOf(target)];
  if (!file.startsWith(`${SERVER}/`) || to === undefined || from === to || typeOnly) return undefined;
  // config.ts reads the parts of the configuration, and main.ts opens the log, before anything else is loaded.
  if (to === 'config' && file === `${SERVER}/config.ts`) return undefined;
  if (target === `${SERVER}/log/open.ts` && file === `${SERVER}/main.ts`) return undefined;
  // The cluster extends the writer of a single node, which does not know the cluster.
  if (from === 'cluster' && to === 'host') return undefined;
  if (!MEETING_PLACES.includes(file)) {
    return `${file} imports ${target}: modules meet only in compose.ts; import types at most`;
  }
  if (target === `${SERVER}/${to}/open.ts` || CLASS_ENTRANCES.includes(target)) return undefined;
  return `${file} imports ${target}: a module is entered through its open.ts or its main class only`;
}

function moduleOf(path: string): string | undefined {
  return new RegExp(`^${SERVER}/([^/]+)/`).exec(path)?.[1];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const faults = judgeImports(readImportGraph());
  for (const fault of faults) console.error(fault);
  console.log(faults.length === 0 ? 'import directions: all good' : `import directions: ${faults.length} faults`);
  process.exitCode = faults.length === 0 ? 0 : 1;
}
