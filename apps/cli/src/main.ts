// The entry point of `presage`: parses the command line, runs the command, and sets the exit code.
import { CommanderError } from 'commander';
import { EXIT_CODES } from './exit-codes.ts';
import { createProgram } from './program.ts';
import { reportFailure, toUsageError } from './report-failure.ts';
import { isSignerThread, serveSigners } from './signer-threads.ts';

const { argv, env, stdout, stderr } = process;
const isJson = argv.includes('--json');

// `presage ... | head` closes our stdout: the reader has enough.
stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

void (isSignerThread ? serveSigners() : runCommand());

async function runCommand(): Promise<void> {
  try {
    await createProgram({ env, stdout, stderr }, { isJson }).parseAsync(argv);
  } catch (error) {
    process.exitCode = error instanceof CommanderError ? endOf(error) : reportFailure(error, { stderr, json: isJson });
  }
}

/** Commander has already printed its own errors as text, and never as JSON. */
function endOf(error: CommanderError): number {
  if (error.exitCode === 0) return 0;
  return isJson ? reportFailure(toUsageError(error), { stderr, json: true }) : EXIT_CODES.usage.code;
}
