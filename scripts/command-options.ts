// Parses the options of a repository command, and explains them for `--help` or after a mistake.
import { type ParseArgsConfig, parseArgs } from 'node:util';

type ParsedOption = NonNullable<ParseArgsConfig['options']>[string];

interface CommandOption extends ParsedOption {
  readonly what: string;
  /** Value of the option: `N` is a number, `yes|no` one of these words, anything else any text. A flag has none. */
  readonly value?: string;
}

interface Command extends ParseArgsConfig {
  /** How the command is typed, without its options. */
  readonly usage: string;
  readonly what: string;
  readonly options: Readonly<Record<string, CommandOption>>;
  /** Accepted words beside the options; with `allowPositionals` and without `names`, any word is accepted. */
  readonly names?: readonly string[];
  readonly examples: readonly string[];
}

type Parsed<C extends Command> = ReturnType<typeof parseArgs<C>>;

const EXIT_CODE = 2;
const COLUMN = 22;

/** Exits if help was requested or the command line is invalid. */
export function readCommand<C extends Command>(command: C, given = process.argv.slice(2)): Parsed<C> {
  if (given.includes('--help') || given.includes('-h')) {
    process.stdout.write(`${usageOf(command)}\n`);
    process.exit(0);
  }
  try {
    return parseCommand(command, given);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n\n${usageOf(command)}\n`);
    process.exit(EXIT_CODE);
  }
}

/** Throws one sentence about the first fault. */
export function parseCommand<C extends Command>(command: C, given: readonly string[]): Parsed<C> {
  const { options, names } = command;
  const parsed = parse(command, given);
  const unknown = parsed.positionals.find((each) => names?.includes(each) === false);
  if (unknown !== undefined) throw new Error(`There is no '${unknown}'.`);
  const values: Readonly<Record<string, unknown>> = parsed.values;
  for (const [name, { value }] of Object.entries(options)) {
    for (const text of [values[name] ?? []].flat()) requireValue(name, value, String(text));
  }
  return parsed;
}

function parse<C extends Command>(command: C, given: readonly string[]): Parsed<C> {
  try {
    return parseArgs<C>({ ...command, args: [...given] });
  } catch (error) {
    // Only the first sentence: the rest is about arguments that begin with a dash, which no command accepts.
    throw new Error(error instanceof Error ? `${error.message.split('. ')[0]}.` : String(error));
  }
}

function requireValue(name: string, value: string | undefined, text: string): void {
  const isNumber = value === 'N';
  if (isNumber && !/^\d+(\.\d+)?$/.test(text)) throw new Error(`Option '--${name}' takes a number, not '${text}'.`);
  if (!value?.includes('|') || value.split('|').includes(text)) return;
  throw new Error(`Option '--${name}' takes ${value.replace('|', ' or ')}, not '${text}'.`);
}

export function usageOf({ usage, what, options, examples }: Command): string {
  const lines = Object.entries({ ...options, help: HELP }).map(([name, { value, what: about, default: otherwise }]) => {
    const typed = `  --${name}${value === undefined ? '' : ` ${value}`}`.padEnd(COLUMN);
    return `${typed}  ${about}${typeof otherwise === 'string' && otherwise !== '' ? ` (${otherwise})` : ''}`;
  });
  const shown = examples.map((example) => `  ${example}`);
  return [`Usage: ${usage}`, '', what, '', 'Options:', ...lines, '', 'Examples:', ...shown].join('\n');
}

const HELP: CommandOption = { type: 'boolean', what: 'shows this' };
