// The command-line program: every command, and the options common to all.
import { Command, type OutputConfiguration } from 'commander';
import manifest from '../package.json' with { type: 'json' };
import { addCommand } from './command-spec.ts';
import { ADMIN } from './commands/admin.ts';
import { ARCHIVE } from './commands/archive.ts';
import { BACKUP } from './commands/backup.ts';
import { BOOK } from './commands/book.ts';
import { CLUSTER } from './commands/cluster.ts';
import { COMPLETION } from './commands/completion.ts';
import { DEMO } from './commands/demo.ts';
import { DEPLOY } from './commands/deploy.ts';
import { DOCTOR } from './commands/doctor.ts';
import { EVENTS } from './commands/events.ts';
import { EXPORT } from './commands/export.ts';
import { JOURNAL } from './commands/journal.ts';
import { KEYS } from './commands/keys.ts';
import { LEAVE } from './commands/leave.ts';
import { MARKETS } from './commands/markets.ts';
import { ORDERS } from './commands/orders.ts';
import { OWNER } from './commands/owner.ts';
import { PORTFOLIO } from './commands/portfolio.ts';
import { RESOLVE } from './commands/resolve.ts';
import { REWARDS } from './commands/rewards.ts';
import { SERVE } from './commands/serve.ts';
import { SETTLEMENT } from './commands/settlement.ts';
import { TIME } from './commands/time.ts';
import { TRACE } from './commands/trace.ts';
import { VERIFY } from './commands/verify.ts';
import { WALLET } from './commands/wallet.ts';
import { WATCH } from './commands/watch.ts';
import type { Surroundings } from './context.ts';
import { EXIT_CODES, MISTAKE_REMEDY } from './exit-codes.ts';

/** Sorted in the order in which a newcomer needs them. */
const COMMANDS = [
  ...[...SERVE, DEMO, MARKETS, ...EVENTS, WALLET, KEYS, ...ORDERS, WATCH, ...PORTFOLIO, EXPORT, RESOLVE, LEAVE, TIME],
  ...[
    ADMIN,
    SETTLEMENT,
    OWNER,
    VERIFY,
    ARCHIVE,
    REWARDS,
    DEPLOY,
    DOCTOR,
    TRACE,
    BOOK,
    JOURNAL,
    CLUSTER,
    ...BACKUP,
    COMPLETION,
  ],
];
/** Independent of the terminal's width, so that the documentation is reproducible. */
const HELP_WIDTH = 110;

/** With `isJson`, commander prints no usage errors: the caller reports the thrown error as JSON. */
export function createProgram(surroundings: Surroundings, { isJson = false } = {}): Command {
  const { stdout, stderr } = surroundings;
  const output: OutputConfiguration = {
    writeOut: (text) => stdout.write(text),
    writeErr: isJson ? () => undefined : (text) => stderr.write(text),
    outputError: (text, write) => write(text.replace(/^error:/, 'presage:')),
  };
  const program = new Command('presage')
    .description('Trade on, check and operate a Presage exchange from the terminal.')
    .version(manifest.version, '-V, --version', 'print the version')
    .option('--url <url>', 'URL of the service (PRESAGE_URL, else http://127.0.0.1:8080)')
    .option('--wallet <name>', 'wallet that signs (PRESAGE_PRIVATE_KEY, else PRESAGE_WALLET, else default)')
    .option('--timeout <seconds>', 'maximum time to wait (60)')
    .option('--json', 'one JSON document on stdout, or one per line for streams')
    .addHelpText('after', exitCodesText())
    .configureHelp({ showGlobalOptions: true, helpWidth: HELP_WIDTH })
    .configureOutput(output)
    .showHelpAfterError(`  ${MISTAKE_REMEDY}`)
    .exitOverride();
  for (const spec of COMMANDS) addCommand(program, spec, surroundings);
  for (const command of allCommands(program).slice(1)) command.copyInheritedSettings(program);
  return program;
}

/** The program and every command below it, parents first. */
export function allCommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap(allCommands)];
}

function exitCodesText(): string {
  const lines = Object.values(EXIT_CODES).map(({ code, meaning }) => `  ${String(code).padStart(2)}  ${meaning}`);
  return `\nExit codes:\n${lines.join('\n')}`;
}
