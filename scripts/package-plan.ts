// The publishable packages, their sources, and their published manifests.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './import-graph.ts';

export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license?: string;
  readonly exports?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional: boolean }>>;
}

interface Plan {
  /** Folder of the workspace, and of its package in dist/packages. */
  readonly folder: string;
  readonly kind: 'library' | 'program' | 'service';
  readonly keywords: readonly string[];
}

export const PLANS: readonly Plan[] = [
  { folder: 'packages/protocol', kind: 'library', keywords: ['prediction-market', 'eip-712', 'exchange'] },
  { folder: 'packages/sdk', kind: 'library', keywords: ['prediction-market', 'trading', 'client', 'exchange'] },
  { folder: 'apps/cli', kind: 'program', keywords: ['prediction-market', 'trading', 'cli', 'exchange'] },
  { folder: 'apps/server', kind: 'service', keywords: ['prediction-market', 'exchange', 'matching-engine'] },
];

/**
 * A package of ours with one binary of the sandbox's chain. Unlike the binary's own package, it declares its platform.
 */
export interface ChainBinary {
  readonly name: string;
  /** The package with the binary. */
  readonly binary: string;
  readonly version: string;
  /** Manifest fields by which npm skips other platforms. */
  readonly machine: {
    readonly os: readonly string[];
    readonly cpu: readonly string[];
    readonly libc?: readonly string[];
  };
}

export const CHAIN_BINARIES: readonly ChainBinary[] = readChainBinaries();

/** The lock file has the platform of each binary. */
function readChainBinaries(): ChainBinary[] {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, ChainBinary['machine'] & { readonly version: string }>>;
  };
  return Object.entries(packages).flatMap(([path, { version, os, cpu, libc }]) => {
    const [, machine] = /^node_modules\/@nomicfoundation\/edr-(.+)$/.exec(path) ?? [];
    if (machine === undefined) return [];
    return {
      name: `@presage/edr-${machine}`,
      binary: `@nomicfoundation/edr-${machine}`,
      version,
      machine: { os, cpu, ...(libc && { libc }) },
    };
  });
}

export function binaryManifest({ name, binary, version, machine }: ChainBinary): object {
  return {
    name,
    version: readManifest('apps/server').version,
    description: `The binary of the sandbox's chain for one kind of machine: installs ${binary} there and nowhere else.`,
    license: 'MIT',
    type: 'commonjs',
    engines: readEngines(),
    main: './index.js',
    files: ['index.js'],
    ...machine,
    ...repositoryOf('apps/server'),
    publishConfig: { access: 'public', provenance: true },
    dependencies: { [binary]: version },
  };
}

/** Folder from which `npm publish` publishes. */
export const STAGE = join(ROOT, 'dist', 'packages');
/** Path in the package, as in the workspace's own manifest. */
export const PROGRAM = 'dist/presage.js';

export function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'));
}

/** Built from scratch, without the workspace's scripts, development dependencies and sources. */
export function publishedManifest({ folder, kind, keywords }: Plan, imported: ReadonlySet<string>): object {
  const { name, version, description, ...manifest } = readManifest(folder);
  const { node } = readEngines();
  return {
    name,
    version,
    description,
    keywords,
    license: 'MIT',
    type: 'module',
    sideEffects: kind !== 'library',
    engines: { node },
    ...(kind === 'program' ? { bin: { presage: `./${PROGRAM}` } } : {}),
    exports: {
      ...(kind === 'library' ? publishedExports(manifest.exports ?? {}) : {}),
      ...(kind === 'service' ? { './programs': './dist/apps/server/bin/programs.mjs' } : {}),
      './package.json': './package.json',
    },
    files: ['dist'],
    ...repositoryOf(folder),
    publishConfig: { access: 'public', provenance: true },
    dependencies: versionsOf(folder, imported, manifest.peerDependencies ?? {}),
    ...(kind === 'service' && { optionalDependencies: optionalOf(version) }),
    ...(manifest.peerDependencies && { peerDependencies: manifest.peerDependencies }),
    ...(manifest.peerDependenciesMeta && { peerDependenciesMeta: manifest.peerDependenciesMeta }),
  };
}

/** URL of the repository that a release is built from, which its provenance statement must name. Unknown outside of a release. */
function repositoryOf(directory: string): object {
  const { GITHUB_SERVER_URL: host, GITHUB_REPOSITORY: name } = process.env;
  if (host === undefined || name === undefined) return {};
  const page = `${host}/${name}`;
  return {
    repository: { type: 'git', url: `git+${page}.git`, directory },
    homepage: `${page}#readme`,
    bugs: `${page}/issues`,
  };
}

function readEngines(): { readonly node: string } {
  return JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).engines;
}

function publishedExports(exports: Readonly<Record<string, string>>): object {
  const entries = Object.entries(exports).map(([path, source]) => {
    const built = source.replace(/^\.\/src\//, './dist/').replace(/\.ts$/, '');
    return [path, { types: `${built}.d.ts`, default: `${built}.js` }] as const;
  });
  return Object.fromEntries(entries);
}

/** Versions of exactly the imported packages; a bundled workspace contributes the versions of its own dependencies. */
function versionsOf(folder: string, imported: ReadonlySet<string>, peers: object): Record<string, string> {
  const all = [...[...OWN_FOLDERS].reverse(), folder].map(dependenciesOf);
  const known: Record<string, string> = Object.assign({}, ...all);
  const named = [...imported].filter((name) => !(name in peers)).sort();
  return Object.fromEntries(
    named.map((name) => {
      const version = known[name];
      if (version === undefined) throw new Error(`${folder} imports ${name}, which no workspace of it depends on`);
      return [name, version];
    }),
  );
}

/**
 * Packages for a single platform, and faster ones that need a compiler: without them the service says what to do, or
 * falls back.
 */
function optionalOf(version: string): Readonly<Record<string, string>> {
  const binaries = CHAIN_BINARIES.map(({ name }) => ({ [name]: version }));
  return Object.assign(
    {},
    ...binaries,
    ...OWN_FOLDERS.map((folder) => readManifest(folder).optionalDependencies ?? {}),
  );
}

function dependenciesOf(folder: string): Readonly<Record<string, string>> {
  return readManifest(folder).dependencies ?? {};
}

const OWN_FOLDERS = [
  'packages/protocol',
  'packages/sdk',
  'packages/runtime',
  'packages/engine',
  'packages/journal',
  'packages/signers',
  'packages/chain',
  'packages/devchain',
  'packages/embedded-postgres',
  'apps/sandbox',
  'apps/server',
  'contracts',
];
