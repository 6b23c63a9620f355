// Hands one transaction to the inner node, in the same way when it is examined, mined, mined again and replayed; and checks it before it may wait.
import { asHex, type Hex } from '@presage/protocol';
import type { StoredTransaction, TransactionBody } from './chain-record.ts';
import type { EdrNode, Hardfork } from './edr-node.ts';
import { RpcError, rpcCode } from './rpc/rpc-error.ts';
import type { PooledTransaction } from './transaction-pool.ts';

/** Adds the transaction to the node's own pool and returns its hash; throws in geth's words if it is refused. */
export async function placeTransaction(node: EdrNode, body: TransactionBody): Promise<Hex> {
  if (body.kind === 'signed') return asHex(await node.request('eth_sendRawTransaction', [body.raw]));
  await node.request('hardhat_impersonateAccount', [body.from]);
  const call = {
    from: body.from,
    ...(body.to === null ? {} : { to: body.to }),
    data: body.data,
    value: body.value,
    gas: body.gas,
    nonce: `0x${body.nonce.toString(16)}`,
    gasPrice: '0x0',
  };
  try {
    return asHex(await node.request('eth_sendTransaction', [call]));
  } finally {
    await node.request('hardhat_stopImpersonatingAccount', [body.from]);
  }
}

/** Removes a placed transaction from the node's pool. */
export async function withdrawTransaction(node: EdrNode, hash: Hex): Promise<void> {
  await node.request('hardhat_dropTransaction', [hash]);
}

/** Most gas of a transaction (EIP-7825); before Osaka only the block's limit applied. */
export const GAS_CAPS: Readonly<Record<Hardfork, number>> = { Prague: Number.MAX_SAFE_INTEGER, Osaka: 2 ** 24 };

interface TransactionView {
  readonly hash: StoredTransaction['hash'];
  readonly from: StoredTransaction['from'];
  readonly nonce: string;
  readonly gas: string;
  readonly value: string;
  readonly gasPrice: string;
  readonly maxFeePerGas?: string;
  readonly maxPriorityFeePerGas?: string;
}

/**
 * Places the transaction and removes it again: the node recovers the signer natively (five times faster than in
 * JavaScript) and applies every check that depends on the state. Nothing else may run between the two steps.
 */
export async function examineTransaction(node: EdrNode, body: TransactionBody, hardfork: Hardfork) {
  const hash = await placeTransaction(node, body);
  try {
    const view = await node.read<TransactionView | null>('eth_getTransactionByHash', [hash]);
    if (!view) throw new RpcError(rpcCode.internal, `the node lost transaction ${hash}`);
    const [gas, cap] = [Number(view.gas), GAS_CAPS[hardfork]];
    if (gas > cap) throw new RpcError(rpcCode.server, `transaction gas limit too high (cap: ${cap}, tx: ${gas})`);
    return toPooledTransaction(view, body);
  } finally {
    await withdrawTransaction(node, hash);
  }
}

function toPooledTransaction(view: TransactionView, body: TransactionBody): PooledTransaction {
  const maxFeePerGas = BigInt(view.maxFeePerGas ?? view.gasPrice);
  return {
    hash: view.hash,
    from: view.from,
    nonce: Number(view.nonce),
    body,
    gas: Number(view.gas),
    maxCost: BigInt(view.gas) * maxFeePerGas + BigInt(view.value),
    maxFeePerGas,
    maxPriorityFeePerGas: BigInt(view.maxPriorityFeePerGas ?? view.gasPrice),
    view,
  };
}
