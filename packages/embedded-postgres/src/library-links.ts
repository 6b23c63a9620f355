// Makes the library links of a PostgreSQL tree; safe when several services do it at once.
import { randomBytes } from 'node:crypto';
import { rename, rm, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { LibraryLink } from './installed-package.ts';

/** False when one is missing and cannot be made, as in a read-only or foreign node_modules. */
export async function makeLibraryLinks(native: string, links: readonly LibraryLink[]): Promise<boolean> {
  const results = await Promise.all(links.map((link) => makeLink(join(native, link.path), link.target)));
  return results.every(Boolean);
}

async function makeLink(path: string, target: string): Promise<boolean> {
  if (await leadsSomewhere(path)) return true;
  // Renamed into place: it replaces a dangling link, and of two makers either wins with the same result.
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    await symlink(target, draft);
    await rename(draft, path);
  } catch {
    await rm(draft, { force: true }).catch(() => undefined);
  }
  return leadsSomewhere(path);
}

function leadsSomewhere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
