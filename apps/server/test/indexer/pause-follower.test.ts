// Pauses of markets are taken from the settlement contract alone, leave with their blocks, and are noted once however often a block comes.
import type { WatchedBlock, WatchedLog } from '@presage/chain';
import { presageSettlementAbi } from '@presage/contracts';
import { type Address, type Hex, type MarketId, type PauseNote, ZERO_ADDRESS } from '@presage/protocol';
import { encodeAbiParameters, encodeEventTopics, padHex, toHex } from 'viem';
import { describe, expect, it } from 'vitest';
import { MarketPauses } from '../../src/chains/market-pauses.ts';
import { PauseFollower } from '../../src/indexer/pause-follower.ts';
import { createContext } from '../chain-context.ts';

const settlement = `0x${'aa'.repeat(20)}` as const;
const [one, two] = [padHex('0x01', { size: 32 }), padHex('0x02', { size: 32 })] as [MarketId, MarketId];

function log(marketId: MarketId, isPaused: boolean, address: Address = settlement): WatchedLog {
  const args = { marketId, account: ZERO_ADDRESS };
  const topics = encodeEventTopics({ abi: presageSettlementAbi, eventName: 'MarketPaused', args }) as Hex[];
  const data = encodeAbiParameters([{ type: 'bool' }], [isPaused]);
  const transactionHash = toHex(7, { size: 32 });
  return { address, topics, data, blockHash: transactionHash, transactionHash, logIndex: 0 };
}

function block(blockNumber: number, ...logs: WatchedLog[]): WatchedBlock {
  const hash = toHex(blockNumber, { size: 32 });
  return { blockNumber, blockHash: hash, parentHash: hash, timestamp: blockNumber, logs };
}

function openFollower() {
  const pauses = new MarketPauses();
  const notes: PauseNote[] = [];
  let resumed = 0;
  const notePause = async (note: PauseNote) => {
    notes.push(note);
    pauses.apply(note);
  };
  const context = createContext({ chain: { contracts: { settlement } } });
  const onResumed = () => void resumed++;
  const follower = new PauseFollower(context, { pauses, journal: { notePause }, onResumed });
  const follow = async (each: WatchedBlock) => {
    const write = follower.read(each);
    await write?.();
    return write !== undefined;
  };
  return { pauses, notes, follower, follow, resumed: () => resumed };
}

describe('a market', () => {
  it('is paused until it is resumed, and who waits for it is woken then', async () => {
    const { follow, pauses, resumed } = openFollower();
    expect(await follow(block(1))).toBe(false);
    await follow(block(2, log(one, true)));
    expect([pauses.paused(), resumed()]).toEqual([[one], 0]);
    await follow(block(3, log(one, false), log(two, true)));
    expect([pauses.paused(), resumed()]).toEqual([[two], 1]);
  });

  it('is not paused by what another contract says', async () => {
    const { follow, pauses } = openFollower();
    expect(await follow(block(2, log(one, true, ZERO_ADDRESS)))).toBe(false);
    expect(pauses.isPaused(one)).toBe(false);
  });

  it('goes on when the block of its pause leaves the chain, and is paused again when it comes again', async () => {
    const { follower, follow, pauses, resumed } = openFollower();
    await follow(block(2, log(one, true)));
    await follower.rewind(2);
    expect([pauses.isPaused(one), resumed()]).toEqual([true, 0]);
    await follower.rewind(1);
    expect([pauses.isPaused(one), resumed()]).toEqual([false, 1]);
    await follow(block(2, log(one, true)));
    expect(pauses.isPaused(one)).toBe(true);
  });

  it('is noted once however often its block comes', async () => {
    const { follow, pauses, notes } = openFollower();
    const blocks = [block(2, log(one, true), log(one, false), log(one, true)), block(3, log(one, false))];
    for (const each of blocks) await follow(each);
    const before = structuredClone(notes);
    for (const each of blocks) expect(await follow(each)).toBe(false);
    expect([notes, pauses.isPaused(one)]).toEqual([before, false]);
    const restored = new MarketPauses();
    for (const note of pauses.notes()) restored.apply(note);
    expect(restored.notes()).toEqual(pauses.notes());
  });
});
