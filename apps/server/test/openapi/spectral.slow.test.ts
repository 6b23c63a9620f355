// Spectral's own rules for OpenAPI, in the long run only: it weighs 69 MB, and Redocly's rules are in `npm run check`.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isLongRun } from '@presage/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { renderOpenApi } from '../../scripts/openapi-document.ts';

const SPECTRAL = '@stoplight/spectral-cli@6.16.3';
const execute = promisify(execFile);

it.runIf(isLongRun)('Spectral finds nothing in the OpenAPI document', async () => {
  const cwd = await mkdtemp(join(tmpdir(), 'presage-spectral-'));
  onTestFinished(() => rm(cwd, { recursive: true, force: true }));
  await writeFile(join(cwd, 'package.json'), '{"private":true}');
  await writeFile(join(cwd, 'openapi.json'), renderOpenApi());
  await writeFile(join(cwd, 'ruleset.json'), '{"extends":["spectral:oas"]}');
  await execute('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--min-release-age=25', SPECTRAL], {
    cwd,
  });
  const lint = ['lint', 'openapi.json', '--ruleset', 'ruleset.json', '--fail-severity', 'hint'];
  const { stdout } = await execute(join(cwd, 'node_modules', '.bin', 'spectral'), lint, { cwd }).catch(
    (error) => error,
  );
  expect(stdout).toContain('No results with a severity of');
});
