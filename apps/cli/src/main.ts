// The entry of `presage`: reads the command line, runs the command, and ends with the code that says how it went.
import { CommanderError } from 'commander';
import { EXIT_CODES } from './exit-codes.ts';
import { createProgram } from './program.ts';
import { reportFailure } from './report-failure.ts';

const { argv, env, stdout, stderr } = process;

// `presage ... | head` closes our stdout: the reader has what it wanted.
stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

try {
  await createProgram({ env, stdout, stderr }).parseAsync(argv);
} catch (error) {
  // Commander has told its own already.
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : EXIT_CODES.usage.code;
  else process.exitCode = reportFailure(error, { stderr, json: argv.includes('--json') });
}
