// The entry point of `presage`: runs the command that its arguments name, and sets the exit code.
import { isMainThread } from 'node:worker_threads';
import { serveSignatures } from '@presage/signers';
import { runCommand } from './run-command.ts';

const { argv, env, stdout, stderr } = process;

// `presage ... | head` closes our stdout early; that is not an error.
stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

async function main(): Promise<void> {
  process.exitCode = await runCommand(argv.slice(2), { env, stdout, stderr });
}

// The threads that recover signers run this same program.
void (isMainThread ? main() : serveSignatures());
