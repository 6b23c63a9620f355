// Turns a function of a context into the action of a command.
import type { Command } from 'commander';
import { Context, type GlobalOptions, type Surroundings } from './context.ts';

export interface Call<O> {
  readonly context: Context;
  /** Arguments as typed; a variadic argument contributes one entry per value. */
  readonly args: readonly string[];
  readonly options: O;
}

export type Act = <O = object>(handler: (call: Call<O>) => Promise<void>) => (...given: unknown[]) => Promise<void>;

export function actIn(surroundings: Surroundings): Act {
  return (handler) =>
    async (...given) => {
      // Commander calls an action with the command last.
      const command = given.at(-1) as Command;
      const context = new Context(command.optsWithGlobals<GlobalOptions>(), surroundings);
      // The options are those that the command declares.
      await handler({ context, args: command.args, options: command.opts() as never });
    };
}
