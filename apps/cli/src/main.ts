// The entry point of `presage`: runs the command that its arguments name, and sets the exit code.
import { runCommand } from './run-command.ts';
import { isSignerThread, serveSigners } from './signer-threads.ts';

const { argv, env, stdout, stderr } = process;

// `presage ... | head` closes our stdout: the reader has enough.
stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

async function main(): Promise<void> {
  process.exitCode = await runCommand(argv.slice(2), { env, stdout, stderr });
}

void (isSignerThread ? serveSigners() : main());
