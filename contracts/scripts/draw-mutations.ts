// Formats the table of mutations and of the tests that noticed each, as `npm run test:mutations` writes it.
import type { Verdict } from './mutation-verdict.ts';

export function drawMutations(verdicts: readonly Verdict[]): string {
  const caught = verdicts.filter(({ invariant, unitTest }) => invariant ?? unitTest);
  const byInvariants = verdicts.filter(({ invariant }) => invariant);
  const byUnitTests = verdicts.filter(({ unitTest }) => unitTest);
  return `# Mutations

Faults written into the contracts one at a time (\`scripts/mutations.ts\`), and the first test that notices each. Written by

\`\`\`sh
npm run test:mutations                # all of them; exits with 1 if one survives
npm run test:mutations -- --part 1/4  # every fourth; verdicts are remembered in contracts/.cache, and a whole run puts them together
\`\`\`

**${caught.length} of ${verdicts.length}** are caught: ${byInvariants.length} by the invariants and what their handler demands, ${byUnitTests.length} by unit and fuzz tests. "-" means that the run of this many calls did not notice.

| Fault | In | Invariants | Unit and fuzz tests |
|---|---|---|---|
${verdicts.map(drawRow).join('\n')}
`;
}

function drawRow({ mutation, invariant, unitTest }: Verdict): string {
  const [, invariantName = '-'] = (invariant ?? '').split(' ');
  return `| ${mutation.name} | \`${mutation.file.split('/').at(-1)}\` | ${code(invariantName)} | ${code(unitTest ?? '-')} |`;
}

function code(text: string): string {
  return text === '-' ? text : `\`${text}\``;
}
