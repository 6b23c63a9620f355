// Shares of an event's markets that are converted, split, merged and redeemed, as the logs of the conditional tokens tell it.
import type { WatchedBlock, WatchedLog } from '@presage/chain';
import { conditionalTokensWithPermitAbi as abi } from '@presage/contracts';
import { Engine } from '@presage/engine';
import type { Hex, MarketFacts, MarketResolution, PayoutRedeemed, SharesMoved } from '@presage/protocol';
import { eventFacts } from '@presage/testkit';
import { encodeAbiParameters, encodeEventTopics, pad, toHex, zeroAddress, zeroHash } from 'viem';
import { describe, expect, it } from 'vitest';
import { ChainReads } from '../../src/chains/chain-reads.ts';
import { ShareFollower } from '../../src/indexer/share-follower.ts';
import { createContext } from '../chain-context.ts';

const settlement = `0x${'aa'.repeat(20)}` as const;
const conditionalTokens = `0x${'bb'.repeat(20)}` as const;
const alice = `0x${'01'.repeat(20)}` as const;
const bob = `0x${'02'.repeat(20)}` as const;
const carol = `0x${'03'.repeat(20)}` as const;
const MARKETS = eventFacts(['Ann', 'Ben', 'Cid', 'None of them'], 'e1', { chainId: 31337 });
const EVENT = MARKETS[0]!.event!.id;
const ALL = 0b1111n;
const POINT = { transactionHash: zeroHash, blockNumber: 1, blockHash: zeroHash };

const yes = (index: number) => BigInt(MARKETS[index]!.yesTokenId);
const no = (index: number) => BigInt(MARKETS[index]!.noTokenId);
const words = { type: 'uint256[]' } as const;
const word = { type: 'uint256' } as const;

/** Logs of one transaction, in their order. */
class Logs {
  readonly all: WatchedLog[] = [];

  #add(topics: readonly (Hex | Hex[] | null)[], data: Hex): this {
    const place = { transactionHash: toHex(7, { size: 32 }), logIndex: this.all.length, blockNumber: 7 };
    this.all.push({ address: conditionalTokens, topics, data, ...place } as unknown as WatchedLog);
    return this;
  }

  moves(from: Hex, to: Hex, ids: readonly bigint[], amount: bigint): this {
    const topics = [
      encodeEventTopics({ abi, eventName: 'TransferBatch' })[0],
      ...[alice, from, to].map((each) => pad(each)),
    ];
    return this.#add(topics, encodeAbiParameters([words, words], [[...ids], ids.map(() => amount)]));
  }

  burns(ids: readonly bigint[], amount: bigint): this {
    return this.moves(alice, zeroAddress, ids, amount);
  }

  mints(ids: readonly bigint[], amount: bigint): this {
    return this.moves(zeroAddress, alice, ids, amount);
  }

  converted(indexes: bigint, amount: bigint, freed: bigint): this {
    const args = { owner: alice, eventId: EVENT };
    const data = encodeAbiParameters([word, word, word], [indexes, amount, freed]);
    return this.#add(encodeEventTopics({ abi, eventName: 'PositionsConverted', args }), data);
  }

  divided(
    eventName: 'PositionSplit' | 'PositionsMerge',
    parts: readonly bigint[],
    amount: bigint,
    parent: Hex = zeroHash,
  ): this {
    const args = { stakeholder: alice, parentCollectionId: parent, conditionId: EVENT };
    const data = encodeAbiParameters([{ type: 'address' }, words, word], [MARKETS[0]!.stablecoin, [...parts], amount]);
    return this.#add(encodeEventTopics({ abi, eventName, args }), data);
  }

  redeemed(sets: readonly bigint[], payout: bigint): this {
    const args = { redeemer: alice, collateralToken: MARKETS[0]!.stablecoin, parentCollectionId: zeroHash };
    const data = encodeAbiParameters([{ type: 'bytes32' }, words, word], [EVENT, [...sets], payout]);
    return this.#add(encodeEventTopics({ abi, eventName: 'PayoutRedemption', args }), data);
  }
}

interface Followed {
  readonly markets?: readonly MarketFacts[];
  readonly resolutionOf?: (index: number) => MarketResolution;
}

async function follow(logs: Logs, { markets = MARKETS, resolutionOf }: Followed = {}) {
  const engine = new Engine();
  const noted: (SharesMoved | PayoutRedeemed)[] = [];
  let frames = 0;
  const context = createContext({
    chain: { contracts: { settlement, conditionalTokens } },
    reads: new ChainReads(engine, 31337),
    note: async (...records: readonly (SharesMoved | PayoutRedeemed)[]) => {
      noted.push(...records);
      frames++;
    },
  });
  const follower = new ShareFollower(context);
  const list = (market: MarketFacts) => {
    engine.apply({ type: 'list-market', timeMs: 2, market });
    const resolution = resolutionOf?.(market.event!.index);
    const { marketId } = market;
    if (resolution !== undefined) engine.apply({ type: 'change-resolution', timeMs: 2, marketId, resolution });
  };
  for (const market of markets) list(market);
  const block = { blockNumber: 7, blockHash: zeroHash, parentHash: zeroHash, timestamp: 1_007, logs: logs.all };
  await follower.read(block as WatchedBlock)?.();
  return { noted, frames, follower, list };
}

