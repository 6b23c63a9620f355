// A block counts as followed when all that it says is durable: only then is a transaction of it called confirmed.
import type { Rpc } from '@presage/chain';
import { conditionalTokensWithPermitAbi as abi } from '@presage/contracts';
import { Engine } from '@presage/engine';
import type { Hex, LogCursor } from '@presage/protocol';
import { SeqWaiters } from '@presage/runtime';
import { marketFacts, waitFor } from '@presage/testkit';
import { encodeAbiParameters, encodeEventTopics, toHex, zeroAddress, zeroHash } from 'viem';
import { expect, it, onTestFinished } from 'vitest';
import { ChainReads } from '../../src/chains/chain-reads.ts';
import { MarketPauses } from '../../src/chains/market-pauses.ts';
import { TradingHalts } from '../../src/chains/trading-halts.ts';
import { Indexer } from '../../src/indexer/indexer.ts';
import { createContext } from '../chain-context.ts';

const alice = `0x${'01'.repeat(20)}` as const;
const OTHER = `0x${'cc'.repeat(20)}` as const;
const conditionalTokens = `0x${'bb'.repeat(20)}` as const;
const market = marketFacts({ chainId: 31337 });
const hashOf = (block: number) => toHex(block + 1, { size: 32 });

interface Filter {
  readonly address?: readonly Hex[];
  readonly blockHash?: Hex;
}

/** Block 1 holds a transfer of shares, block 2 nothing. */
const chain = {
  request: async (method: string, [asked]: readonly unknown[]) => {
    if (method === 'eth_getLogs') return logsFor(asked as Filter);
    const number = asked === 'latest' ? 2 : Number(asked);
    const header = {
      number: toHex(number),
      hash: hashOf(number),
      parentHash: number === 0 ? zeroHash : hashOf(number - 1),
    };
    return { ...header, timestamp: '0x1', logsBloom: '0x' };
  },
  batch: async (calls: readonly { readonly method: string; readonly params?: readonly unknown[] }[]) =>
    Promise.all(
      calls.map(async ({ method, params = [] }) => ({
        ok: true as const,
        result: await chain.request(method, params),
      })),
    ),
} as Rpc;

function logsFor({ address, blockHash = hashOf(1) }: Filter) {
  const topics = encodeEventTopics({
    abi,
    eventName: 'TransferSingle',
    args: { operator: alice, from: zeroAddress, to: alice },
  });
  const word = { type: 'uint256' } as const;
  const data = encodeAbiParameters([word, word], [BigInt(market.yesTokenId), 5n]);
  const place = { blockNumber: '0x1', blockHash: hashOf(1), transactionHash: zeroHash, logIndex: '0x0' };
  const isAsked = address?.includes(conditionalTokens) && blockHash === hashOf(1);
  return isAsked ? [{ address: conditionalTokens, topics, data, ...place }] : [];
}

interface Journal {
  readonly note: () => Promise<void>;
  readonly saveCursor: (cursor: LogCursor) => Promise<void>;
}

const nothing = async () => undefined;

function startIndexer({ note, saveCursor }: Journal): Indexer {
  const engine = new Engine();
  engine.apply({ type: 'list-market', timeMs: 1, market });
  const contracts = { settlement: OTHER, conditionalTokens, marketFactory: OTHER, oracle: OTHER };
  const context = createContext({
    chain: { chainId: 31337, fromBlock: 1, confirmations: 1, contracts },
    rpc: chain,
    reads: new ChainReads(engine, 31337),
    note,
    pollMs: 5,
    idleMs: () => 5,
  });
  const indexer = new Indexer(context, {
    cursor: undefined,
    halts: new TradingHalts(),
    pauses: new MarketPauses(),
    journal: { saveCursor, noteHalt: nothing, notePause: nothing, confirm: nothing },
    onResumed: () => undefined,
    onTooDeep: (error) => expect.unreachable(error.message),
    onDeepReorg: () => undefined,
  });
  indexer.start();
  onTestFinished(() => indexer.close());
  return indexer;
}

it('follows a block once its facts are written', async () => {
  const written = new SeqWaiters();
  const indexer = startIndexer({ note: async () => void (await written.wait(1)), saveCursor: nothing });
  await waitFor('the shares are being written', () => !written.isEmpty, { timeoutMs: 10_000 });
  expect([await indexer.hasFollowed(0, 0), await indexer.hasFollowed(1, 20)]).toEqual([true, false]);
  expect(indexer.hashOf(1)).toBeUndefined();
  const followed = indexer.hasFollowed(2, 5_000);
  written.reached = 1;
  expect(await followed).toBe(true);
  await waitFor('the last block is known by its hash', () => indexer.hashOf(2) === hashOf(2), { timeoutMs: 10_000 });
  expect(indexer.hashOf(1)).toBe(hashOf(1));
});

it('a start after a kill between two writes knows the hash of the block of the first facts, and reads that block again', async () => {
  const written: string[] = [];
  const indexer = startIndexer({
    note: async () => void written.push('facts'),
    saveCursor: async ({ next, blocks }) => void written.push(`from ${next}, known up to ${blocks.at(-1)?.number}`),
  });
  expect(await indexer.hasFollowed(2, 10_000)).toBe(true);
  expect(written.slice(0, 2)).toEqual(['from 1, known up to 1', 'facts']);
});

it('saves the hashes of all blocks that are followed before others note facts of them, and once', async () => {
  const saved: LogCursor[] = [];
  const written = new SeqWaiters();
  const indexer = startIndexer({
    note: async () => void (await written.wait(1)),
    saveCursor: async (cursor) => void saved.push(cursor),
  });
  await waitFor('the shares are being written', () => !written.isEmpty, { timeoutMs: 10_000 });
  await indexer.saveFollowed();
  expect(saved.every(({ next }) => next === 1)).toBe(true);
  written.reached = 1;
  await waitFor('the last block is followed', () => indexer.hashOf(2) !== undefined, { timeoutMs: 10_000 });
  await indexer.saveFollowed();
  const { length } = saved;
  expect(saved.at(-1)).toMatchObject({ next: 3, blocks: [{ number: 1 }, { number: 2, hash: hashOf(2) }] });
  await indexer.saveFollowed();
  expect(saved).toHaveLength(length);
});
