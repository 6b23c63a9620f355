// Last step of `npm install`: bundles the programs and the page, so that the first start is as fast as any other. A
// bundle that fails here is built at the first start, which reports the error.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { PROGRAMS } from './programs.mjs';

const pathOf = (path) => fileURLToPath(new URL(path, import.meta.url));
const run = promisify(execFile);

/** Each in its own process, which ends with its bundler. */
await Promise.allSettled([
  run(process.execPath, [pathOf('build-web.mjs')]),
  run(process.execPath, [pathOf('run.mjs'), '--only-bundle', ...PROGRAMS.map((program) => pathOf(`../${program}`))]),
]);
