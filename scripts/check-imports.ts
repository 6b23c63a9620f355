// Who may import whom: the one-way streets of the house, checked over every import in the repository.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..');

/** A workspace may import itself and these. Generated ABIs count as words: contracts has no code of its own. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  contracts: [],
  'packages/runtime': [],
  'packages/protocol': [],
  'packages/engine': ['packages/protocol'],
  'packages/journal': ['packages/runtime', 'packages/protocol'],
  'packages/chain': ['packages/runtime', 'packages/protocol', 'contracts'],
  'packages/sdk': ['packages/runtime', 'packages/protocol'],
  'packages/testkit': [
    'packages/runtime',
    'packages/protocol',
    'packages/engine',
    'packages/chain',
    'packages/sdk',
    'contracts',
  ],
  'apps/server': [
    'packages/runtime',
    'packages/protocol',
    'packages/engine',
    'packages/journal',
    'packages/chain',
    'contracts',
  ],
  'apps/sandbox': [
    'packages/runtime',
    'packages/protocol',
    'packages/journal',
    'packages/chain',
    'packages/sdk',
    'contracts',
  ],
  'apps/web': ['packages/runtime', 'packages/protocol', 'packages/sdk'],
  'apps/cli': ['packages/runtime', 'packages/protocol', 'packages/sdk', 'packages/journal', 'packages/engine'],
};

/** What a browser loads, and what it must not. */
const FOR_BROWSERS = ['packages/sdk/src/', 'apps/web/src/'];
const NODE_ONLY = 'packages/runtime/node';

/** Rooms of the server meet only here. */
const MEETING_PLACES = ['apps/server/src/compose.ts', 'apps/server/src/compose-routes.ts', 'apps/server/src/main.ts'];
const IMPORT =
  /(?:^|\n)\s*(import|export)(\s+type)?\b[^;'"]*?from\s*['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]\s*\)/g;

interface Import {
  readonly file: string;
  readonly target: string;
  readonly typeOnly: boolean;
}

export function findForbiddenImports(root = ROOT): string[] {
  const faults: string[] = [];
  for (const found of sourceFiles(root).flatMap((file) => importsOf(root, file))) {
    const fault = streetFault(found) ?? browserFault(found) ?? roomFault(found);
    if (fault !== undefined) faults.push(fault);
  }
  return faults;
}

function sourceFiles(root: string): string[] {
  return ['packages', 'apps', 'contracts'].flatMap((top) =>
    readdirSync(join(root, top), { recursive: true, encoding: 'utf8' })
      .map((name) => join(top, name))
      .filter((file) => /\/(src|test|scripts)\/.*\.tsx?$/.test(file) && !file.includes('node_modules')),
  );
}

function importsOf(root: string, file: string): Import[] {
  const text = readFileSync(join(root, file), 'utf8');
  return [...text.matchAll(IMPORT)].flatMap((match) => {
    const target = toPath(file, match[3] ?? match[4] ?? '');
    return target === undefined ? [] : [{ file, target, typeOnly: match[2] !== undefined }];
  });
}

/** The path an import leads to, for our own code only. */
function toPath(file: string, specifier: string): string | undefined {
  if (specifier.startsWith('.')) return relative('.', join(dirname(file), specifier));
  const name = /^@presage\/([^/]+)/.exec(specifier)?.[1];
  if (name === undefined) return undefined;
  if (specifier === '@presage/runtime/node') return NODE_ONLY;
  return Object.keys(ALLOWED).find((workspace) => workspace.split('/').at(-1) === name) ?? `unknown/${name}`;
}

function workspaceOf(path: string): string {
  return path.startsWith('contracts') ? 'contracts' : path.split('/').slice(0, 2).join('/');
}

function streetFault({ file, target }: Import): string | undefined {
  const [from, to] = [workspaceOf(file), workspaceOf(target)];
  if (from === to || to === 'vectors' || to.startsWith('..') || target.startsWith('vectors')) return undefined;
  // Tests are workshops: they may use the testkit, and any package below an app.
  if (!file.includes('/src/') && !to.startsWith('apps/')) return undefined;
  if (ALLOWED[from]?.includes(to)) return undefined;
  return `${file} imports ${target}: ${from} may not import ${to}`;
}

function browserFault({ file, target }: Import): string | undefined {
  const isForbidden = target === NODE_ONLY && FOR_BROWSERS.some((place) => file.startsWith(place));
  return isForbidden ? `${file} imports ${target}: browsers have nothing of Node` : undefined;
}

function roomFault({ file, target, typeOnly }: Import): string | undefined {
  if (typeOnly || MEETING_PLACES.includes(file)) return undefined;
  const [from, to] = [roomOf(file), roomOf(target)];
  if (from === undefined || to === undefined || from === to) return undefined;
  return `${file} imports ${target}: rooms meet only in compose.ts; import types at most`;
}

function roomOf(path: string): string | undefined {
  return /^apps\/server\/src\/([^/]+)\//.exec(path)?.[1];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const faults = findForbiddenImports();
  for (const fault of faults) console.error(fault);
  console.log(faults.length === 0 ? 'import directions: all good' : `import directions: ${faults.length} faults`);
  process.exitCode = faults.length === 0 ? 0 : 1;
}
