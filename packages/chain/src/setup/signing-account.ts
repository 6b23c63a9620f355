// An account that signs with a key of this process, or through an external signer with web3signer's API.
import { asHex, type Hex, isObject } from '@presage/protocol';
import {
  type Address,
  isAddressEqual,
  type LocalAccount,
  parseTransaction,
  recoverTransactionAddress,
  recoverTypedDataAddress,
  stringify,
  type TransactionSerialized,
  type TypedDataDefinition,
} from 'viem';
import { toAccount } from 'viem/accounts';
import { JsonRpc } from '../json-rpc.ts';
import { toQuantity } from '../quantity.ts';
import { RpcUnavailable } from '../rpc.ts';
import { type SigningKey, toLocalAccount } from './key-source.ts';

/** The common fields of viem's two transaction types that are used here. */
interface Unsigned {
  readonly to?: Address | null | undefined;
  readonly data?: Hex | undefined;
  readonly value?: bigint | undefined;
  readonly gas?: bigint | undefined;
  readonly nonce?: number | undefined;
  readonly chainId?: number | undefined;
  readonly maxFeePerGas?: bigint | undefined;
  readonly maxPriorityFeePerGas?: bigint | undefined;
}

/** A signer may ask a hardware module, but no caller waits longer than this. */
const SIGNER_TIMEOUT_MS = 5_000;

export function toSigningAccount(key: SigningKey): LocalAccount {
  return key.kind === 'local' ? toLocalAccount(key) : toSignerAccount(key);
}

/** Addresses whose keys an external signer holds. */
export async function listSignerAccounts(url: string): Promise<Address[]> {
  const accounts = await toRpc(url).request('eth_accounts');
  if (!Array.isArray(accounts)) throw new RpcUnavailable('garbage', 'the signer lists no accounts');
  return accounts.map(asHex);
}

/**
 * Calls `eth_signTransaction` and, for sponsored bonds, `eth_signTypedData`. The result is checked: a transaction that
 * differs in any field is not the one that the journal describes.
 */
function toSignerAccount({ url, address }: Extract<SigningKey, { kind: 'signer' }>): LocalAccount {
  const rpc = toRpc(url);
  return toAccount({
    address,
    signTransaction: async (transaction) => {
      const raw = toRaw(await rpc.request('eth_signTransaction', [toParameters(address, transaction)]));
      await checkTransaction(raw, transaction, address);
      return raw;
    },
    signTypedData: async (typed) => {
      const signature = asHex(await rpc.request('eth_signTypedData', [address, stringify(withDomainType(typed))]));
      // viem derives the message type from a literal that only the caller has.
      const data = { ...typed, signature } as Parameters<typeof recoverTypedDataAddress>[0];
      const signer = await recoverTypedDataAddress(data).catch(() => undefined);
      if (signer === undefined || !isAddressEqual(signer, address)) throw foreign('typed data');
      return signature;
    },
    signMessage: async () => {
      throw new Error('no message of the service is signed by an external signer');
    },
  });
}

function toRpc(url: string): JsonRpc {
  return new JsonRpc({ url, timeoutMs: SIGNER_TIMEOUT_MS });
}

function toParameters(from: Address, transaction: Unsigned): object {
  const { to, data, value, gas, nonce, chainId, maxFeePerGas, maxPriorityFeePerGas } = transaction;
  const quantity = (amount: bigint | number | undefined) => toQuantity(amount ?? 0);
  return {
    ...(to && { to }),
    from,
    type: '0x2',
    data: data ?? '0x',
    value: quantity(value),
    gas: quantity(gas),
    nonce: quantity(nonce),
    chainId: quantity(chainId),
    maxFeePerGas: quantity(maxFeePerGas),
    maxPriorityFeePerGas: quantity(maxPriorityFeePerGas),
  };
}

/** web3signer returns the bytes, geth and clef an object that holds them. */
function toRaw(answer: unknown): TransactionSerialized {
  const raw = isObject(answer) ? answer.raw : answer;
  if (typeof raw !== 'string' || !/^0x[0-9a-f]+$/i.test(raw)) throw foreign('no transaction');
  // `checkTransaction` parses it.
  return raw.toLowerCase() as TransactionSerialized;
}

async function checkTransaction(raw: TransactionSerialized, asked: Unsigned, address: Address): Promise<void> {
  const signer = await recoverTransactionAddress({ serializedTransaction: raw }).catch(() => undefined);
  if (signer === undefined || !isAddressEqual(signer, address)) throw foreign('a transaction');
  const signed: Unsigned = parseTransaction(raw);
  // Addresses come back in another letter case.
  const draw = (transaction: Unsigned) => JSON.stringify(toParameters(address, transaction)).toLowerCase();
  if (draw(signed) !== draw(asked)) throw foreign('another transaction than was asked');
}

/** The signer counts as unreachable: its answer cannot be used, and a retry does no harm. */
function foreign(what: string): RpcUnavailable {
  return new RpcUnavailable('garbage', `the external signer answered ${what} that is not from its account`);
}

/** Signers expect the types in the form of the standard, including the domain's. */
function withDomainType(typed: TypedDataDefinition | Record<string, unknown>): object {
  // Every typed data has these two fields.
  const { domain = {}, types } = typed as { domain?: object; types: object };
  const known = {
    name: 'string',
    version: 'string',
    chainId: 'uint256',
    verifyingContract: 'address',
    salt: 'bytes32',
  };
  const fields = Object.entries(known).filter(([name]) => name in domain);
  return { ...typed, types: { EIP712Domain: fields.map(([name, type]) => ({ name, type })), ...types } };
}
