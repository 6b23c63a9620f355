// A secret that is generated once and kept in a file that only its owner can read.
import { randomBytes } from 'node:crypto';
import { dirname } from 'node:path';
import { makePrivateFolder } from './private-folder.ts';
import { readFileIfPresent, writeFileAtomically } from './whole-file.ts';

const SECRET = /^[0-9a-f]{64}$/;

/** Returns 64 hex digits, the same at every start. */
export async function readOrMakeSecret(path: string): Promise<string> {
  const kept = (await readFileIfPresent(path))?.trim();
  if (kept !== undefined) {
    if (!SECRET.test(kept)) throw new Error(`${path} does not hold a key of 64 hex digits`);
    return kept;
  }
  const made = randomBytes(32).toString('hex');
  await makePrivateFolder(dirname(path));
  await writeFileAtomically(path, `${made}\n`);
  return made;
}
