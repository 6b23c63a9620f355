// `npm run set-version 1.0.0`: sets the version of every workspace, of their dependencies on each other, and in the
// lock file.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './import-graph.ts';

/** One of our versions: after the name of a workspace, or of a dependency on one. */
const OWN = /("@presage\/[\w-]+": |"name": "(?:@presage\/[\w-]+|presage)",\s+"version": )"[^"]+"/g;

const [, , version = ''] = process.argv;
if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version)) {
  console.error('Name a version: npm run set-version 1.0.0');
  process.exit(1);
}
const manifests = execFileSync('git', ['ls-files', '*package.json', 'package-lock.json'], {
  cwd: ROOT,
  encoding: 'utf8',
});
for (const path of manifests.trim().split('\n')) {
  const file = join(ROOT, path);
  // Replaced as text, so that npm's formatting is kept.
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll(OWN, `$1"${version}"`));
}
