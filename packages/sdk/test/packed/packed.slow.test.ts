// The packages as they would be published: packed, installed into an empty project, compiled, bundled and run there.
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isLongRun, openSandbox, type SandboxProcess, withoutQuickMarkets } from '@presage/testkit';
import { publint } from 'publint';
import ts from 'typescript';
import { build } from 'vite';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { EmptyProject } from './empty-project.ts';
import { ParsedFiles } from './parsed-files.ts';
import { installTypeChecker } from './type-checker.ts';

/** Each the newest of its line that npm has for both processors. */
const NODES = ['20.20.2', '22.23.3', '24.21.0'];

const parsed = new ParsedFiles();
let project: EmptyProject;

beforeAll(async () => {
  project = await EmptyProject.open(parsed);
}, 600_000);
afterAll(async () => {
  parsed.clear();
  await project?.close();
});

/** Skipped where no registry answers: the dependencies of the packages must come from somewhere. */
function installed(skip: (note: string) => never): EmptyProject {
  return project.isInstalled ? project : skip('no registry to install from');
}

/** Everything that a package of ours may hold. */
const EXPECTED = [
  /^(package\.json|README\.md|LICENSE)$/,
  // The binary of the chain: what names it.
  /^index\.js$/,
  // Libraries: modules and their types. The command line: one file. Licences of what is bundled.
  /^dist\/([\w-]+\/)*[\w.-]+\.(js|d\.ts)$/,
  /^dist\/LICENSES\.txt$/,
  // The server: programs, what they find by their place, and the page with its guides.
  /^dist\/programs\/[\w.-]+\.cjs$/,
  /^dist\/(apps|packages|scripts)\/([\w-]+\/)*[\w-]+\.(mjs|sql)$/,
  /^dist\/apps\/web\/dist\/(index\.html|inputs\.json|assets\/[\w.-]+\.(js|css|woff2|txt))(\.gz)?$/,
  /^dist\/(docs\/|examples\/|packages\/sdk\/)?[\w-]+\.md$/,
];

