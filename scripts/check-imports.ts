// Who may import whom: the directions between workspaces and the boundaries between the server's modules, over every file.
import { fileURLToPath } from 'node:url';
import { readImportGraph } from './import-graph.ts';

type ImportEdge = ReturnType<typeof readImportGraph>[number];

/** Small tools that every workspace but the two purest may use. */
const RUNTIME = 'packages/runtime';

/** The source of a workspace may import itself and these. Generated ABIs count as words: contracts has no code of its own. */
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
  // What checks an exchange brings its engine along.
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
    // An operator deploys with it, and looks after their chains.
    'packages/chain',
    'contracts',
  ],
};

/** What a browser loads, and what it cannot. */
const FOR_BROWSERS = ['packages/sdk/src/', 'apps/web/src/'];
const NODE_ONLY = `${RUNTIME}/src/node/`;
/** Starts a program from its TypeScript sources, which is what an entry in plain JavaScript is for, and what it keeps files with. */
const RUNNER = ['scripts/run.mjs', 'scripts/kept-files.mjs'];
/** Puts the service together in a world of its own, with the deployer of the sandbox. */
const SIMULATOR = 'sim';

const SERVER = 'apps/server/src';
/** Modules meet only here: in the service, in a node that only decides, in the modules of one chain, and where what these noted in its partition is folded. */
const MEETING_PLACES = [
  'compose.ts',
  'compose-engine.ts',
  'compose-exchange.ts',
  ...['chain', 'chain-view', 'chain-actor', 'chain-state', 'chains'].map((name) => `chains/${name}.ts`),
].map((name) => `${SERVER}/${name}`);
/** Entrances of modules that are opened by their main class alone. */
const CLASS_ENTRANCES = [
  'chains/chains.ts',
  'settlement/settlement.ts',
  'indexer/indexer.ts',
  'resolution/keeper.ts',
  'wallets/wallets.ts',
].map((name) => `${SERVER}/${name}`);
/** The root's own files, which every module may import types of; domain code belongs into a module. */
const ROOT_FILES = [
  'main.ts',
  'end-in-order.ts',
  'compose.ts',
  'compose-engine.ts',
  'compose-exchange.ts',
  'config.ts',
  'clock.ts',
].map((name) => `${SERVER}/${name}`);

/** One sentence for each import that is against the rules, and for each file of the server that is in no module. */
export function judgeImports(edges: readonly ImportEdge[]): string[] {
  const files = [...new Set(edges.flatMap(({ from, to }) => [from, to]))];
  const strays = files.filter((file) => file.startsWith(`${SERVER}/`) && isStray(file));
  const faults = edges.flatMap((edge) => directionFault(edge) ?? browserFault(edge) ?? moduleFault(edge) ?? []);
  return [...strays.map((file) => `${file} lies in no module: the server's root is for composing only`), ...faults];
}

function isStray(file: string): boolean {
  return moduleOf(file) === undefined && !ROOT_FILES.includes(file);
}

/** `packages/engine`, `contracts`, or `bench` and `scripts`, which are workshops like the tests. */
function workspaceOf(path: string): string {
  const [top = '', name = ''] = path.split('/');
  return top === 'packages' || top === 'apps' ? `${top}/${name}` : top;
}

function directionFault({ from: file, to: target }: ImportEdge): string | undefined {
  const [from, to] = [workspaceOf(file), workspaceOf(target)];
  if (from === to || to === 'vectors' || RUNNER.includes(target)) return undefined;
  // Tests, examples, benches and scripts may use any package; an app is entered by nobody but itself.
  const isSource = ALLOWED[from] !== undefined && /^(packages|apps)\/[^/]+\/(src|bin)\//.test(file);
  // The generators of the repository run those of the workspaces.
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
  // The parts of the configuration are read by config.ts, and the log is opened by main.ts, before anything else is loaded.
  if (to === 'config' && file === `${SERVER}/config.ts`) return undefined;
  if (target === `${SERVER}/log/open.ts` && file === `${SERVER}/main.ts`) return undefined;
  // The cluster extends the writer of a single node, which knows nothing of it.
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
