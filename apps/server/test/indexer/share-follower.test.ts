// Shares that move before their market is listed count once it is, and not when their block left the chain meanwhile.
import type { WatchedBlock, WatchedLog } from '@presage/chain';
import { Engine } from '@presage/engine';
import type { Hex, PayoutRedeemed, SharesMoved } from '@presage/protocol';
import { marketFacts } from '@presage/testkit';
import { encodeAbiParameters, pad, toEventSelector, toHex } from 'viem';
import { describe, expect, it } from 'vitest';
import { ChainReads } from '../../src/chains/chain-reads.ts';
import { ShareFollower } from '../../src/indexer/share-follower.ts';
import { createContext } from '../chain-context.ts';

const settlement = `0x${'aa'.repeat(20)}` as const;
const conditionalTokens = `0x${'bb'.repeat(20)}` as const;
const alice = `0x${'01'.repeat(20)}` as const;
const bob = `0x${'02'.repeat(20)}` as const;
const TRANSFER = toEventSelector('TransferSingle(address,address,address,uint256,uint256)');
const BATCH = toEventSelector('TransferBatch(address,address,address,uint256[],uint256[])');
const facts = marketFacts({ chainId: 31337, yesTokenId: '11', noTokenId: '12' });

function transfer(tokenId: bigint, amount: bigint, blockNumber: number): WatchedLog {
  return {
    address: conditionalTokens,
    topics: [TRANSFER, ...[alice, alice, bob].map((each) => pad(each))],
    data: encodeAbiParameters([{ type: 'uint256' }, { type: 'uint256' }], [tokenId, amount]),
    transactionHash: toHex(blockNumber, { size: 32 }),
    logIndex: 0,
    blockNumber,
  } as unknown as WatchedLog;
}

/** Shares of tokens of no market, from alice to bob. */
function batch(tokenIds: readonly bigint[], amount: bigint, blockNumber: number): WatchedLog {
  const lists = [tokenIds, tokenIds.map(() => amount)].map((list) => [BigInt(list.length), ...list]);
  const words = [64n, BigInt(32 * (3 + tokenIds.length)), ...lists.flat()];
  const data: Hex = `0x${words.map((word) => word.toString(16).padStart(64, '0')).join('')}`;
  return { ...transfer(0n, 0n, blockNumber), topics: [BATCH, ...[alice, alice, bob].map((each) => pad(each))], data };
}

function block(blockNumber: number, ...logs: WatchedLog[]): WatchedBlock {
  const [blockHash, parentHash] = [blockNumber, blockNumber - 1].map((each) => toHex(each, { size: 32 })) as [Hex, Hex];
  return { blockNumber, blockHash, parentHash, timestamp: 1_000 + blockNumber, logs };
}

function openFollower() {
  const engine = new Engine();
  const journal = { refuses: false };
  const noted: (SharesMoved | PayoutRedeemed)[] = [];
  const context = createContext({
    chain: { contracts: { settlement, conditionalTokens } },
    reads: new ChainReads(engine, facts.chainId),
    note: async (...records: readonly (SharesMoved | PayoutRedeemed)[]) => {
      if (journal.refuses) throw new Error('the disk is full');
      noted.push(...records);
    },
    clock: { nowMs: () => 5 },
  });
  const follower = new ShareFollower(context);
  const list = () => engine.apply({ type: 'list-market', timeMs: 1, market: facts });
  const follow = async (each: WatchedBlock) => {
    const write = follower.read(each);
    await write?.();
    return write !== undefined;
  };
  return { follower, follow, noted, list, journal };
}

