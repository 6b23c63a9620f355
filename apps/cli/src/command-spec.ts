// A command as data: its words, its options and its action. `addCommand` turns it into a command of commander.
import { type Argument, type Command, Option } from 'commander';
import { Context, type GlobalOptions, type Surroundings } from './context.ts';

export interface Call<O = object> {
  readonly context: Context;
  /** Arguments as typed; a variadic argument contributes one entry per value. */
  readonly args: readonly string[];
  readonly options: O;
  readonly program: Command;
}

export interface CommandSpec {
  /** `order <side> <outcome>`. */
  readonly name: string;
  readonly text: string;
  readonly options?: readonly Option[];
  readonly argument?: Argument;
  readonly helpAfter?: string;
  /** The action; its options are those that the command declares. */
  readonly run?: (call: Call<never>) => Promise<void>;
  readonly commands?: readonly CommandSpec[];
}

export function command(
  name: string,
  text: string,
  run: (call: Call<never>) => Promise<void>,
  ...options: Option[]
): CommandSpec {
  return { name, text, run, options };
}

export function option(flags: string, text: string, fallback?: string): Option {
  return new Option(flags, text).default(fallback);
}

export function required(flags: string, text: string): Option {
  return new Option(flags, text).makeOptionMandatory();
}

export interface Reasoned {
  readonly reason?: string;
}

export const REASON = option('--reason <text>', 'why, for the audit log');

export function addCommand(parent: Command, spec: CommandSpec, surroundings: Surroundings): void {
  const command = parent.command(spec.name).description(spec.text);
  for (const each of spec.options ?? []) command.addOption(each);
  if (spec.argument) command.addArgument(spec.argument);
  if (spec.helpAfter) command.addHelpText('after', spec.helpAfter);
  for (const below of spec.commands ?? []) addCommand(command, below, surroundings);
  const { run } = spec;
  if (run === undefined) return;
  command.action(async () => {
    const program = rootOf(command);
    const context = new Context(command.optsWithGlobals<GlobalOptions>(), surroundings);
    // Commander parses the options that the specification declares, so they have the type that `run` takes.
    await run({ context, args: command.args, options: command.opts() as never, program });
  });
}

function rootOf(command: Command): Command {
  return command.parent === null ? command : rootOf(command.parent);
}
