// Judging a transaction before it may wait in the pool: the node inside recovers its sender and checks it.
import type { StoredTransaction, TransactionBody } from './chain-record.ts';
import type { EdrNode, Hardfork } from './edr-node.ts';
import { placeTransaction, withdrawTransaction } from './placement.ts';
import { RpcError, rpcCode } from './rpc/rpc-error.ts';
import type { PooledTransaction } from './transaction-pool.ts';

/** The most gas a transaction may have (EIP-7825); before Osaka a block's limit was the only one. */
const GAS_CAPS: Readonly<Record<Hardfork, number>> = { Prague: Number.MAX_SAFE_INTEGER, Osaka: 2 ** 24 };

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
 * Places the transaction and removes it again: the node recovers the signer natively (five times quicker than in
 * JavaScript) and applies every check that depends on the state. Must run where nothing can come between the two steps.
 */
export async function examineTransaction(
  node: EdrNode,
  body: TransactionBody,
  hardfork: Hardfork,
): Promise<PooledTransaction> {
  const hash = await placeTransaction(node, body);
  try {
    const view = await node.read<TransactionView | null>('eth_getTransactionByHash', [hash]);
    if (!view) throw new RpcError(rpcCode.internal, `the node lost transaction ${hash}`);
    assertGasWithinCap(Number(view.gas), GAS_CAPS[hardfork]);
    return toPooledTransaction(view, body);
  } finally {
    await withdrawTransaction(node, hash);
  }
}

function assertGasWithinCap(gas: number, cap: number): void {
  if (gas > cap) throw new RpcError(rpcCode.server, `transaction gas limit too high (cap: ${cap}, tx: ${gas})`);
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
