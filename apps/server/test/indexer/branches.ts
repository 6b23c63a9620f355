// A chain in memory that forks: its blocks are named by their branch, and one of them creates a market.
import { marketFactoryAbi } from '@presage/contracts';
import type { Hex, MarketFacts } from '@presage/protocol';
import { marketFacts } from '@presage/testkit';
import { encodeAbiParameters, encodeEventTopics, toHex, zeroHash } from 'viem';
import { branchHash, type LogQuery, openBranchRpc } from '../branch-rpc.ts';

export const FACTORY = `0x${'fa'.repeat(20)}` as const;
export const market = marketFacts({ chainId: 31337 });

/** A chain whose blocks are named by their branch; the market is created in one of them, if at all. */
export class Branches {
  readonly #blocks: { readonly branch: number; readonly isCreation: boolean }[] = [{ branch: 0, isCreation: false }];

  get head(): number {
    return this.#blocks.length - 1;
  }

  extend(branch: number, toBlock: number, createdAt?: number): void {
    while (this.head < toBlock) this.#blocks.push({ branch, isCreation: this.head + 1 === createdAt });
  }

  /** Drops blocks, and has others in their place. */
  reorganize(dropped: number, branch: number, toBlock: number, createdAt?: number): void {
    this.#blocks.splice(-dropped);
    this.extend(branch, toBlock, createdAt);
  }

  readonly rpc = openBranchRpc({ blocks: () => this.#blocks, logsFor: (query) => this.#logsFor(query) });

  #hashOf(number: number): Hex {
    return branchHash(this.#blocks[number]!.branch, number);
  }

  #logsFor({ address, fromBlock = '0x0', toBlock = toHex(this.head), blockHash }: LogQuery) {
    const number = this.#blocks.findIndex(({ isCreation }) => isCreation);
    const isAsked = address?.includes(FACTORY) && number >= Number(fromBlock) && number <= Number(toBlock);
    if (!isAsked || (blockHash !== undefined && blockHash !== this.#hashOf(number))) return [];
    const place = { blockNumber: toHex(number), blockHash: this.#hashOf(number), transactionHash: zeroHash };
    return [{ address: FACTORY, ...creationOf(market), ...place, logIndex: '0x0' }];
  }
}

function creationOf({ marketId, contractAddress, maker, expiration, yesTokenId, noTokenId, ...texts }: MarketFacts) {
  const args = { marketId, market: contractAddress, maker };
  const types = ['bytes32', 'uint64', 'uint256', 'uint256', 'uint256', 'string', 'string', 'string'];
  const { category, question, description } = texts;
  const data = encodeAbiParameters(
    types.map((type) => ({ type })),
    [zeroHash, BigInt(expiration), BigInt(yesTokenId), BigInt(noTokenId), 0n, category, question, description],
  );
  return { topics: encodeEventTopics({ abi: marketFactoryAbi, eventName: 'MarketCreated', args }), data };
}
