// Keeps, readable by the service alone, what is needed to find and open the embedded database again.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { readFileIfPresent, writeFileAtomically } from '@presage/runtime/node';

export interface Access {
  readonly password: string;
  /** Where the work folder is, when it could not be inside the data folder. */
  readonly outside?: string;
}

const PASSWORD = /^[0-9a-f]{64}$/;

export function createAccess(): Access {
  return { password: randomBytes(32).toString('hex') };
}

/** Undefined when there is none or it cannot be understood: the database is then made anew. */
export async function readAccess(folder: string): Promise<Access | undefined> {
  try {
    return parseAccess(JSON.parse((await readFileIfPresent(accessPath(folder))) ?? 'null'));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

export async function writeAccess(folder: string, access: Access): Promise<void> {
  await writeFileAtomically(accessPath(folder), `${JSON.stringify(access)}\n`);
}

function accessPath(folder: string): string {
  return join(folder, 'access.json');
}

function parseAccess(value: unknown): Access | undefined {
  if (typeof value !== 'object' || value === null || !('password' in value)) return undefined;
  const { password } = value;
  if (typeof password !== 'string' || !PASSWORD.test(password)) return undefined;
  return 'outside' in value && typeof value.outside === 'string' ? { password, outside: value.outside } : { password };
}
