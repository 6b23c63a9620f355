// Figures about how easy the repository is to work in: `npm run measure:repository [-- --casts] [folder of another
// checkout]`.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { findImportCircles } from './check-circles.ts';
import { type Finding, readCodeFigures, type Size } from './code-figures.ts';
import { readCommand } from './command-options.ts';
import { ROOT } from './import-graph.ts';
import { findOrderPath } from './order-path.ts';
import {
  filesOfAnEndpoint,
  filesOfAnOrderFlag,
  filesOfAnSdkMethod,
  filesOfARelayedOperation,
  placesOfATradeColumn,
} from './touched-files.ts';

const { values: flags, positionals } = readCommand({
  usage: 'npm run measure:repository -- [options] [folder]',
  what: 'Prints the figures of the code: sizes, casts, circles, files that a change touches.',
  options: { casts: { type: 'boolean', what: 'lists every cast instead of measuring the rest, which takes a minute' } },
  allowPositionals: true,
  examples: ['npm run measure:repository', 'npm run measure:repository -- --casts'],
});
const root = resolve(positionals[0] ?? ROOT);

interface KnipReport {
  readonly issues: readonly { exports?: unknown[]; types?: unknown[]; nsExports?: unknown[]; nsTypes?: unknown[] }[];
}

/** Uses the current configuration, so that two checkouts are measured alike. */
function countUnusedExports(): number {
  const run = spawnSync(
    process.execPath,
    [join(ROOT, 'node_modules/knip/bin/knip.js'), '--config', join(ROOT, 'knip.json'), '--reporter', 'json'],
    { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
  );
  const { issues }: KnipReport = JSON.parse(run.stdout);
  const lists = issues.flatMap(({ exports, types, nsExports, nsTypes }) => [exports, types, nsExports, nsTypes]);
  return lists.reduce((total, list) => total + (list?.length ?? 0), 0);
}

/** Size that the SDK adds to a page that uses all of it, without viem. */
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

/** Text such as `server 12, sdk 3`: number of files by folder, highest first. */
function byFolder(files: readonly string[], folderOf = (file: string) => file.split('/')[1] ?? file): string {
  const counts = new Map<string, number>();
  for (const file of files) counts.set(folderOf(file), (counts.get(folderOf(file)) ?? 0) + 1);
  const sorted = [...counts].sort(([, a], [, b]) => b - a);
  return sorted.map(([folder, count]) => `${folder} ${count}`).join(', ');
}

/** Folder of a file, such as `apps/server/src/api`, `sim/world` or `scripts`. */
const roomOf = (file: string) => file.split('/').slice(0, -1).slice(0, 4).join('/');
const workspaceOf = (file: string) => roomOf(file).split('/').slice(0, 2).join('/');
const placeOf = ({ file, line, text }: Finding) => `${file}:${line} ${text}`;
const filesIn = ({ files }: Size) => `in ${files} files`;

function show(title: string, lines: readonly string[]): void {
  console.log(`\n${title}:\n${lines.map((line) => `- ${line}`).join('\n')}`);
}

const code = readCodeFigures(root);
if (flags.casts) {
  show('Casts', code.casts.map(placeOf));
  process.exit();
}
const path = await findOrderPath(root);
const circles = findImportCircles(root);
const [endpoint, method, flag] = [filesOfAnEndpoint(root), filesOfAnSdkMethod(root), filesOfAnOrderFlag(root)];
const [operation, column] = [filesOfARelayedOperation(root), placesOfATradeColumn(root)];
const objects = countObjectTypes('apps/server/src/api');
const castFiles = code.casts.map(({ file }) => file);
const longest = code.functions[0]!;
const rows: [string, number, string][] = [
  ['lines of `src`', code.src.lines, filesIn(code.src)],
  ['lines of scripts, benchmarks, simulator, examples', code.tools.lines, filesIn(code.tools)],
  ['lines of tests', code.tests.lines, filesIn(code.tests)],
  ['`as` casts outside tests', code.casts.length, byFolder(castFiles, workspaceOf)],
  ['lines that name an `...Options` type', code.optionsTypeLines, `${code.optionsLines} with the values`],
  ["types of a log's methods", code.logTypes.length, 'apps/server/src'],
  ['lines of the longest function', longest.lines, placeOf(longest)],
  ['functions over 60 lines', code.functions.filter(({ lines }) => lines > 60).length, '`src`'],
  ['folders over 25 files', code.fullFolders.length, '`src`'],
  ['files an order passes from HTTP to its answer', path.counted, byFolder(path.files)],
  ['files touched by a new endpoint', endpoint.length, 'those that name `failed-trades`'],
  ['files touched by its method in the SDK', method.length, 'method and type'],
  ['files touched by a new order flag', flag.length, 'those that name `selfTradePrevention`'],
  ['files touched by a relayed operation', operation.length, 'those that name `invalidate-nonce`'],
  ["places of a trade's column", column.length, 'those that name `attempts`'],
  ['unused exports', countUnusedExports(), 'by knip'],
  ['import circles', circles.values.length + circles.types.length, `${circles.values.length} of values`],
  ['types `object` in the API', objects, 'apps/server/src/api'],
  ["files in the server's root", countFiles('apps/server/src'), 'apps/server/src'],
  ["bytes of the SDK's browser bundle", await sizeOfSdk(), 'gzip, without viem'],
];
console.log('| Figure | Now | |\n|---|---|---|');
for (const row of rows) console.log(`| ${row.join(' | ')} |`);
show('Casts by folder', byFolder(castFiles, roomOf).split(', '));
show('Log types', code.logTypes.map(placeOf));
show(
  'Longest functions',
  code.functions.slice(0, 20).map((each) => `${each.lines} ${placeOf(each)}`),
);
show(
  'Folders over 25 files',
  code.fullFolders.map(({ folder, files }) => `${files} ${folder}`),
);
show('An order passes', path.files);
show('A new endpoint touches', endpoint);
show('Its method in the SDK touches', method);
show('A new order flag touches', flag);
show('A relayed operation touches', operation);
show("A trade's column is named in", column);
