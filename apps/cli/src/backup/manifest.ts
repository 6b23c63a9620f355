// What a backup says of itself: how far each journal goes. Written last, so that what it names is whole.
import { join } from 'node:path';
import type { CopyPoint } from '@presage/journal';
import { readFileIfPresent, writeFileAtomically } from '@presage/runtime/node';
import { UsageError } from '../exit-codes.ts';

export interface Manifest {
  readonly format: 'presage-backup 1';
  readonly takenAt: string;
  /** Journals by their folder below the data folder. */
  readonly journals: Readonly<Record<string, CopyPoint>>;
}

const NAME = 'backup.json';
export const FORMAT = 'presage-backup 1';

/** Undefined in a folder without one. */
export async function readManifest(dir: string): Promise<Manifest | undefined> {
  const text = await readFileIfPresent(join(dir, NAME));
  if (text === undefined) return undefined;
  const manifest: Manifest = JSON.parse(text);
  if (manifest.format === FORMAT) return manifest;
  throw new UsageError(`${dir} holds a backup of another format`, 'Use the version of presage that made it.');
}

export function writeManifest(dir: string, manifest: Manifest): Promise<void> {
  return writeFileAtomically(join(dir, NAME), `${JSON.stringify(manifest, undefined, 2)}\n`);
}
