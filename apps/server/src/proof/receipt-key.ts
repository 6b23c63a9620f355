// The operator's key for receipts: the one that is configured, or one of its own that stays in the data directory.
import { join } from 'node:path';
import { openSigningKey, type SigningKey } from '@presage/protocol/ed25519';
import { readOrMakeSecret } from '@presage/runtime/node';

/** The same key at every start: receipts of yesterday must be good tomorrow. */
export async function openReceiptKey(dataDir: string, configured: string | undefined): Promise<SigningKey> {
  return openSigningKey(configured ?? (await readOrMakeSecret(join(dataDir, 'receipt-key'))));
}
