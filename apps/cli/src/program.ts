// The command-line program: every command, and the options common to all.
import { Command, Option } from 'commander';
import manifest from '../package.json' with { type: 'json' };
import { actIn } from './act.ts';
import { addAdmin } from './commands/admin.ts';
import { addBackup } from './commands/backup.ts';
import { addBook } from './commands/book.ts';
import { addCluster } from './commands/cluster.ts';
import { addCompletion } from './commands/completion.ts';
import { addDemo } from './commands/demo.ts';
import { addDeploy } from './commands/deploy.ts';
import { addDoctor } from './commands/doctor.ts';
import { addJournal } from './commands/journal.ts';
import { addKeys } from './commands/keys.ts';
import { addLeave } from './commands/leave.ts';
import { addMarkets } from './commands/markets.ts';
import { addOrders } from './commands/orders.ts';
import { addPortfolio } from './commands/portfolio.ts';
import { addResolve } from './commands/resolve.ts';
import { addTime } from './commands/time.ts';
import { addTrace } from './commands/trace.ts';
import { addVerify } from './commands/verify.ts';
import { addWallet } from './commands/wallet.ts';
import { addWatch } from './commands/watch.ts';
import type { Surroundings } from './context.ts';
import { EXIT_CODES } from './exit-codes.ts';

/** In the order in which a newcomer needs them. */
const ADDITIONS = [
  ...[addDemo, addMarkets, addWallet, addKeys, addOrders, addWatch, addPortfolio, addResolve, addLeave, addTime],
  ...[addAdmin, addVerify, addDeploy, addDoctor, addTrace, addBook, addJournal, addCluster, addBackup, addCompletion],
];
/** Independent of the terminal's width, so that the documentation is reproducible. */
const HELP_WIDTH = 110;

/** With `isJson` what commander would print of a mistake is left to the caller, who has it as an error. */
export function createProgram(surroundings: Surroundings, { isJson = false } = {}): Command {
  const { stdout, stderr } = surroundings;
  const writeErr = isJson ? () => undefined : (text: string) => stderr.write(text);
  const program = new Command('presage')
    .description('The exchange from the terminal.')
    .version(manifest.version, '-V, --version', 'print the version')
    .addOption(new Option('--url <url>', 'the service (PRESAGE_URL, else http://127.0.0.1:8080)'))
    .addOption(
      new Option('--wallet <name>', 'whose key signs (PRESAGE_PRIVATE_KEY, else PRESAGE_WALLET, else default)'),
    )
    .addOption(new Option('--timeout <seconds>', 'how long to wait at most (60)'))
    .addOption(new Option('--json', 'one JSON document on stdout, or one a line for streams'))
    .addHelpText('after', exitCodesText())
    .configureHelp({ showGlobalOptions: true, helpWidth: HELP_WIDTH })
    .configureOutput({ writeOut: (text) => stdout.write(text), writeErr })
    .exitOverride();
  const act = actIn(surroundings);
  for (const add of ADDITIONS) add(program, act);
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
