// The operator's key for receipts: the one that is configured, or one of its own that stays in the data directory.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createApiKeyPair, openSigningKey, type SigningKey } from '@presage/protocol/ed25519';
import { readFileIfPresent, writeFileAtomically } from '@presage/runtime/node';

const SEED = /^[0-9a-f]{64}$/;

/** The same key at every start: receipts of yesterday must be good tomorrow. */
export async function openReceiptKey(dataDir: string, configured: string | undefined): Promise<SigningKey> {
  return openSigningKey(configured ?? (await readKept(join(dataDir, 'receipt-key'))));
}

async function readKept(path: string): Promise<string> {
  const kept = (await readFileIfPresent(path))?.trim();
  if (kept !== undefined) {
    if (!SEED.test(kept)) throw new Error(`${path} does not hold a key of 64 hex digits`);
    return kept;
  }
  const { privateKeyHex } = createApiKeyPair();
  await mkdir(join(path, '..'), { recursive: true });
  await writeFileAtomically(path, `${privateKeyHex}\n`);
  return privateKeyHex;
}
