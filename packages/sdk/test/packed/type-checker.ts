// Are The Types Wrong, fetched into a folder of its own for the long run, and asked through a process: nothing of ours depends on it.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';

const CHECKER = '@arethetypeswrong/core@0.18.5';
const execute = promisify(execFile);
/** Prints what the checker finds in the tarball that its first argument names. */
const PROGRAM = `
import { readFileSync } from 'node:fs';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { filterProblems } from '@arethetypeswrong/core/problems';
const analysis = await checkPackage(createPackageFromTarballData(new Uint8Array(readFileSync(process.argv[2]))));
const kinds = ['node16-esm', 'bundler'];
console.log(JSON.stringify({
  types: analysis.types && analysis.types.kind,
  hasEntries: Object.keys(analysis.entrypoints ?? {}).length > 1,
  problems: analysis.types ? kinds.flatMap((resolutionKind) => filterProblems(analysis, { resolutionKind })) : [],
}));
`;

interface TypeFindings {
  readonly types: string | false;
  readonly hasEntries: boolean;
  readonly problems: readonly unknown[];
}

export async function installTypeChecker(): Promise<(tarball: string) => Promise<TypeFindings>> {
  const cwd = await mkdtemp(join(tmpdir(), 'presage-types-'));
  onTestFinished(() => rm(cwd, { recursive: true, force: true }));
  await writeFile(join(cwd, 'package.json'), '{"private":true,"type":"module"}');
  await writeFile(join(cwd, 'check.js'), PROGRAM);
  const install = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--min-release-age=25', CHECKER];
  await execute('npm', install, { cwd });
  return async (tarball) => JSON.parse((await execute(process.execPath, ['check.js', tarball], { cwd })).stdout);
}
