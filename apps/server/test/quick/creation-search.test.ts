// A quick market that the chain has and whose creation no node tells of: it is looked for where it can be, and not through the chain's whole past.
import type { Rpc, SenderPort } from '@presage/chain';
import { toHex, zeroHash } from 'viem';
import { expect, it } from 'vitest';
import { ChainRefused, QuickChain } from '../../src/quick/quick-chain.ts';
import { createContext } from '../chain-context.ts';

const HEAD = 100_000_000;
const NOW = 1_800_000_000;
/** Four blocks a second, as on Arbitrum. */
const BLOCKS_A_SECOND = 4;

it('ends an hour before the window', async () => {
  const searched: number[] = [];
  const request = async (method: string, [asked]: readonly unknown[]) => {
    if (method === 'eth_getLogs') {
      searched.push(Number((asked as { readonly fromBlock: string }).fromBlock));
      return [];
    }
    const number = asked === 'latest' ? HEAD : Number(asked);
    const timestamp = toHex(NOW - Math.floor((HEAD - number) / BLOCKS_A_SECOND));
    const hash = toHex(number + 1, { size: 32 });
    return { number: toHex(number), hash, parentHash: zeroHash, timestamp, logsBloom: '0x' };
  };
  const rpc = {
    request,
    batch: async (calls: readonly { readonly method: string; readonly params?: readonly unknown[] }[]) =>
      Promise.all(
        calls.map(async ({ method, params = [] }) => ({ ok: true as const, result: await request(method, params) })),
      ),
  } as Rpc;
  const factory = { address: `0x${'fa'.repeat(20)}`, read: async () => `0x${'11'.repeat(20)}` };
  const sender = { status: () => ({ stage: 'failed' }) } as unknown as SenderPort;
  const context = createContext({ rpc, chain: { fromBlock: 1 } });
  const quick = new QuickChain(context, { contracts: { factory } as never, sender, fees: {} as never });
  const startTime = NOW + 900;
  const creation = quick.create({ asset: 'BTC', feedId: zeroHash } as never, startTime);
  await expect(creation).rejects.toBeInstanceOf(ChainRefused);
  // Three quarters of an hour of blocks, and the search in which they end.
  expect(HEAD - (searched.at(-1) ?? 0)).toBeLessThan(2_700 * BLOCKS_A_SECOND + 1_000);
});
