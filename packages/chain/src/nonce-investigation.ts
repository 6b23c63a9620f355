// Finds the transaction that used a nonce of an account: the only evidence on which an operation may be moved.
import type { Hex } from '@presage/protocol';
import type { Address } from 'viem';
import type { NodeReader } from './node-reader.ts';

export interface NonceUse {
  readonly hash: Hex;
  readonly blockNumber: number;
  readonly blockHash: Hex;
}

export interface NonceQuestion {
  readonly account: Address;
  readonly nonce: number;
  readonly headNumber: number;
}

/**
 * Searches for the first block after which the account's count exceeds the nonce and reads the transaction out of it.
 * Null when nothing was found: a missing receipt proves nothing, so a caller without a use must keep waiting.
 */
export async function findNonceUse(node: NodeReader, question: NonceQuestion): Promise<NonceUse | null> {
  const { account, nonce } = question;
  const number = await findBlock(node, question);
  if (number === null) return null;
  const block = await node.blockTransactions(number);
  const user = block?.transactions.find((candidate) => candidate.from === account && candidate.nonce === nonce);
  return block && user ? { hash: user.hash, blockNumber: number, blockHash: block.blockHash } : null;
}

async function findBlock(node: NodeReader, { account, nonce, headNumber }: NonceQuestion): Promise<number | null> {
  const isUsedAt = async (number: number) => (await node.transactionCount(account, number)) > nonce;
  if (!(await isUsedAt(headNumber))) return null;
  // Steps double from the head down, because pruned nodes know the counts of recent blocks only.
  let high = headNumber;
  let low = headNumber - 1;
  for (let step = 1; low >= 0 && (await isUsedAt(low)); step *= 2) {
    high = low;
    low = Math.max(low - step, low === 0 ? -1 : 0);
  }
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (await isUsedAt(middle)) high = middle;
    else low = middle;
  }
  return high;
}
