// The user's secrets on disk: wallets and API keys, in files that only the user can read.
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { isObject } from '@presage/protocol';
import { isErrorCode, readFileIfPresent, writeFileAtomically } from '@presage/runtime/node';
import type { ApiKey } from '@presage/sdk';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { UsageError } from './exit-codes.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Wallet {
  readonly account: PrivateKeyAccount;
  /** Origin of the key, for display. */
  readonly source: string;
  /** Absent if the key came from the environment. */
  readonly path?: string;
}

const PRIVATE_KEY = /^(0x)?[0-9a-f]{64}$/i;
const WALLET_NAME = /^[a-z0-9][a-z0-9_-]{0,31}$/i;
const OWNER_ONLY = 0o600;
const OTHERS = 0o077;

export function configDirOf(env: Environment): string {
  return env.PRESAGE_CONFIG_DIR || join(env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'presage');
}

export class KeyFiles {
  readonly dir: string;

  constructor(dir: string) {
    this.dir = dir;
  }

  walletPath(name: string): string {
    if (!WALLET_NAME.test(name)) {
      throw new UsageError(`"${name}" is not a wallet's name`, 'Use up to 32 letters, digits, - and _.');
    }
    return join(this.dir, 'wallets', `${name}.json`);
  }

  async readWallet(name: string): Promise<Wallet | undefined> {
    const path = this.walletPath(name);
    const text = await readFileIfPresent(path);
    if (text === undefined) return undefined;
    const { privateKey } = parseObject(path, text);
    return { account: toAccount(privateKey, path), source: path, path };
  }

  /** Never overwrites a wallet: its money would be lost. */
  async createWallet(name: string): Promise<Wallet> {
    const path = this.walletPath(name);
    const privateKey = generatePrivateKey();
    const account = privateKeyToAccount(privateKey);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const text = `${JSON.stringify({ address: account.address, privateKey }, null, 2)}\n`;
    await writeFile(path, text, { mode: OWNER_ONLY, flag: 'wx' }).catch((error: unknown) => {
      if (!isErrorCode(error, 'EEXIST')) throw error;
      throw new UsageError(`the wallet "${name}" already exists`, `Choose another name, or move ${path} away.`);
    });
    return { account, source: path, path };
  }

  async readApiKey(url: string, address: string): Promise<ApiKey | undefined> {
    return (await this.#readApiKeys())[apiKeyName(url, address)];
  }

  async writeApiKey(url: string, address: string, apiKey: ApiKey | undefined): Promise<void> {
    const { [apiKeyName(url, address)]: _previous, ...others } = await this.#readApiKeys();
    const kept = apiKey === undefined ? others : { ...others, [apiKeyName(url, address)]: apiKey };
    await mkdir(this.dir, { recursive: true, mode: 0o700 });
    await writeFileAtomically(this.#apiKeysPath, `${JSON.stringify(kept, null, 2)}\n`, OWNER_ONLY);
  }

  get #apiKeysPath(): string {
    return join(this.dir, 'api-keys.json');
  }

  async #readApiKeys(): Promise<Readonly<Record<string, ApiKey>>> {
    const text = await readFileIfPresent(this.#apiKeysPath);
    // Only this program writes the file.
    return text === undefined ? {} : (parseObject(this.#apiKeysPath, text) as Record<string, ApiKey>);
  }
}

export function walletFromEnvironment(env: Environment): Wallet | undefined {
  const { PRESAGE_PRIVATE_KEY: key } = env;
  if (!key) return undefined;
  return { account: toAccount(key, 'PRESAGE_PRIVATE_KEY'), source: 'PRESAGE_PRIVATE_KEY' };
}

/** Whether other users of this machine can read it; false where the platform has no file permissions. */
export async function isReadableByOthers(path: string): Promise<boolean> {
  return process.platform !== 'win32' && ((await stat(path)).mode & OTHERS) !== 0;
}

function apiKeyName(url: string, address: string): string {
  return `${url} ${address.toLowerCase()}`;
}

/** Reports where the bad key is, never its content. */
function toAccount(key: unknown, where: string): PrivateKeyAccount {
  if (typeof key !== 'string' || !PRIVATE_KEY.test(key)) {
    throw new UsageError(`${where} does not hold a private key`, 'A key is 0x and 64 hex digits.');
  }
  return privateKeyToAccount(`0x${key.replace(/^0x/i, '')}`);
}

function parseObject(path: string, text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    // Reported below without the text: it may contain a key.
  }
  throw new UsageError(`${path} is not a JSON object`, 'Restore it from a backup, or move it away.');
}
