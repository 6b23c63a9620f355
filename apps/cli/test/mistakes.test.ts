// A command line that is not understood: told what is wrong and where its help is, as text and as JSON.
import { expect, it } from 'vitest';
import { EXIT_CODES } from '../src/exit-codes.ts';
import { runCommand } from '../src/run-command.ts';

const REMEDY = 'Add --help to read how the command is used.';

async function tell(args: readonly string[]) {
  let told = '';
  const sink = { write: (text: string) => (told += text) };
  const code = await runCommand(args, { env: {}, stdout: sink, stderr: sink });
  expect(code).toBe(EXIT_CODES.usage.code);
  return told;
}

it.each([
  ['a command that does not exist', ['buy'], "unknown command 'buy'"],
  ['an argument that is missing', ['book'], "missing required argument 'market'"],
  ['an option that does not exist', ['markets', '--colour'], "unknown option '--colour'"],
])('leads from %s to the help', async (_mistake, args, what) => {
  expect(await tell(args)).toBe(`presage: ${what}\n  ${REMEDY}\n`);
  expect(JSON.parse(await tell([...args, '--json']))).toMatchObject({ error: what, remedy: REMEDY });
});
