// The operator's key and address: from the environment, from a file, or the sandbox's own.
import { readFile } from 'node:fs/promises';
import { createApiKeyPair } from '@presage/protocol/ed25519';
import type { ApiKey } from '@presage/sdk';
import { createOperatorClient, type OperatorClient } from '@presage/sdk/operator';
import type { Context } from './context.ts';
import { UsageError } from './exit-codes.ts';
import { isReadableByOthers } from './key-files.ts';

const SEED = /^[0-9a-f]{64}$/i;
const REMEDY = 'Set PRESAGE_OPERATOR_KEY to 64 hex digits, or PRESAGE_OPERATOR_KEY_FILE to a file that holds them.';

/** Derives the key's id from its public half, as the service does. */
function toApiKey(seed: string): ApiKey {
  const privateKey = seed.toLowerCase();
  const { publicKeyHex } = createApiKeyPair(Buffer.from(privateKey, 'hex'));
  return { id: `op_${publicKeyHex.slice(0, 24)}`, privateKey };
}

export async function openOperator(context: Context): Promise<OperatorClient> {
  return createOperatorClient(await operatorAccess(context));
}

interface OperatorAccess {
  readonly url: string;
  readonly key: ApiKey;
}

/** The address that serves operators, and the key. */
export async function operatorAccess(context: Context): Promise<OperatorAccess> {
  const { env } = context;
  const seed = env.PRESAGE_OPERATOR_KEY || (await readKeyFile(env.PRESAGE_OPERATOR_KEY_FILE));
  const url = (env.PRESAGE_ADMIN_URL || context.url).replace(/\/+$/, '');
  if (seed) {
    if (!SEED.test(seed)) throw new UsageError('the operator key is not 64 hex digits', REMEDY);
    return { url, key: toApiKey(seed) };
  }
  const { sandbox } = await context.config();
  if (!sandbox) throw new UsageError('an operator key is required', REMEDY);
  context.output.note('no operator key: using that of the sandbox');
  return { url, key: await context.sandbox.getOperatorKey({ signal: context.signal }) };
}

async function readKeyFile(path: string | undefined): Promise<string | undefined> {
  if (!path) return undefined;
  const text = await readFile(path, 'utf8').catch(() => {
    throw new UsageError(`PRESAGE_OPERATOR_KEY_FILE: ${path} cannot be read`, REMEDY);
  });
  if (await isReadableByOthers(path)) {
    throw new UsageError(`${path} can be read by other users`, `Run \`chmod 600 ${path}\` first.`);
  }
  return text.trim();
}

/** Generates a key pair for a future operator; the private half never leaves this machine. */
export function makeOperatorKey(): { readonly keyId: string; readonly publicKey: string; readonly privateKey: string } {
  const { publicKeyHex, privateKeyHex } = createApiKeyPair();
  return { keyId: toApiKey(privateKeyHex).id, publicKey: publicKeyHex, privateKey: privateKeyHex };
}
