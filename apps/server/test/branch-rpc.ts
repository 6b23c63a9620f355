// A node of a chain in memory that forks: a block's hash follows from its number and the branch that it is of.
import type { Rpc } from '@presage/chain';
import { type Hex, toHex, zeroHash } from 'viem';

export interface LogQuery {
  readonly address?: readonly Hex[];
  readonly topics?: readonly unknown[];
  readonly fromBlock?: Hex;
  readonly toBlock?: Hex;
  readonly blockHash?: Hex;
}

interface BranchNode {
  readonly blocks: () => readonly { readonly branch: number }[];
  readonly logsFor: (query: LogQuery) => unknown;
}

export function branchHash(branch: number, number: number): Hex {
  return toHex(1_000 * branch + number + 1, { size: 32 });
}

export function openBranchRpc({ blocks, logsFor }: BranchNode): Rpc {
  const hashOf = (number: number) => branchHash(blocks()[number]!.branch, number);
  const request: Rpc['request'] = async (method, [asked] = []) => {
    if (method === 'eth_getLogs') return logsFor(asked as LogQuery);
    const head = blocks().length - 1;
    const number = asked === 'latest' ? head : Number(asked);
    if (number > head) return null;
    const parentHash = number === 0 ? zeroHash : hashOf(number - 1);
    return { number: toHex(number), hash: hashOf(number), parentHash, timestamp: '0x1', logsBloom: '0x' };
  };
  const batch: Rpc['batch'] = async (calls) =>
    Promise.all(
      calls.map(async ({ method, params }) => ({ ok: true as const, result: await request(method, params) })),
    );
  return { request, batch };
}
