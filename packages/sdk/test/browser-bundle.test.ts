// The browser bundle is small, without Node modules and without the service's validators.
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, it } from 'vitest';

const ENTRY = fileURLToPath(new URL('../src/index.ts', import.meta.url));
/** Deposits and the leaderboard took 194 bytes; quotes with fees, and refusals of hooks, 600; events, their stream, conversion and purchase, 650; refusals of unreadable requests, 90. */
const LARGEST_GZIP_BYTES = 24_000;

it('the bundle is below 24 kB gzip, without Node modules, validators or WebAssembly', async () => {
  const { outputFiles, metafile } = await build({
    entryPoints: [ENTRY],
    bundle: true,
    minify: true,
    platform: 'browser',
    format: 'esm',
    target: 'es2022',
    write: false,
    metafile: true,
    outdir: 'out',
    splitting: true,
    logLevel: 'silent',
  });
  const inputs = Object.keys(metafile.inputs).filter((path) => path.includes('node_modules'));
  const packages = new Set(inputs.map((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1]));
  expect([...packages].sort()).toEqual(['@noble/hashes', 'lossless-json', 'ws']);
  const bytes = outputFiles.reduce((sum, { contents }) => sum + gzipSync(contents).length, 0);
  expect(bytes).toBeLessThan(LARGEST_GZIP_BYTES);
});
