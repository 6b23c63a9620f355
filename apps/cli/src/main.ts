// The entry point of `presage`: parses the command line, runs the command, and sets the exit code.
import { CommanderError } from 'commander';
import { EXIT_CODES } from './exit-codes.ts';
import { createProgram } from './program.ts';
import { reportFailure } from './report-failure.ts';

const { argv, env, stdout, stderr } = process;

// `presage ... | head` closes our stdout: the reader has enough.
stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

try {
  await createProgram({ env, stdout, stderr }).parseAsync(argv);
} catch (error) {
  // Commander has already printed its own errors.
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : EXIT_CODES.usage.code;
  else process.exitCode = reportFailure(error, { stderr, json: argv.includes('--json') });
}
