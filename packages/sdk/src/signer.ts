// One interface for signing, whatever holds the key: a local account, a wallet client, or a browser wallet.
import { type SigningDomain, stringifyJson, toHex } from '@presage/protocol/browser';
import type { LocalAccount, WalletClient } from 'viem';
import { PresageInputError } from './errors.ts';
import { toAddress } from './inputs.ts';

interface TypedField {
  readonly name: string;
  readonly type: string;
}

interface TypedDataToSign {
  readonly domain: SigningDomain;
  readonly types: Readonly<Record<string, readonly TypedField[]>>;
  readonly primaryType: string;
  readonly message: Readonly<Record<string, unknown>>;
}

/** The part of a wallet that the SDK needs. */
export interface Signer {
  readonly address: `0x${string}`;
  signTypedData(data: TypedDataToSign): Promise<`0x${string}`>;
  signMessage(text: string): Promise<`0x${string}`>;
}

/** A browser wallet: its EIP-1193 provider and the address that the user chose. */
export interface ProviderAccount {
  readonly provider: Eip1193Provider;
  readonly address: string;
}

export interface Eip1193Provider {
  request(call: { readonly method: string; readonly params?: unknown }): Promise<unknown>;
}

/** A viem account with a key, a viem wallet client, or a browser wallet. */
export type AccountInput = LocalAccount | WalletClient | ProviderAccount;

export function toSigner(account: AccountInput): Signer {
  if ('provider' in account) return fromProvider(account);
  if ('signTypedData' in account && 'address' in account) return fromLocalAccount(account);
  if (account.account === undefined) {
    throw new PresageInputError('account', 'a wallet client with an account: pass { account } when you create it');
  }
  return fromWalletClient(account, account.account);
}

// viem derives the message type from a literal of types, which only the SDK's callers have.
type SignTypedData = (data: object) => Promise<`0x${string}`>;

function fromLocalAccount(account: LocalAccount): Signer {
  return {
    address: account.address,
    signTypedData: (data) => (account.signTypedData as SignTypedData)(data),
    signMessage: (message) => account.signMessage({ message }),
  };
}

function fromWalletClient(client: WalletClient, account: NonNullable<WalletClient['account']>): Signer {
  return {
    address: account.address,
    signTypedData: (data) => (client.signTypedData as SignTypedData)({ account, ...data }),
    signMessage: (message) => client.signMessage({ account, message }),
  };
}

const DOMAIN_FIELDS: readonly TypedField[] = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
];

function fromProvider({ provider, address: text }: ProviderAccount): Signer {
  const address = toAddress('account.address', text);
  // Both methods return a signature.
  const ask = async (method: string, params: unknown) => (await provider.request({ method, params })) as `0x${string}`;
  return {
    address,
    signTypedData: (data) => {
      const types = { EIP712Domain: DOMAIN_FIELDS, ...data.types };
      return ask('eth_signTypedData_v4', [address, stringifyJson(withDecimalText({ ...data, types }))]);
    },
    signMessage: (text) => ask('personal_sign', [toHex(new TextEncoder().encode(text)), address]),
  };
}

/** Wallets use JSON.parse: large integers must be strings to stay exact. */
function withDecimalText(value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (Array.isArray(value)) return value.map(withDecimalText);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withDecimalText(member)]));
}

export interface SignatureParts {
  /** 27 or 28. */
  readonly v: number;
  readonly r: `0x${string}`;
  readonly s: `0x${string}`;
}

/** The signature in a relayed request. */
export type SignedProof = SignatureParts | { readonly signature: `0x${string}` };

const KEY_DIGITS = 130;

/** A contract wallet signs with bytes of its own format (EIP-1271). */
export function toProof(signature: `0x${string}`): SignedProof {
  return signature.length === 2 + KEY_DIGITS ? splitSignature(signature) : { signature };
}

/** Splits a 65-byte signature into the form that contracts take. */
export function splitSignature(signature: `0x${string}`): SignatureParts {
  const v = Number.parseInt(signature.slice(130), 16);
  return {
    v: v < 27 ? v + 27 : v,
    r: `0x${signature.slice(2, 66)}`,
    s: `0x${signature.slice(66, 130)}`,
  };
}
