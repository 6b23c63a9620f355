// Writes every generated file of the repository; with --check it writes nothing and fails if one differs.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderCliDocs } from '../apps/cli/scripts/cli-docs.ts';
import { renderGenerated } from '../contracts/scripts/generate.ts';
import { renderGoingLiveDocs } from '../packages/chain/scripts/going-live-docs.ts';
import { renderErrorDocs } from '../packages/protocol/scripts/error-docs.ts';
import { makeVectors } from '../packages/protocol/scripts/generate-vectors.ts';
import { renderErrorRemedies, renderOperatorRemedies } from '../packages/sdk/scripts/error-remedies.ts';
import { renderFunctionDocs } from '../packages/sdk/scripts/function-docs.ts';
import { readCommand } from './command-options.ts';
import { ROOT } from './import-graph.ts';

/** Contents by path: the single list of generated files, so that writing and checking cannot disagree. */
async function renderAll(): Promise<Record<string, string>> {
  const files: Record<string, string> = {
    'docs/errors.md': renderErrorDocs(),
    'docs/cli.md': renderCliDocs(),
    'docs/sdk.md': renderFunctionDocs(),
    'packages/sdk/src/generated/error-remedies.ts': renderErrorRemedies(),
    'packages/sdk/src/generated/operator-remedies.ts': renderOperatorRemedies(),
    'docs/going-live.md': renderGoingLiveDocs(readStored('docs/going-live.md') ?? ''),
  };
  for (const [name, data] of Object.entries(await makeVectors())) {
    files[`vectors/${name}`] = `${JSON.stringify(data, null, 1)}\n`;
  }
  for (const [name, text] of Object.entries(renderGenerated())) files[`contracts/generated/${name}`] = text;
  return files;
}

function readStored(path: string): string | undefined {
  try {
    return readFileSync(join(ROOT, path), 'utf8');
  } catch {
    return undefined;
  }
}

const { values } = readCommand({
  usage: 'npm run gen -- [options]',
  what: 'Writes the generated files anew.',
  options: { check: { type: 'boolean', what: 'writes nothing, and fails if any of them differs' } },
  examples: ['npm run gen', 'npm run check:generated'],
});
const stale = Object.entries(await renderAll()).filter(([path, text]) => readStored(path) !== text);
if (values.check) {
  for (const [path] of stale) console.error(`${path} is not what its sources give: run npm run gen`);
  console.log(stale.length === 0 ? 'generated files: all good' : `generated files: ${stale.length} differ`);
  process.exitCode = stale.length === 0 ? 0 : 1;
} else {
  for (const [path, text] of stale) writeFileSync(join(ROOT, path), text);
  console.log(stale.length === 0 ? 'nothing changed' : stale.map(([path]) => `wrote ${path}`).join('\n'));
}
