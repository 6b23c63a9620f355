// `npm run build:packages`: builds the publishable packages into dist/packages: ES modules, types, and a manifest
// without workspace references.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import ts from 'typescript';
import { layOutService } from './build-service-package.ts';
import { BUILT } from './bundle.mjs';
import { ROOT } from './import-graph.ts';
import {
  binaryManifest,
  CHAIN_BINARIES,
  type ChainBinary,
  PLANS,
  PROGRAM,
  publishedManifest,
  readManifest,
  STAGE,
} from './package-plan.ts';

type Plan = (typeof PLANS)[number];
type HostOf = (options: ts.CompilerOptions) => ts.CompilerHost;

/**
 * Packages that are not published: their files are copied into the packages that use them, each in a folder of its
 * name.
 */
const VENDORED = [
  { name: '@presage/runtime', folder: 'runtime', entry: 'index' },
  // Used by the verifier.
  { name: '@presage/engine', folder: 'engine', entry: 'index' },
  { name: '@presage/journal/layout', folder: 'journal', entry: 'frame-layout' },
].map((each) => ({ ...each, source: join(ROOT, 'packages', each.folder, 'src') }));
/** Import specifiers in scripts and types: after `from`, and in `import(...)`. */
const SPECIFIER = /((?:from|import)\s*\(?\s*)(['"])([^'"\n]+)\2/g;

/** `hostOf` may return a host that has already read files for another program. */
export async function buildPackages(hostOf: HostOf = ts.createCompilerHost): Promise<readonly string[]> {
  rmSync(STAGE, { recursive: true, force: true });
  const libraries = readLibraries(hostOf);
  const folders = CHAIN_BINARIES.map(buildBinaryPackage);
  for (const plan of PLANS) folders.push(await buildPackage(plan, libraries));
  return folders;
}

function buildBinaryPackage(plan: ChainBinary): string {
  const stage = join(STAGE, basename(plan.name));
  mkdirSync(stage, { recursive: true });
  writeFileSync(join(stage, 'package.json'), `${JSON.stringify(binaryManifest(plan), null, 2)}\n`);
  writeFileSync(join(stage, 'index.js'), `module.exports = require('${plan.binary}');\n`);
  const readme = `The EVM of the sandbox of \`@presage/server\`, for one kind of machine: \`${plan.binary}\`. npm installs it with the server where it fits.`;
  writeFileSync(join(stage, 'README.md'), `# ${plan.name}\n\n${readme}\n`);
  cpSync(join(ROOT, 'LICENSE'), join(stage, 'LICENSE'));
  return stage;
}

async function buildPackage(plan: Plan, libraries: ts.Program): Promise<string> {
  const stage = join(STAGE, basename(plan.folder));
  mkdirSync(join(stage, 'dist'), { recursive: true });
  const manifest = publishedManifest(plan, toPackages(await fill(plan, stage, libraries)));
  writeFileSync(join(stage, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  cpSync(join(ROOT, plan.folder, 'README.md'), join(stage, 'README.md'));
  cpSync(join(ROOT, 'LICENSE'), join(stage, 'LICENSE'));
  return stage;
}

/** Resolves with the imports of the package. */
async function fill(plan: Plan, stage: string, libraries: ts.Program): Promise<readonly string[]> {
  const dist = join(stage, 'dist');
  if (plan.kind === 'program') return bundleProgram(plan, join(stage, PROGRAM));
  if (plan.kind === 'library') {
    emitLibrary(plan, dist, libraries);
    return importedBy(dist);
  }
  const { imports, inputs } = await layOutService(dist);
  writeFileSync(join(dist, 'LICENSES.txt'), licensesOf(inputs));
  return imports;
}

/**
 * All libraries in one program: each uses the types of the previous ones, whose inference takes longer than anything
 * else here.
 */
function readLibraries(hostOf: HostOf): ts.Program {
  const entries = PLANS.filter(({ kind }) => kind === 'library').flatMap(({ folder }) =>
    Object.values(readManifest(folder).exports ?? {}).map((path) => join(ROOT, folder, path)),
  );
  const options = { ...compilerOptions(), rootDir: ROOT, outDir: STAGE };
  return ts.createProgram(entries, options, hostOf(options));
}

/** Emits file by file, so that users' bundlers can leave out what they do not need. */
function emitLibrary({ folder }: Plan, out: string, program: ts.Program): void {
  const source = join(ROOT, folder, 'src');
  const { dependencies = {} } = readManifest(folder);
  const isUsed = ({ folder: name }: (typeof VENDORED)[number]) => `@presage/${name}` in dependencies;
  const places = [{ source, folder: '' }, ...VENDORED.filter(isUsed)];
  const placeOf = (file: string) => places.find((each) => file.startsWith(each.source + sep));
  const write = (path: string, text: string) => {
    const emitted = join(ROOT, relative(STAGE, path));
    const { source: from, folder: to } = placeOf(emitted)!;
    const target = join(out, to, relative(from, emitted));
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(
      target,
      rewriteSpecifiers(text, (path) => relative(dirname(target), join(out, path))),
    );
  };
  // Leaves out sources of packages that are published separately.
  const own = program.getSourceFiles().filter(({ fileName }) => placeOf(resolve(fileName)) !== undefined);
  const diagnostics = own.flatMap((file) => program.emit(file, write).diagnostics);
  // Only diagnostics of the emission: `npm run check:types` has the rest.
  if (diagnostics.length > 0) throw new Error(ts.formatDiagnostics(diagnostics, FORMAT));
}

const FORMAT: ts.FormatDiagnosticsHost = {
  getCurrentDirectory: () => ROOT,
  getCanonicalFileName: (name) => name,
  getNewLine: () => '\n',
};

function compilerOptions(): ts.CompilerOptions {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.base.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, files: [] }, ts.sys, ROOT);
  // Mapped by path, because files found in node_modules are never emitted.
  const paths = Object.fromEntries(VENDORED.map(({ name, source, entry }) => [name, [join(source, `${entry}.ts`)]]));
  // Types are not checked here: that takes more than half of the time, and `npm run check:types` does it.
  return { ...options, paths, noEmit: false, noCheck: true, declaration: true, rewriteRelativeImportExtensions: true };
}

/** The compiler leaves `.ts` in types; specifiers in both kinds of file must name existing files. */
function rewriteSpecifiers(text: string, fromHere: (path: string) => string): string {
  return text.replaceAll(SPECIFIER, (whole, before: string, quote: string, specifier: string) => {
    const vendored = VENDORED.find(({ name }) => name === specifier);
    if (vendored !== undefined) {
      const path = fromHere(join(vendored.folder, `${vendored.entry}.js`));
      return `${before}${quote}${toRelative(path)}${quote}`;
    }
    return specifier.startsWith('.') ? whole.replace(/\.ts(['"])$/, '.js$1') : whole;
  });
}

function toRelative(path: string): string {
  const posix = path.split(sep).join('/');
  return posix.startsWith('.') ? posix : `./${posix}`;
}

/**
 * Bundled because their hundreds of files took two thirds of a start. Packages that are small, or not only code, are
 * installed beside the program.
 */
const BUNDLED = /^(@presage|viem|typebox|@noble\/hashes)(\/|$)/;

/**
 * Bundles a program into one file: a command that starts at every prompt should not open hundreds. Resolves with its
 * imports.
 */
async function bundleProgram({ folder }: Plan, outfile: string): Promise<string[]> {
  const { metafile } = await build({
    entryPoints: [join(ROOT, folder, 'src', 'main.ts')],
    absWorkingDir: ROOT,
    bundle: true,
    metafile: true,
    outfile,
    logLevel: 'warning',
    legalComments: 'none',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    charset: 'utf8',
    banner: { js: '#!/usr/bin/env node' },
    plugins: [
      BUILT,
      {
        name: 'packages stay outside',
        setup: ({ onResolve }) =>
          onResolve({ filter: /^[^./]/ }, ({ path, kind, importer }) => {
            const isBundled = BUNDLED.test(path) || (importer.includes('node_modules') && !isBuiltin(path));
            return kind === 'entry-point' || isBundled ? undefined : { path, external: true };
          }),
      },
    ],
  });
  writeFileSync(join(dirname(outfile), 'LICENSES.txt'), licensesOf(Object.keys(metafile.inputs)));
  return Object.values(metafile.outputs).flatMap(({ imports }) => imports.map(({ path }) => path));
}

/** Licenses of bundled packages, which must be shipped with their code. */
function licensesOf(inputs: readonly string[]): string {
  const folders = inputs.flatMap((input) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0] ?? []);
  const texts = [...new Set(folders)].sort().map((folder) => {
    const { name, version, license } = readManifest(folder);
    const file = readdirSync(join(ROOT, folder)).find((each) => /^(un)?licen[cs]e/i.test(each));
    if (file === undefined && license === undefined)
      throw new Error(`${folder} has no license to publish with its code`);
    if (file === undefined) return `${name} ${version}\n\nReleased under ${license}; the package has no text of it.\n`;
    return `${name} ${version}\n\n${readFileSync(join(ROOT, folder, file), 'utf8').trim()}\n`;
  });
  return texts.join('\n');
}

function importedBy(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  return files.flatMap(({ parentPath, name }) => {
    const text = readFileSync(join(parentPath, name), 'utf8');
    return ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => fileName);
  });
}

/** Names of the packages that the specifiers refer to. */
function toPackages(specifiers: readonly string[]): Set<string> {
  const foreign = specifiers.filter((each) => !each.startsWith('.') && !isBuiltin(each));
  return new Set(foreign.map((each) => /^(@[^/]+\/)?[^/]+/.exec(each)?.[0] ?? each));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const folder of await buildPackages()) console.log(`built ${relative(ROOT, folder)}`);
}