/** Index, cause, YES and NO of each record. */
function draw(noted: readonly (SharesMoved | PayoutRedeemed)[]) {
  return noted.map((record) => {
    const index = MARKETS.findIndex(({ marketId }) => marketId === record.marketId);
    const what = record.type === 'payout-redeemed' ? `pays ${record.payout}` : record.cause;
    return `${index} ${what} ${record.yesShares} ${record.noShares}`;
  });
}

/** The same with the wallet. */
function drawWallets(noted: readonly (SharesMoved | PayoutRedeemed)[]) {
  const names = { [alice]: 'alice', [bob]: 'bob', [carol]: 'carol' };
  return draw(noted).map((line, index) => `${names[noted[index]!.userAddress]} ${line}`);
}

/** Each log of a transaction tells of a wallet's shares in a market once. */
function expectOwnPlaces(noted: readonly (SharesMoved | PayoutRedeemed)[]): void {
  const places = noted.map(({ userAddress, marketId, logIndex }) => `${userAddress} ${marketId} ${logIndex}`);
  expect(new Set(places).size).toBe(places.length);
}

describe('the shares of an event', () => {
  it('are converted in every market that they are of, though the log stands between the transfers', async () => {
    const logs = new Logs()
      .burns([no(0), no(2)], 5n)
      .converted(0b0101n, 5n, 5n)
      .mints([yes(1), yes(3)], 5n);
    const { noted, frames } = await follow(logs);
    expect(draw(noted)).toEqual(['0 conversion 0 -5', '1 conversion 5 0', '2 conversion 0 -5', '3 conversion 5 0']);
    expect(frames, 'a reader between two of them would see shares that are gone and none that came').toBe(1);
    const conversion = { gave: '5', got: '10', freed: '5' };
    expect(noted).toMatchObject(noted.map(() => ({ logIndex: 1, userAddress: alice, conversion })));
  });

  it('are split and merged as in any market where a partition is YES and NO of one outcome', async () => {
    const logs = new Logs().mints([yes(1), no(1)], 4n).divided('PositionSplit', [0b0010n, 0b1101n], 4n);
    logs.burns([no(1), yes(1)], 3n).divided('PositionsMerge', [0b1101n, 0b0010n], 3n);
    expect(draw((await follow(logs)).noted)).toEqual(['1 split 4 4', '1 merge -3 -3']);
  });

  it('are split by the wallet that pays, though others get them', async () => {
    const logs = new Logs().moves(zeroAddress, bob, [yes(1)], 4n).moves(zeroAddress, carol, [no(1)], 4n);
    const { noted } = await follow(logs.divided('PositionSplit', [0b0010n, 0b1101n], 4n));
    expect(drawWallets(noted)).toEqual([
      'alice 1 split 4 4',
      'bob 1 transfer 4 0',
      'carol 1 transfer 0 4',
      'alice 1 transfer -4 -4',
    ]);
    expectOwnPlaces(noted);
  });

  it('are split and merged for what the log says, whatever else the same transaction moved before', async () => {
    const split = new Logs().moves(alice, bob, [yes(1)], 2n).mints([yes(1), no(1)], 4n);
    split.moves(alice, bob, [yes(1)], 1n).divided('PositionSplit', [0b0010n, 0b1101n], 4n);
    const after = (await follow(split)).noted;
    expect(drawWallets(after)).toEqual(['alice 1 split 4 4', 'alice 1 transfer -3 0', 'bob 1 transfer 3 0']);
    expectOwnPlaces(after);
    const merge = new Logs().moves(bob, alice, [no(1)], 5n).burns([yes(1), no(1)], 3n);
    const { noted } = await follow(merge.divided('PositionsMerge', [0b0010n, 0b1101n], 3n));
    expect(drawWallets(noted)).toEqual(['alice 1 merge -3 -3', 'bob 1 transfer 0 -5', 'alice 1 transfer 0 5']);
  });

  it('are converted where collateral, or NO of one outcome, is split into single outcomes, and merged back', async () => {
    const singles = [0b0001n, 0b0010n, 0b0100n, 0b1000n];
    const split = new Logs().mints([0, 1, 2, 3].map(yes), 6n).divided('PositionSplit', singles, 6n);
    const all = await follow(split);
    expect(draw(all.noted)).toEqual([0, 1, 2, 3].map((index) => `${index} conversion 6 0`));
    expect(all.noted[0]).toMatchObject({ conversion: { gave: '0', got: '15', freed: '-6' } });
    const merged = new Logs().burns([yes(0), yes(1), yes(3)], 2n).mints([no(2)], 2n);
    const back = await follow(merged.divided('PositionsMerge', [0b0001n, 0b0010n, 0b1000n], 2n));
    expect(draw(back.noted)).toEqual([
      '0 conversion -2 0',
      '1 conversion -2 0',
      '2 conversion 0 2',
      '3 conversion -2 0',
    ]);
    expect(back.noted[0]).toMatchObject({ conversion: { gave: '11', got: '4', freed: '0' } });
  });

  it('count as transferred where positions of no market are involved, or deeper ones', async () => {
    const pair = new Logs().burns([yes(0), yes(1)], 2n).divided('PositionsMerge', [0b0001n, 0b0010n], 2n);
    expect(draw((await follow(pair)).noted)).toEqual(['0 transfer -2 0', '1 transfer -2 0']);
    const coarse = await follow(new Logs().divided('PositionSplit', [0b0011n, 0b1100n], 7n));
    expect(draw(coarse.noted)).toEqual(['0 conversion 0 0']);
    expect(coarse.noted[0]).toMatchObject({ conversion: { gave: '0', got: '0', freed: '-7' } });
    const deep = new Logs().divided('PositionSplit', [0b0001n, 0b0010n, 0b0100n, 0b1000n], 2n, toHex(1, { size: 32 }));
    expect(draw((await follow(deep)).noted)).toEqual([]);
  });

  it('that came without a conversion in the same transaction have a place of their own', async () => {
    const logs = new Logs()
      .mints([yes(0), yes(1), 7n], 3n)
      .divided('PositionSplit', [0b0001n, 0b0010n, 0b1100n], 3n)
      .mints([no(2)], 2n)
      .burns([no(2)], 1n)
      .converted(0b0100n, 1n, 0n)
      .mints([yes(0), yes(1), yes(3)], 1n);
    const { noted } = await follow(logs);
    const places = noted.map(({ marketId, logIndex }) => `${marketId} ${logIndex}`);
    expect(new Set(places).size).toBe(places.length);
    expect(draw(noted)).toEqual([
      '0 conversion 0 0',
      '0 conversion 1 0',
      '1 conversion 1 0',
      '2 conversion 0 -1',
      '3 conversion 1 0',
      '0 transfer 3 0',
      '1 transfer 3 0',
      '2 transfer 0 2',
    ]);
  });

  it('wait for their market where they are YES and NO of one that is not listed', async () => {
    const logs = new Logs().mints([yes(2), no(2)], 4n).divided('PositionSplit', [0b0100n, 0b1011n], 4n);
    const { noted, follower, list } = await follow(logs, { markets: MARKETS.slice(0, 2) });
    expect(noted).toEqual([]);
    list(MARKETS[2]!);
    await follower.readLate()?.();
    expect(draw(noted)).toEqual(['2 split 4 4']);
  });

  it('have collateral of positions of no market noted once, though the event is listed later', async () => {
    const logs = new Logs().mints([7n, 8n], 7n).divided('PositionSplit', [0b0011n, 0b1100n], 7n);
    const { noted, follower, list } = await follow(logs, { markets: [] });
    expect(noted).toEqual([]);
    for (const market of MARKETS) {
      list(market);
      await follower.readLate()?.();
    }
    expect(draw(noted)).toEqual(['0 conversion 0 0']);
  });

  it('are redeemed in each market for its part of the payout, rounded down one by one', async () => {
    const resolutionOf = (): MarketResolution => ({
      status: 'void',
      round: 1,
      history: [],
      payouts: [1, 3],
      payoutDenominator: 4,
      resolvedAt: POINT,
    });
    const logs = new Logs()
      .burns([yes(0)], 7n)
      .burns([no(0)], 2n)
      .burns([no(3)], 5n);
    const { noted } = await follow(logs.redeemed([0b0001n, ALL ^ 0b0001n, ALL ^ 0b1000n], 5n), { resolutionOf });
    expect(draw(noted)).toEqual(['0 pays 2 7 2', '3 pays 3 0 5']);
    expect(noted).toMatchObject(noted.map(() => ({ winningOutcome: -1 })));
  });

  it('are redeemed for what was burned, whatever else the same transaction moved before', async () => {
    const payouts = [1_000_000, 0] as const;
    const resolutionOf = (): MarketResolution => ({
      status: 'resolved',
      round: 1,
      history: [],
      payouts,
      winningOutcome: 0,
      resolvedAt: POINT,
    });
    const logs = new Logs()
      .moves(bob, alice, [yes(0)], 5n)
      .burns([yes(0)], 15n)
      .redeemed([0b0001n], 15n)
      .moves(bob, alice, [yes(0)], 2n);
    const { noted } = await follow(logs, { resolutionOf });
    expect(drawWallets(noted)).toEqual(['alice 0 pays 15 15 0', 'bob 0 transfer -7 0', 'alice 0 transfer 7 0']);
    expectOwnPlaces(noted);
  });

  it('are noted of an outcome that is listed later, once it is', async () => {
    const logs = new Logs()
      .burns([no(0), no(1)], 5n)
      .converted(0b0011n, 5n, 5n)
      .mints([yes(2), yes(3)], 5n);
    const { noted, follower, list } = await follow(logs, { markets: MARKETS.slice(0, 3) });
    expect(draw(noted)).toEqual(['0 conversion 0 -5', '1 conversion 0 -5', '2 conversion 5 0']);
    list(MARKETS[3]!);
    await follower.readLate()?.();
    expect(draw(noted).slice(3)).toEqual(['3 conversion 5 0']);
  });
});