async function listTarball(path: string): Promise<string[]> {
  const { stdout } = await promisify(execFile)('tar', ['tzf', path]);
  return stdout
    .trim()
    .split('\n')
    .map((entry) => entry.replace(/^package\//, ''));
}

describe('a packed package', () => {
  it('gives publint nothing to complain about', async () => {
    for (const path of project.tarballs) {
      const { buffer } = new Uint8Array(await readFile(path));
      const { messages } = await publint({ pack: { tarball: buffer }, strict: true });
      expect(messages, path).toEqual([]);
    }
  });

  // In the long run only: the checker weighs 27 MB, and types that do not resolve are found by the compilation below.
  it.runIf(isLongRun)('has types that resolve for everybody who imports ES modules', async () => {
    const check = await installTypeChecker();
    for (const name of ['protocol', 'sdk']) {
      const tarball = project.tarballs.find((path) => path.includes(`presage-${name}-`))!;
      const findings = await check(tarball);
      expect(findings, name).toEqual({ types: 'included', hasEntries: true, problems: [] });
    }
  });

  it('lists nothing surplus', async () => {
    for (const tarball of project.tarballs) {
      const listed = await listTarball(tarball);
      expect(listed.filter((path) => !EXPECTED.some((pattern) => pattern.test(path)))).toEqual([]);
      for (const file of ['package.json', 'README.md', 'LICENSE']) expect(listed, tarball).toContain(file);
    }
  });

  it('holds no source, no test and no name of the workspace', async ({ skip }) => {
    const { dir } = installed(skip);
    for (const name of ['protocol', 'sdk', 'cli', 'server']) {
      const files = await readdir(join(dir, 'node_modules', '@presage', name), { recursive: true });
      expect(files.filter((file) => /\.(js|mjs|d\.ts)$/.test(file)).length).toBeGreaterThan(0);
      expect(files.filter((file) => /\.ts$/.test(file) && !file.endsWith('.d.ts'))).toEqual([]);
      expect(files.filter((file) => /(^|\/)test/.test(file))).toEqual([]);
    }
    const names = await readdir(join(dir, 'node_modules', '@presage'));
    expect(names.sort()).toEqual(['cli', expect.stringMatching(/^edr-/), 'protocol', 'sdk', 'server']);
    // One of seven binaries, of 21 to 32 MB each.
    expect(await readdir(join(dir, 'node_modules', '@nomicfoundation'))).toHaveLength(1);
  });
});

const STRICT = {
  compilerOptions: {
    // As a project for Node has it: what needs the types of a page must not be in ours.
    target: 'ES2023',
    lib: ['ES2023'],
    types: ['node'],
    module: 'nodenext',
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    verbatimModuleSyntax: true,
    isolatedModules: true,
    skipLibCheck: false,
    outDir: 'built',
  },
  files: ['trade.ts'],
};

/** As `tsc` does, without looking for faults in the types of other packages: they are not ours to mend, and would take most of the time. */
function compileStrictly(dir: string): { readonly checked: readonly string[]; readonly faults: readonly string[] } {
  const { options, fileNames, errors } = ts.parseJsonConfigFileContent(STRICT, ts.sys, dir);
  const program = ts.createProgram(fileNames, options, parsed.hostOf(options));
  const isOurs = ({ fileName }: ts.SourceFile) => fileNames.includes(fileName) || fileName.includes('/@presage/');
  const ours = program.getSourceFiles().filter(isOurs);
  const faults = [
    ...errors,
    ...program.getOptionsDiagnostics(),
    ...ours.flatMap((file) => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]),
    // One by one: an emission of everything would check the types of others after all.
    ...fileNames.flatMap((name) => program.emit(program.getSourceFile(name)).diagnostics),
  ];
  return {
    checked: ours.map(({ fileName }) => fileName.slice(fileName.indexOf('@presage/'))),
    faults: faults.map(
      ({ file, messageText }) => `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`,
    ),
  };
}

describe('in an empty project', () => {
  let sandbox: SandboxProcess | undefined;
  afterEach(async () => {
    await sandbox?.discard();
    sandbox = undefined;
  });
  /** The installed server by the installed command, with nothing of the repository. */
  const start = (node: string) =>
    openSandbox(withoutQuickMarkets({ isNew: true, command: [node, project.bin('presage'), 'start'] }));

  it('a program compiles strictly, the types of the packages included', async ({ skip }) => {
    const at = installed(skip);
    await at.copy('trade.ts');
    const { checked, faults } = compileStrictly(at.dir);
    expect(faults).toEqual([]);
    expect(checked).toContain('@presage/sdk/dist/index.d.ts');
    expect(checked).toContain('@presage/protocol/dist/index.d.ts');
  });

  it.each(isLongRun && process.platform === 'linux' ? NODES : [process.versions.node])(
    'the installed server starts; a program trades there and its trade settles, on Node %s; so does the command line, by its name',
    async (version) => {
      if (!project.isInstalled) return;
      const node = version === process.versions.node ? process.execPath : await project.node(version);
      sandbox = await start(node);
      const { url } = sandbox;
      expect(await sandbox.transcript()).toContain(`\n    presage demo --url ${url}\n`);
      for (const path of ['/', '/docs', '/docs/reference.js'])
        expect((await fetch(`${url}${path}`)).status, path).toBe(200);
      const { stdout } = await project.run(node, 'built/trade.js', url);
      expect(JSON.parse(stdout)).toEqual({
        node: `v${version}`,
        stages: ['confirmed'],
        failed: 0,
        filled: '10',
        levels: 0,
        exact: '9007199254740993',
        refused: 'market_not_found',
        status: 404,
        // The server brings the native one along, for the processors that it was compiled for.
        signer: expect.stringMatching(/^(native|wasm)$/),
      });
      const presage = (...args: string[]) => project.command(node, 'presage', ...args, '--url', url);
      expect((await presage('--version')).stdout.trim()).toBe(manifest.version);
      const tour = (await presage('demo', '--json')).stdout.trim().split('\n');
      expect(JSON.parse(tour.at(-1)!)).toMatchObject({ step: 'done' });
      const failure = await presage('nonsense', '--json').catch((error) => error);
      expect(failure).toMatchObject({ code: 2, stdout: '' });
      expect(JSON.parse(failure.stderr)).toMatchObject({ code: 'usage' });
    },
  );

  it.each(isLongRun && process.platform === 'linux' ? NODES : [process.versions.node])(
    'CommonJS requires every entry of the SDK, on Node %s',
    async (version) => {
      if (!project.isInstalled) return;
      const node = version === process.versions.node ? process.execPath : await project.node(version);
      const entries = Object.keys(manifest.exports).map((path) => `@presage/sdk${path.slice(1)}`);
      const program = `const found = ${JSON.stringify([...entries, '@presage/protocol'])}.map((name) => [name, Object.keys(require(name)).length > 0]);
        const { createPublicClient, parsePrice } = require('@presage/sdk');
        console.log(JSON.stringify({ found, url: createPublicClient({ url: 'http://a/' }).url, price: parsePrice('55c') }));`;
      await project.write('required.cjs', program);
      const { stdout } = await project.run(node, 'required.cjs');
      const found = [...entries, '@presage/protocol'].map((name) => [name, true]);
      expect(JSON.parse(stdout)).toEqual({ found, url: 'http://a', price: 550_000 });
    },
  );

  it('Vite bundles a page with it, without anything of Node', async ({ skip }) => {
    const at = installed(skip);
    await at.copy('page.ts');
    await at.write('index.html', '<!doctype html><script type="module" src="/page.ts"></script>');
    await build({ root: at.dir, configFile: false, logLevel: 'error', build: { target: 'es2022' } });
    const names = (await readdir(join(at.dir, 'dist', 'assets'))).filter((name) => name.endsWith('.js'));
    const texts = await Promise.all(names.map((name) => at.read(`dist/assets/${name}`)));
    expect(texts.join('')).toContain('/api/v1/markets');
    expect(texts.join('')).not.toMatch(/["']node:/);
    expect(texts.join('').length).toBeLessThan(200_000);
  });
});
