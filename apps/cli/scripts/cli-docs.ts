// Writes docs/cli.md from the program itself: every command's help, every exit code.
import { EXIT_CODES } from '../src/exit-codes.ts';
import { allCommands, createProgram } from '../src/program.ts';

const INTRO = `# The command line

\`presage\` is the exchange from a terminal, built on the public SDK. In this repository it is \`npx presage\`; elsewhere install it with \`npm install --global @presage/cli\`, since \`presage\` on npm is somebody else's.
\`npm start\` in one terminal, \`npx presage demo\` in another: a whole bet in half a minute. This page is made from \`apps/cli/src\` by \`npm run gen\`.

## How it behaves

- **Which service:** \`--url\`, else \`PRESAGE_URL\`, else \`http://127.0.0.1:8080\`.
- **Which wallet:** \`PRESAGE_PRIVATE_KEY\`, else the file of \`--wallet\` or \`PRESAGE_WALLET\` (\`default\`) in \`PRESAGE_CONFIG_DIR\`, else
  in \`$XDG_CONFIG_HOME/presage\`, else in \`~/.config/presage\`; readable by its owner only. At a sandbox a first wallet is made when
  there is none. Every command that uses a wallet says on stderr which one.
- **Which market:** its id or the beginning of it (\`0x\` and at least four digits), its whole question or words of it that fit one
  market, open ones first; \`btc\` or \`eth\` mean the quick market that is open now.
- **Data on stdout, the rest on stderr.** With \`--json\` stdout carries one JSON document, or one a line for \`demo\`, \`watch\`, \`journal
  dump\` and \`journal tail\`, with every integer digit-exact; a failure is one JSON object on stderr: \`{error, code, remedy?,
  details?, requestId?}\`, a mistyped command line included. Amounts in JSON are millionths; as text they are shares and stablecoin.
- **Completion:** \`presage completion bash\`, \`zsh\` or \`fish\` prints a script that knows every command, option and fixed word.
- **Outside this repository** it is the package \`@presage/cli\` with the command \`presage\`; see [packages](packages.md).
- **Colour** only on a terminal, and never with \`NO_COLOR\`.
- **The journal commands**, \`book --at\` and \`trace --data-dir\` read the files of the service: they take no lock, change nothing, and
  work beside a running service or after it has stopped.`;

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
