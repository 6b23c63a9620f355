// Builds the page into apps/web/dist: bundled, hashed, compressed once, and reused until a source changes.
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { basename, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { areMarksCurrent, keepFile, marksOf } from './kept-files.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const WEB = join(ROOT, 'apps', 'web');
const DIST = join(WEB, 'dist');
const TEMPLATE = join(WEB, 'index.html');
const INPUTS = join(DIST, 'inputs.json');
/** Chromium 111, Firefox 113 and Safari 16.4 are the oldest versions that support all styles used. */
const BROWSERS = ['chrome111', 'firefox113', 'safari16.4'];
const compress = promisify(gzip);
/** Build options of everything that a browser loads. */
const COMMON = {
  absWorkingDir: ROOT,
  bundle: true,
  write: false,
  metafile: true,
  outdir: DIST,
  logLevel: 'silent',
  minify: true,
  platform: 'browser',
  format: 'esm',
  splitting: true,
  target: BROWSERS,
  charset: 'utf8',
  // Licenses go beside the scripts, not into them.
  legalComments: 'external',
  entryNames: 'assets/[name]-[hash]',
  define: { 'process.env.NODE_ENV': '"production"' },
  // Used by the SDK in Node only; a browser has its own WebSocket.
  external: ['ws'],
};

/** Returns true if something was built, false if everything was current. */
async function buildPage() {
  if (await areMarksCurrent(INPUTS)) return false;
  const { build } = await import('esbuild');
  const { metafile, outputFiles } = await build({
    entryPoints: [join(WEB, 'src', 'main.tsx'), join(WEB, 'src', 'theme.ts')],
    ...COMMON,
    jsx: 'automatic',
    chunkNames: 'assets/[name]-[hash]',
    assetNames: 'assets/[name]-[hash]',
    loader: { '.woff2': 'file' },
  });
  const thread = await buildThread(build);
  await mkdir(join(DIST, 'assets'), { recursive: true });
  const built = [...outputFiles, ...thread.outputFiles];
  for (const { path, contents } of built) await writeCompressed(path, contents);
  // Written last: a client that has this file finds the others.
  const html = await fillTemplate(metafile, thread.metafile);
  await writeCompressed(join(DIST, 'index.html'), Buffer.from(html));
  const sources = [
    ...[metafile, thread.metafile].flatMap(({ inputs }) => Object.keys(inputs)).map((file) => resolve(ROOT, file)),
    TEMPLATE,
    fileURLToPath(import.meta.url),
  ];
  await keepFile(INPUTS, JSON.stringify(marksOf(sources, DIST)));
  await removeOthers(built.map(({ path }) => basename(path)));
  return true;
}

/** Builds the verifier as separate files, which are loaded only for a verification. */
function buildThread(build) {
  return build({
    entryPoints: [join(WEB, 'src', 'proof', 'verify-thread.ts')],
    ...COMMON,
    chunkNames: 'assets/verify-[name]-[hash]',
  });
}

async function fillTemplate(metafile, threadMetafile) {
  const entries = [...Object.entries(metafile.outputs), ...Object.entries(threadMetafile.outputs)];
  const built = (name) => entries.find(([, { entryPoint }]) => entryPoint?.endsWith(name));
  const [script, output] = built('main.tsx');
  const [theme] = built('theme.ts');
  const [thread] = built('verify-thread.ts');
  const fonts = entries.map(([file]) => file).filter((file) => /inter-latin-opsz[^/]*\.woff2$/.test(file));
  const address = (file) => `/${relative(DIST, resolve(ROOT, file))}`;
  const preloads = output.imports
    .filter(({ kind }) => kind === 'import-statement')
    .map(({ path }) => `<link rel="modulepreload" href="${address(path)}">`);
  const tags = [
    // Sets the colours before the first paint.
    `<script src="${address(theme)}"></script>`,
    ...fonts.map((file) => `<link rel="preload" as="font" type="font/woff2" crossorigin href="${address(file)}">`),
    ...preloads,
    `<link rel="stylesheet" href="${address(output.cssBundle)}">`,
    `<script type="module" src="${address(script)}"></script>`,
    `<meta name="verify-thread" content="${address(thread)}">`,
  ];
  return (await readFile(TEMPLATE, 'utf8')).replace('<!-- built files -->', tags.join('\n'));
}

/**
 * Compresses once, so that no answer has to. The compressed file is written second: the service ignores one that is
 * older than the original.
 */
async function writeCompressed(file, contents) {
  await keepFile(file, contents);
  // Fonts are compressed already.
  if (!file.endsWith('.woff2')) await keepFile(`${file}.gz`, await compressBest(contents));
}

/** Shorter blocks follow the change from code to texts, longer ones need fewer tables: which is smaller depends on the file. */
async function compressBest(contents) {
  const tries = await Promise.all([6, 7, 8].map((memLevel) => compress(contents, { level: 9, memLevel })));
  return tries.reduce((best, each) => (each.length < best.length ? each : best));
}

async function removeOthers(kept) {
  const names = new Set(kept.flatMap((name) => [name, `${name}.gz`]));
  for (const name of await readdir(join(DIST, 'assets'))) {
    if (!names.has(name)) await rm(join(DIST, 'assets', name), { force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const isNew = await buildPage();
  console.log(isNew ? 'the page was built' : 'the page is as before');
}
