// Folders of a service's data: nobody else on the machine lists or reads them.
import { mkdir } from 'node:fs/promises';

/** The mode of files in such folders. */
export const PRIVATE_FILE = 0o600;

/** Makes the folder and those above it that are missing. Resolves to the topmost that was made; undefined when all were there. */
export function makePrivateFolder(path: string): Promise<string | undefined> {
  // Passable for others where root starts PostgreSQL under an account of its own, which must get to its files inside.
  return mkdir(path, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 });
}
