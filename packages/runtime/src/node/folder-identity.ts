// Distinguishes a folder from its copies: what was copied with it says of which folder it speaks.
import { statSync } from 'node:fs';

/** Of letters, digits and one dot; undefined where the system does not say. A folder that is moved on its disk keeps it, a copy has another. */
export function readFolderIdentity(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path, { bigint: true });
    return ino === 0n ? undefined : `${dev.toString(36)}.${ino.toString(36)}`;
  } catch {
    return undefined;
  }
}
