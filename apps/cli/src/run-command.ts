// One command line from its words to its exit code, wherever it runs.
import { CommanderError } from 'commander';
import type { Surroundings } from './context.ts';
import { EXIT_CODES } from './exit-codes.ts';
import { createProgram } from './program.ts';
import { reportFailure, toUsageError } from './report-failure.ts';

/** `args` are what follows `presage`. */
export async function runCommand(args: readonly string[], surroundings: Surroundings): Promise<number> {
  const { stderr } = surroundings;
  const json = args.includes('--json');
  try {
    await createProgram(surroundings, { isJson: json }).parseAsync([...args], { from: 'user' });
    return 0;
  } catch (error) {
    if (!(error instanceof CommanderError)) return reportFailure(error, { stderr, json });
    if (error.exitCode === 0) return 0;
    // Commander has already printed its own errors as text, and never as JSON.
    return json ? reportFailure(toUsageError(error), { stderr, json }) : EXIT_CODES.usage.code;
  }
}
