// The programs of the server, for the command line: `presage start` and `presage serve`. The packed server has this file at the same place of its own tree.
import { fileURLToPath } from 'node:url';
import { run } from '../../../scripts/run.mjs';

/** The whole sandbox: chain, prices, page, demo maker and the service, kept running. */
export function start() {
  return runProgram('../../sandbox/src/main.ts');
}

/** The service alone, with the settings of the environment. */
export function serve() {
  return runProgram('../src/main.ts');
}

function runProgram(path) {
  return run(fileURLToPath(new URL(path, import.meta.url)));
}
