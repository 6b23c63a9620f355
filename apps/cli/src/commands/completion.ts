// `presage completion`: a shell script that completes commands, options and fixed words, generated from the program itself.
import { Argument, type Command } from 'commander';
import type { Call, CommandSpec } from '../command-spec.ts';

export const COMPLETION_SHELLS = ['bash', 'zsh', 'fish'] as const;
export type CompletionShell = (typeof COMPLETION_SHELLS)[number];

interface Word {
  readonly text: string;
  readonly description: string;
}

interface Place {
  /** Command names from the program down, each after a slash; empty for the program itself. */
  readonly path: string;
  readonly words: readonly Word[];
}

export const COMPLETION: CommandSpec = {
  name: 'completion',
  text: 'print a script that completes commands and options in your shell',
  argument: new Argument('<shell>', 'your shell').choices(COMPLETION_SHELLS),
  helpAfter: `
bash:  presage completion bash > ~/.local/share/bash-completion/completions/presage
zsh:   presage completion zsh > "\${fpath[1]}/_presage"
fish:  presage completion fish > ~/.config/fish/completions/presage.fish`,
  run: printCompletion,
};

async function printCompletion({ context, args: [given], program }: Call): Promise<void> {
  // Commander has already refused unknown shells.
  const shell = COMPLETION_SHELLS.find((each) => each === given)!;
  const script = renderCompletion(program, shell);
  context.output.show({ shell, script }, () => script.trimEnd());
}

export function renderCompletion(program: Command, shell: CompletionShell): string {
  return RENDERERS[shell](placesOf(program, program, ''));
}

function placesOf(program: Command, command: Command, path: string): Place[] {
  const below = command.commands.flatMap((each) => placesOf(program, each, `${path}/${each.name()}`));
  return [{ path, words: wordsOf(program, command) }, ...below];
}

function wordsOf(program: Command, command: Command): Word[] {
  const commands = command.commands.map((each) => ({ text: each.name(), description: each.description() }));
  const choices = command.registeredArguments.flatMap(({ argChoices = [], description }) =>
    argChoices.map((text) => ({ text, description })),
  );
  const options = [...new Set([...command.options, ...program.options])]
    .filter(({ long, hidden }) => long && !hidden && (long !== '--version' || command === program))
    .map(({ long, description }) => ({ text: long ?? '', description }));
  return [...commands, ...choices, ...options, { text: '--help', description: 'display help for command' }];
}

const RENDERERS: Readonly<Record<CompletionShell, (places: readonly Place[]) => string>> = {
  bash: renderBash,
  zsh: renderZsh,
  fish: renderFish,
};

function renderBash(places: readonly Place[]): string {
  const cases = places.map(
    ({ path, words }) => `    ${quote(path)}) known="${words.map(({ text }) => text).join(' ')}" ;;`,
  );
  return `# presage completion for bash, made by \`presage completion bash\`
_presage() {
  local at='' known='' word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
${findKnown(places, cases)}
  COMPREPLY=($(compgen -W "$known" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _presage presage
`;
}

function renderZsh(places: readonly Place[]): string {
  const cases = places.map(({ path, words }) => {
    const known = words.map(({ text, description }) => quote(`${text}:${oneLine(description)}`));
    return `    ${quote(path)}) known=(${known.join(' ')}) ;;`;
  });
  return `#compdef presage
# presage completion for zsh, made by \`presage completion zsh\`
_presage() {
  local at='' word
  local -a known
  for word in "\${(@)words[2,CURRENT-1]}"; do
${findKnown(places, cases)}
  _describe -o presage known || _files
}
if [ "$funcstack[1]" = _presage ]; then _presage "$@"; else compdef _presage presage; fi
`;
}

function renderFish(places: readonly Place[]): string {
  const lines = places.flatMap(({ path, words }) =>
    words.map(({ text, description }) => {
      const what = text.startsWith('--') ? `-l ${text.slice(2)}` : `-a ${text}`;
      return `complete -c presage -n "__presage_at '${path}'" ${what} -d ${quote(oneLine(description))}`;
    }),
  );
  const paths = places.slice(1).map(({ path }) => quote(path));
  return `# presage completion for fish, made by \`presage completion fish\`
function __presage_at
  set -l at ''
  for word in (commandline -opc)[2..-1]
    contains -- "$at/$word" ${paths.join(' ')}; and set at "$at/$word"
  end
  test "$at" = "$argv[1]"
end
${lines.join('\n')}
`;
}

/** The body of a loop over the words typed so far, in the language that bash and zsh share: finds the command, then its words. */
function findKnown(places: readonly Place[], cases: readonly string[]): string {
  const paths = places.slice(1).map(({ path }) => quote(path));
  return `    case "$at/$word" in
      ${paths.join('|')}) at="$at/$word" ;;
    esac
  done
  case "$at" in
${cases.join('\n')}
  esac`;
}

/** Quotes for all three shells. An apostrophe becomes typographic, so single quotes suffice. */
function quote(text: string): string {
  return `'${text.replaceAll("'", '’')}'`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll(':', ',').replaceAll('\\', '');
}
