// Loads a signing key from an environment variable, a file that only its owner can read, or an external signer, and makes the account of a local key.

import { createECDH } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { asHex, type Hex, openKeccak } from '@presage/protocol';
import { openDigestSigner, type SignDigest } from '@presage/protocol/digest-signer';
import { codeOf } from '@presage/runtime';
import {
  type Address,
  hashMessage,
  hashTypedData,
  type LocalAccount,
  parseSignature,
  serializeTransaction,
} from 'viem';
import { publicKeyToAddress, toAccount } from 'viem/accounts';

/** A key in this process, or the address of one that an external signer holds. */
export type SigningKey =
  | { readonly kind: 'local'; readonly address: Address; readonly privateKey: Hex }
  | { readonly kind: 'signer'; readonly address: Address; readonly url: string };

export interface KeyReaderOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Accepts the key itself in place of its source: for the sandbox, whose keys are published. */
  readonly isPlainAllowed?: boolean;
}

/** Names what is wrong with the source and what to do, never the key. */
export class KeyRefused extends Error {
  override readonly name = 'KeyRefused';
}

const PRIVATE_KEY = /^(0x)?[0-9a-f]{64}$/i;
const SIGNER = /^signer:(https?:\/\/[^\s#]+)#(0x[0-9a-f]{40})$/i;
const FORMS = 'write env:NAME, file:/path or signer:http://host:port#0xADDRESS';
const OTHERS = 0o077;

export function readKey(source: string, { env, isPlainAllowed = false }: KeyReaderOptions): SigningKey {
  const [kind = '', ...rest] = source.split(':');
  const place = rest.join(':');
  if (PRIVATE_KEY.test(source)) return readPlain(source, isPlainAllowed);
  if (kind === 'env' && place !== '') return readVariable(place, env);
  if (kind === 'file' && place !== '') return readFile(place);
  if (kind === 'signer') return readSigner(source);
  // The source may be a mistyped key, so it is not repeated.
  throw new KeyRefused(`is no source of a key; ${FORMS}`);
}

function readPlain(key: string, isAllowed: boolean): SigningKey {
  if (!isAllowed) throw new KeyRefused(`holds the key itself, which a copied file would give away; ${FORMS}`);
  return toLocal(key, 'the key');
}

function readVariable(name: string, env: KeyReaderOptions['env']): SigningKey {
  const value = env[name]?.trim();
  if (!value) throw new KeyRefused(`the environment variable ${name} is not set; set it to the private key`);
  return toLocal(value, `the environment variable ${name}`);
}

function readFile(path: string): SigningKey {
  let text: string;
  try {
    const { mode } = statSync(path);
    // Windows has no permission bits.
    if (process.platform !== 'win32' && (mode & OTHERS) !== 0) {
      throw new KeyRefused(`others on this machine can read ${path}; run chmod 600 ${path}`);
    }
    text = readFileSync(path, 'utf8').trim();
  } catch (error) {
    if (error instanceof KeyRefused) throw error;
    throw new KeyRefused(`${path} cannot be read (${codeOf(error)}); name a file with the key`);
  }
  return toLocal(text, path);
}

function readSigner(source: string): SigningKey {
  const [, url, address] = SIGNER.exec(source) ?? [];
  if (url === undefined || address === undefined) {
    throw new KeyRefused('names no external signer; write signer:http://host:port#0xADDRESS');
  }
  return { kind: 'signer', url, address: asHex(address) };
}

function toLocal(text: string, where: string): SigningKey {
  const refused = new KeyRefused(`${where} does not hold a private key; it is 0x and 64 hex digits`);
  if (!PRIVATE_KEY.test(text)) throw refused;
  const privateKey: Hex = `0x${text.replace(/^0x/i, '').toLowerCase()}`;
  try {
    return { kind: 'local', privateKey, address: toKeyAddress(privateKey) };
  } catch {
    // Zero, or not below the order of the curve.
    throw refused;
  }
}

/** Throws if the key is zero or not below the order of the curve. */
function toKeyAddress(privateKey: Hex): Address {
  const curve = createECDH('secp256k1');
  curve.setPrivateKey(privateKey.slice(2), 'hex');
  return publicKeyToAddress(`0x${curve.getPublicKey('hex')}`);
}

/**
 * The account of a key in this process, on native curves: setting up the wallet library's own takes a tenth of the
 * service's start. It signs the same bytes, since both choose nonces by RFC 6979.
 */
export function toLocalAccount({ address, privateKey }: Extract<SigningKey, { kind: 'local' }>): LocalAccount {
  let signer: Promise<SignDigest> | undefined;
  const sign = async (digest: Hex): Promise<Hex> => {
    signer ??= openDigestSigner(privateKey);
    return (await signer)(digest);
  };
  return toAccount({
    address,
    sign: ({ hash }) => sign(hash),
    signMessage: ({ message }) => sign(hashMessage(message)),
    signTypedData: (typed) => sign(hashTypedData(typed)),
    signTransaction: async (transaction) => {
      const keccak = await openKeccak();
      const signature = parseSignature(await sign(keccak(serializeTransaction(transaction))));
      return serializeTransaction(transaction, signature);
    },
  });
}
