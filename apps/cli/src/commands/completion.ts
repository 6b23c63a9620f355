// `presage completion`: a script for the shell that completes commands, options and fixed words, made from the program itself.
import { Argument, type Command } from 'commander';
import type { Act } from '../act.ts';
import { COMPLETION_SHELLS, type CompletionShell, renderCompletion } from '../completion-scripts.ts';
import { UsageError } from '../exit-codes.ts';

const HELP = `
bash:  presage completion bash > ~/.local/share/bash-completion/completions/presage
zsh:   presage completion zsh > "\${fpath[1]}/_presage"
fish:  presage completion fish > ~/.config/fish/completions/presage.fish`;

export function addCompletion(program: Command, act: Act): void {
  program
    .command('completion')
    .description('print a script that completes commands and options in your shell')
    .addArgument(new Argument('<shell>', 'your shell').choices(COMPLETION_SHELLS))
    .addHelpText('after', HELP)
    .action(
      act(async ({ context, args: [shell] }) => {
        if (!isShell(shell)) throw new UsageError(`no completion for "${shell}"`);
        const script = renderCompletion(program, shell);
        context.output.show({ shell, script }, () => script.trimEnd());
      }),
    );
}

function isShell(text: string | undefined): text is CompletionShell {
  return COMPLETION_SHELLS.some((each) => each === text);
}
