// Private folders for a service's data: no other user of the machine can list or read them.
import { mkdir } from 'node:fs/promises';

/** The mode of files in such folders. */
export const PRIVATE_FILE = 0o600;

/** Creates the folder and its missing parents. Resolves to the topmost one created; undefined if all existed. */
export function makePrivateFolder(path: string): Promise<string | undefined> {
  // Traversable for others if root runs PostgreSQL under another account, which must reach its files inside.
  return mkdir(path, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 });
}
