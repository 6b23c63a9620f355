// A node of a chain, named by --rpc: sends transactions of one account, and explains what is wrong with the node.
import { ContractReverted, callContract, JsonRpc, type Rpc, RpcUnavailable } from '@presage/chain';
import { KeyRefused, readKey, toSigningAccount } from '@presage/chain/setup';
import type { Hex } from '@presage/protocol';
import {
  BaseError,
  createPublicClient,
  createWalletClient,
  HttpRequestError,
  http,
  InsufficientFundsError,
  type LocalAccount,
} from 'viem';
import { NodeUnreachable, UsageError } from '../exit-codes.ts';
import type { Environment } from '../key-files.ts';

const POLL_MS = 500;

export interface SentCall {
  readonly to: Hex;
  readonly data: Hex;
}

/** Turns every error of an unusable node into one message with a remedy. */
export async function withNode<T>(url: string, work: () => Promise<T>): Promise<T> {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new UsageError(`--rpc ${url} is not the address of a node`, 'Write it like https://host:port.');
  try {
    return await work();
  } catch (error) {
    const detail = findDetail(error);
    if (detail === undefined) throw error;
    // Only the host: the path of a node's address often holds a key.
    throw new NodeUnreachable(`the node at ${new URL(url).host} gives no usable answer: ${detail}`);
  }
}

function findDetail(error: unknown): string | undefined {
  if (error instanceof RpcUnavailable) return error.message;
  const failure = error instanceof BaseError ? error.walk((each) => each instanceof HttpRequestError) : null;
  return failure instanceof HttpRequestError ? failure.details || failure.shortMessage : undefined;
}

export function readSigner(source: string, env: Environment): LocalAccount {
  try {
    return toSigningAccount(readKey(source, { env }));
  } catch (error) {
    if (error instanceof KeyRefused) throw new UsageError(`--key ${error.message}`);
    throw error;
  }
}

export class NodeAccess {
  readonly rpc: Rpc;
  readonly account: LocalAccount;
  readonly #url: string;

  private constructor(url: string, account: LocalAccount) {
    this.#url = url;
    this.account = account;
    this.rpc = new JsonRpc({ url });
  }

  /** Refuses a node of another chain before anything is signed. */
  static async open(url: string, account: LocalAccount, chainId: number): Promise<NodeAccess> {
    const access = new NodeAccess(url, account);
    const found = Number(await access.rpc.request('eth_chainId'));
    if (found === chainId) return access;
    throw new UsageError(
      `the node at ${new URL(url).host} serves chain ${found}, not ${chainId}`,
      'Name a node of that chain with --rpc.',
    );
  }

  /** Resolves with the hash when the transaction is mined; a call that would revert is not sent. */
  async send(call: SentCall, signal: AbortSignal): Promise<Hex> {
    await this.#require(call);
    const transport = http(this.#url, { retryCount: 0 });
    const wallet = createWalletClient({ transport, account: this.account });
    const hash = await wallet.sendTransaction({ ...call, chain: null }).catch((error: unknown) => {
      const isPoor =
        error instanceof BaseError && error.walk((each) => each instanceof InsufficientFundsError) !== null;
      if (!isPoor) throw error;
      throw new UsageError(`${this.account.address} cannot pay for gas`, "Send it some of the chain's coin.");
    });
    const reader = createPublicClient({ transport, pollingInterval: POLL_MS });
    const mined = reader.waitForTransactionReceipt({ hash, timeout: 0 });
    const { status } = await Promise.race([mined, rejectOn(signal)]);
    if (status !== 'success')
      throw new UsageError(`the transaction ${hash} reverted`, 'A block explorer of the chain shows why.');
    return hash;
  }

  async #require(call: SentCall): Promise<void> {
    const { address: from } = this.account;
    await callContract(this.rpc, { from, ...call }).catch((error: unknown) => {
      if (!(error instanceof ContractReverted)) throw error;
      throw new UsageError(`the contract refuses this of ${from}: ${error.message}`, 'Sign with the key that may.');
    });
  }
}

function rejectOn(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
}
