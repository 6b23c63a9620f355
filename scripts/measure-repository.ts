// How easy the repository is to work in, in figures: `npm run measure:repository [folder of another checkout]`.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { findImportCircles } from './check-circles.ts';
import { ROOT } from './import-graph.ts';
import { findOrderPath } from './order-path.ts';
import { filesOfAnEndpoint, filesOfAnOrderFlag, filesOfAnSdkMethod } from './touched-files.ts';

const root = resolve(process.argv[2] ?? ROOT);

interface KnipReport {
  readonly issues: readonly { exports?: unknown[]; types?: unknown[]; nsExports?: unknown[]; nsTypes?: unknown[] }[];
}

/** With today's configuration, so that two checkouts are measured alike. */
function countUnusedExports(): number {
  const run = spawnSync(
    process.execPath,
    [join(ROOT, 'node_modules/knip/bin/knip.js'), '--config', join(ROOT, 'knip.json'), '--reporter', 'json'],
    { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
  );
  const { issues } = JSON.parse(run.stdout) as KnipReport;
  const lists = issues.flatMap(({ exports, types, nsExports, nsTypes }) => [exports, types, nsExports, nsTypes]);
  return lists.reduce((total, list) => total + (list?.length ?? 0), 0);
}

/** What the SDK adds to a page that uses all of it, besides viem. */
async function sizeOfSdk(): Promise<number> {
  const { outputFiles } = await build({
    entryPoints: [join(root, 'packages/sdk/src/index.ts')],
    bundle: true,
    minify: true,
    platform: 'browser',
    format: 'esm',
    target: 'es2022',
    external: ['viem', 'viem/*'],
    write: false,
    logLevel: 'silent',
  });
  return outputFiles.reduce((sum, { contents }) => sum + gzipSync(contents).length, 0);
}

function sourcesIn(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(join(root, folder, name), 'utf8'));
}

/** `: object`, `Promise<object>`, `=> object`, `object[]`: a type that says nothing. */
function countObjectTypes(folder: string): number {
  const pattern = /(?::|=>|[<|,(]|\breadonly)\s*object\b(?!\s*[:?])/g;
  return sourcesIn(folder).reduce((total, text) => total + [...text.matchAll(pattern)].length, 0);
}

function countFiles(folder: string): number {
  return readdirSync(join(root, folder), { withFileTypes: true }).filter((each) => each.isFile()).length;
}

function byWorkspace(files: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const file of files) {
    const workspace = file.split('/')[1] ?? file;
    counts.set(workspace, (counts.get(workspace) ?? 0) + 1);
  }
  return [...counts].map(([workspace, count]) => `${workspace} ${count}`).join(', ');
}

const path = await findOrderPath(root);
const circles = findImportCircles(root);
const [endpoint, method, flag] = [filesOfAnEndpoint(root), filesOfAnSdkMethod(root), filesOfAnOrderFlag(root)];
const objects = countObjectTypes('apps/server/src/api');
const rows: [string, number, string][] = [
  ['files an order passes from HTTP to its answer', path.counted, byWorkspace(path.files)],
  ['files touched by a new endpoint', endpoint.length, 'those that name `failed-trades`'],
  ['files touched by its method in the SDK', method.length, 'method and type'],
  ['files touched by a new order flag', flag.length, 'those that name `selfTradePrevention`'],
  ['unused exports', countUnusedExports(), 'by knip'],
  ['import circles', circles.values.length + circles.types.length, `${circles.values.length} of values`],
  ['types `object` in the API', objects, 'apps/server/src/api'],
  ["files in the server's root", countFiles('apps/server/src'), 'apps/server/src'],
  ["bytes of the SDK's browser bundle", await sizeOfSdk(), 'gzip, without viem'],
];
console.log('| Figure | Now | |\n|---|---|---|');
for (const row of rows) console.log(`| ${row.join(' | ')} |`);
const show = (title: string, files: readonly string[]) =>
  console.log(`\n${title}:\n${files.map((file) => `- ${file}`).join('\n')}`);
show('An order passes', path.files);
show('A new endpoint touches', endpoint);
show('Its method in the SDK touches', method);
show('A new order flag touches', flag);
