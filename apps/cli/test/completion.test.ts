// Completion knows every command and option; the script for bash is run in a real one, the others where their shell is.
import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { COMPLETION_SHELLS, type CompletionShell, renderCompletion } from '../src/commands/completion.ts';
import { allCommands, createProgram } from '../src/program.ts';

const silent = { env: {}, stdout: { write: () => undefined }, stderr: { write: () => undefined } };
const program = createProgram(silent);

function has(shell: string): boolean {
  try {
    execFileSync(shell, ['-c', 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** What the real bash would offer after these words. */
function offered(...words: string[]): string[] {
  const line = ['presage', ...words].map((word) => `'${word}'`).join(' ');
  const script = `${renderCompletion(program, 'bash')}
COMP_WORDS=(${line}); COMP_CWORD=${words.length}; _presage; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync('bash', ['-c', script], { encoding: 'utf8' }).trim().split('\n');
}

it.runIf(has('bash'))('bash is offered commands, commands below them, fixed words and options', () => {
  expect(offered('mark')).toEqual(['markets']);
  expect(offered('markets', 'cr')).toEqual(['create']);
  expect(offered('journal', '')).toEqual(expect.arrayContaining(['verify', 'dump', 'tail', '--json']));
  expect(offered('completion', '')).toEqual(expect.arrayContaining([...COMPLETION_SHELLS]));
  expect(offered('--url', 'http://127.0.0.1:1', 'time', 'w')).toEqual(['warp']);
  expect(offered('--ver')).toEqual(['--version']);
});

it.each(COMPLETION_SHELLS)('the script for %s names every command and option, and its shell can read it', (shell) => {
  const script = renderCompletion(program, shell);
  for (const command of allCommands(program)) {
    expect(script).toContain(command.name());
    for (const { long } of command.options) expect(script).toContain(spelled(shell, long ?? ''));
  }
  if (has(shell)) execFileSync(shell, ['-n'], { input: script });
});

function spelled(shell: CompletionShell, long: string): string {
  return shell === 'fish' ? `-l ${long.slice(2)}` : long;
}
