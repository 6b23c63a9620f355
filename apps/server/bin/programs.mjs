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

/** The arguments were those of the command line, which has read them. */
function runProgram(path) {
  const program = fileURLToPath(new URL(path, import.meta.url));
  process.argv.splice(1, process.argv.length, program);
  return run(program);
}
