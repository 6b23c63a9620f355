// Distinguishes a folder from its copies: data that was copied with it can tell that it belongs to the original.
import { statSync } from 'node:fs';

/** Letters, digits and one dot; undefined if the system does not provide it. A folder keeps its identity when moved on its disk; a copy has another. */
export function readFolderIdentity(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path, { bigint: true });
    return ino === 0n ? undefined : `${dev.toString(36)}.${ino.toString(36)}`;
  } catch {
    return undefined;
  }
}
