// Writes docs/cli.md from the program itself: every command's help, every exit code.
import { EXIT_CODES } from '../src/exit-codes.ts';
import { allCommands, createProgram } from '../src/program.ts';

const INTRO = `# The command line

\`presage\` trades on, checks and operates an exchange from the terminal, with the public SDK. In this repository it is \`npx presage\`; elsewhere install it with \`npm install --global @presage/cli\`, since the package \`presage\` on npm is not ours.
\`npm start\` in one terminal, \`npx presage demo\` in another: a complete trade in half a minute. \`npm run gen\` generates this page from \`apps/cli/src\`.

## How it behaves

- **Which service:** \`--url\`, else \`PRESAGE_URL\`, else \`http://127.0.0.1:8080\`.
- **Which wallet:** \`PRESAGE_PRIVATE_KEY\`, else the file of \`--wallet\` or \`PRESAGE_WALLET\` (\`default\`) in \`PRESAGE_CONFIG_DIR\`, else
  in \`$XDG_CONFIG_HOME/presage\`, else in \`~/.config/presage\`; readable by its owner only. At a sandbox the first wallet is created
  if there is none. Every command that uses a wallet names it on stderr.
- **Which market:** its id or its beginning (\`0x\` and at least four digits), its question, or words of the question that fit one
  market, open ones first; \`btc\` and \`eth\` mean the quick market that is currently open.
- **Data on stdout, the rest on stderr.** With \`--json\` stdout carries one JSON document, or one per line for \`demo\`, \`watch\`, \`journal
  dump\` and \`journal tail\`, with exact integers; a failure is one JSON object on stderr: \`{error, code, remedy?,
  details?, requestId?}\`, also for an invalid command line. Amounts in JSON are millionths; as text they are shares and stablecoin.
- **Completion:** \`presage completion bash\`, \`zsh\` or \`fish\` prints a script that completes every command, option and fixed word.
- **Outside this repository** it is the package \`@presage/cli\` with the command \`presage\`; see [packages](packages.md).
- **Colour** only on a terminal, and never with \`NO_COLOR\`.
- **The journal commands**, \`book --at\` and \`trace --data-dir\` read the files of the service: they take no lock, change nothing, and
  work whether or not the service runs.`;

export function renderCliDocs(): string {
  const program = createProgram({ env: {}, stdout: { write: () => undefined }, stderr: { write: () => undefined } });
  const codes = Object.values(EXIT_CODES).map(({ code, meaning }) => `| ${code} | ${meaning} |`);
  const helps = allCommands(program).map((command) => {
    const name = [...parentsOf(command), command.name()].join(' ');
    return `### ${name}\n\n\`\`\`\n${command.helpInformation().trimEnd()}\n\`\`\``;
  });
  const table = ['## Exit codes', '', '| Code | Meaning |', '|---|---|', ...codes].join('\n');
  return `${[INTRO, table, '## Commands', ...helps].join('\n\n')}\n`;
}

function parentsOf({ parent }: ReturnType<typeof createProgram>): string[] {
  return parent === null ? [] : [...parentsOf(parent), parent.name()];
}