describe('shares that move before their market is listed', () => {
  it('are noted with the first block after the listing, at the block they moved in, and once', async () => {
    const { follow, noted, list } = openFollower();
    expect(await follow(block(7, transfer(11n, 40n, 7)))).toBe(false);
    expect(await follow(block(8, transfer(99n, 1n, 8)))).toBe(false);
    list();
    expect(await follow(block(9, transfer(12n, 2n, 9)))).toBe(true);
    expect(await follow(block(10))).toBe(false);
    const seen = noted.map(({ type, userAddress, blockNumber, yesShares, noShares }) => {
      return [type, userAddress, blockNumber, yesShares, noShares];
    });
    expect(seen).toEqual([
      ['shares-moved', alice, 7, '-40', '0'],
      ['shares-moved', bob, 7, '40', '0'],
      ['shares-moved', alice, 9, '0', '-2'],
      ['shares-moved', bob, 9, '0', '2'],
    ]);
  });

  it('are noted without another block where none comes, and once', async () => {
    const { follower, follow, noted, list } = openFollower();
    await follow(block(7, transfer(11n, 40n, 7)));
    await follower.readLate()?.();
    expect(noted).toEqual([]);
    list();
    await follower.readLate()?.();
    await follower.readLate()?.();
    expect(noted.map(({ userAddress, blockNumber }) => [userAddress, blockNumber])).toEqual([
      [alice, 7],
      [bob, 7],
    ]);
  });

  it('are noted once when the journal takes them again after it refused them', async () => {
    const { follower, follow, noted, list, journal } = openFollower();
    await follow(block(7, transfer(11n, 40n, 7)));
    list();
    journal.refuses = true;
    const next = block(8, transfer(12n, 2n, 8), { ...transfer(99n, 3n, 8), transactionHash: toHex(88, { size: 32 }) });
    await expect(follow(next)).rejects.toThrow('the disk is full');
    journal.refuses = false;
    expect(follower.waitsSince(1_008)).toBe(7);
    await follow(next);
    await follower.readLate()?.();
    expect(noted.map(({ userAddress, blockNumber }) => [userAddress, blockNumber])).toEqual([
      [alice, 7],
      [bob, 7],
      [alice, 8],
      [bob, 8],
    ]);
  });

  it('are kept where a block with very many others is read again, because something else of it was refused', async () => {
    const { follow, noted, list } = openFollower();
    await follow(block(7, transfer(11n, 40n, 7)));
    const tokens = Array.from({ length: 30_000 }, (_, index) => BigInt(1_000 + index));
    for (let delivery = 0; delivery < 4; delivery++) await follow(block(8, batch(tokens, 1n, 8)));
    list();
    await follow(block(9));
    expect(noted.map(({ userAddress, blockNumber }) => [userAddress, blockNumber])).toEqual([
      [alice, 7],
      [bob, 7],
    ]);
  });

  it('are waited for until a market would have been listed, so that a restart reads them again', async () => {
    const { follower, follow, list } = openFollower();
    await follow(block(7, transfer(11n, 40n, 7)));
    const waits = [7, 200, 306, 307].map((blockNumber) => follower.waitsSince(block(blockNumber).timestamp));
    expect(waits).toEqual([7, 7, 7, undefined]);
    list();
    await follower.readLate()?.();
    expect(follower.waitsSince(block(8).timestamp)).toBeUndefined();
  });

  it('are forgotten, oldest first, where tokens of no market are too many to be kept', async () => {
    const { follower, follow } = openFollower();
    const unknown = (from: number, count: number) =>
      Array.from({ length: count }, (_, id) => BigInt(1_000 + from + id));
    await follow(block(7, transfer(11n, 40n, 7)));
    await follow(block(8, batch(unknown(0, 10_000), 1n, 8)));
    expect(follower.waitsSince(1_008)).toBe(7);
    for (let at = 9; at <= 18; at++) await follow(block(at, batch(unknown(at * 10_000, 10_000), 1n, at)));
    expect(follower.waitsSince(1_018)).toBe(9);
  });

  it('are waited for by nobody where none of them moved', async () => {
    const { follower, follow } = openFollower();
    await follow(block(7, batch([1_000n, 1_001n], 0n, 7), transfer(1_002n, 0n, 7)));
    expect(follower.waitsSince(1_007)).toBeUndefined();
  });

  it('are removed with a block that leaves the chain', async () => {
    const { follower, follow, noted, list } = openFollower();
    await follow(block(7, transfer(11n, 40n, 7)));
    await follower.rewind(6);
    list();
    await follow(block(7));
    expect(noted).toEqual([]);
  });
});
