// Lays out the packed server: its programs bundled, and files that they find by path at the same places as in the
// repository.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import type { Plugin } from 'esbuild';
import { bundle } from './bundle.mjs';
import { ROOT } from './import-graph.ts';
import { CHAIN_BINARIES } from './package-plan.ts';
import { PROGRAMS } from './programs.mjs';

/** Files that are read or loaded by path rather than imported. */
const PLACED = [
  'apps/server/bin/programs.mjs',
  'apps/server/src/store/schema.sql',
  'packages/signers/src/signature-worker-entry.mjs',
  'scripts/kept-code.mjs',
];
/** The only served file of a package of 27 MB, and its path beside the route that serves it. */
const REFERENCE = {
  from: 'node_modules/@scalar/fastify-api-reference/dist/js/standalone.js',
  to: 'apps/server/src/api/routes/reference.js',
};
const PAGE = 'apps/web/dist';
const GUIDES = 'docs';

export interface Bundled {
  /** Imports of the programs that are not in their bundles. */
  readonly imports: readonly string[];
  /** Files of the repository that are in the bundles. */
  readonly inputs: readonly string[];
}

/** `home` is the folder in the package that stands for the repository's root. */
export async function layOutService(home: string): Promise<Bundled> {
  for (const file of [...PLACED, ...listGuides()]) copy(file, join(home, file));
  copy('scripts/packed-run.mjs', join(home, 'scripts', 'run.mjs'));
  copy(REFERENCE.from, join(home, REFERENCE.to));
  const results: Bundled[] = [{ imports: [], inputs: [...layOutPage(home), REFERENCE.from] }];
  for (const program of PROGRAMS) results.push(await bundleProgram(program, home));
  return { imports: results.flatMap(({ imports }) => imports), inputs: results.flatMap(({ inputs }) => inputs) };
}

/** The pages of docs, and pages outside of it that their index links to: the service shows them. */
export function listGuides(): string[] {
  const pages = readdirSync(join(ROOT, GUIDES)).filter((name) => name.endsWith('.md'));
  const index = readFileSync(join(ROOT, GUIDES, 'README.md'), 'utf8');
  const others = [...index.matchAll(/\]\(\.\.\/([\w/-]+\.md)\)/g)].flatMap(([, file]) => file ?? []);
  return [...new Set([...pages.map((name) => `${GUIDES}/${name}`), ...others])];
}

/**
 * EDR's package depends on the binaries of all platforms. Its loader is bundled, and looks for those of our packages,
 * of which npm installs one.
 */
const ONE_BINARY: Plugin = {
  name: 'one binary of the sandbox chain',
  setup: ({ onResolve }) => {
    onResolve({ filter: /^@nomicfoundation\/edr$/ }, ({ path }) => ({
      path: createRequire(join(ROOT, 'packages/devchain/package.json')).resolve(path),
    }));
    onResolve({ filter: /^@nomicfoundation\/edr-/ }, ({ path }) => ({
      path: CHAIN_BINARIES.find(({ binary }) => binary === path)?.name ?? path,
      external: true,
    }));
    // Binaries that a developer of EDR would have built beside it.
    onResolve({ filter: /^\.\/edr\..+\.node$/ }, ({ path }) => ({ path, external: true }));
  },
};

async function bundleProgram(program: string, home: string): Promise<Bundled> {
  const name = join(home, 'programs', program.replaceAll('/', '-'));
  const { file, contents, inputs } = await bundle({ source: join(ROOT, program), name, home, plugins: [ONE_BINARY] });
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, contents);
  // External imports of bundled packages are optional: everything required is in the bundle.
  const ours = Object.entries(inputs).filter(([path]) => !path.includes('node_modules'));
  const imports = ours.flatMap(([, { imports: all }]) => all.filter((each) => each.external).map(({ path }) => path));
  return { imports, inputs: Object.keys(inputs) };
}

/** Copies the page without the marks of its sources, which do not exist in the package. Returns the sources. */
function layOutPage(home: string): string[] {
  execFileSync(process.execPath, [join(ROOT, 'scripts', 'build-web.mjs')], { stdio: 'ignore' });
  const files = readdirSync(join(ROOT, PAGE), { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  for (const { parentPath, name } of files) {
    const path = join(parentPath, name);
    copy(path.slice(ROOT.length + 1), join(home, path.slice(ROOT.length + 1)));
  }
  const marks: Readonly<Record<string, unknown>> = JSON.parse(readFileSync(join(ROOT, PAGE, 'inputs.json'), 'utf8'));
  writeFileSync(join(home, PAGE, 'inputs.json'), '{}\n');
  return Object.keys(marks).map((path) => relative(ROOT, resolve(ROOT, PAGE, path)));
}

function copy(file: string, target: string): void {
  mkdirSync(dirname(target), { recursive: true });
  cpSync(join(ROOT, file), target, { preserveTimestamps: true });
}
