// Halts are known before their orders are cancelled, are taken from the settlement contract alone, and leave with their blocks.
import type { WatchedBlock, WatchedLog } from '@presage/chain';
import { presageSettlementAbi } from '@presage/contracts';
import type { OrderView } from '@presage/engine';
import {
  type Address,
  type HaltNote,
  type Hex,
  type JournalRecord,
  PresageError,
  ZERO_ADDRESS,
} from '@presage/protocol';
import { waitFor } from '@presage/testkit';
import { encodeAbiParameters, encodeEventTopics, toHex } from 'viem';
import { expect, it } from 'vitest';
import { TradingHalts } from '../../src/chains/trading-halts.ts';
import { HaltFollower } from '../../src/indexer/halt-follower.ts';
import { createContext } from '../chain-context.ts';

const settlement = `0x${'aa'.repeat(20)}` as const;
const [alice, bob] = [`0x${'01'.repeat(20)}`, `0x${'02'.repeat(20)}`] as [Address, Address];
const chainId = 31337;

function log(
  eventName: 'TradingHalted' | 'TradingResumed',
  trader: Address,
  address: Address = settlement,
): WatchedLog {
  const topics = encodeEventTopics({ abi: presageSettlementAbi, eventName, args: { trader } }) as Hex[];
  const data = eventName === 'TradingHalted' ? encodeAbiParameters([{ type: 'uint64' }], [900n]) : '0x';
  const transactionHash = toHex(7, { size: 32 });
  return { address, topics, data, blockHash: transactionHash, transactionHash, logIndex: 0 };
}

function block(blockNumber: number, ...logs: WatchedLog[]): WatchedBlock {
  const hash = toHex(blockNumber, { size: 32 });
  return { blockNumber, blockHash: hash, parentHash: hash, timestamp: blockNumber, logs };
}

function openFollower(cancel: () => Promise<void> = async () => undefined) {
  const halts = new TradingHalts();
  const notes: HaltNote[] = [];
  const cancelled: [Address, number, number | undefined][] = [];
  const commands = {
    cancelHalted: async (trader: Address, on: number) => {
      cancelled.push([trader, on, halts.effectiveAfter(trader)]);
      await cancel();
    },
  };
  const noteHalt = async (note: HaltNote) => {
    notes.push(note);
    halts.apply(note);
  };
  // An order's hash names its trader.
  const reads = { order: (trader: string) => ({ signed: { order: { trader } } }) };
  const context = createContext({ chain: { chainId, contracts: { settlement } }, commands, reads, pollMs: 1 });
  const follower = new HaltFollower(context, halts, { noteHalt });
  const follow = async (each: WatchedBlock) => {
    const write = follower.read(each);
    await write?.();
    return write !== undefined;
  };
  return { halts, cancelled, notes, follower, follow };
}

it('a halt is known, then the orders of its trader on this chain are cancelled; a resumption cancels nothing', async () => {
  const { follower, follow, halts, cancelled } = openFollower();
  expect(await follow(block(1))).toBe(false);
  expect(await follow(block(2, log('TradingHalted', alice)))).toBe(true);
  expect(cancelled).toEqual([[alice, chainId, 900]]);
  expect(await follow(block(3, log('TradingResumed', alice), log('TradingHalted', bob)))).toBe(true);
  expect([halts.effectiveAfter(alice), halts.effectiveAfter(bob)]).toEqual([undefined, 900]);
  expect(cancelled).toHaveLength(2);
  await follower.rewind(2);
  expect([halts.effectiveAfter(alice), halts.effectiveAfter(bob)]).toEqual([900, undefined]);
});

it('an order of a halted trader that another node passed on meanwhile is cancelled', async () => {
  const { follower, follow, cancelled } = openFollower();
  const accepted = (trader: Address) => ({ type: 'order-accepted', order: { trader } }) as JournalRecord;
  await follow(block(2, log('TradingHalted', alice)));
  cancelled.length = 0;
  follower.follow(accepted(bob));
  expect(cancelled).toEqual([]);
  follower.follow(accepted(alice));
  expect(cancelled).toEqual([[alice, chainId, 900]]);
});

it('an order of a halted trader that a failed fill brought back is cancelled', async () => {
  const { follower, follow, cancelled } = openFollower();
  const restored = (trader: Address) => ({ type: 'order-restored', orderHash: trader as string }) as JournalRecord;
  await follow(block(2, log('TradingHalted', alice)));
  cancelled.length = 0;
  follower.follow(restored(bob));
  expect(cancelled).toEqual([]);
  follower.follow(restored(alice));
  expect(cancelled).toEqual([[alice, chainId, 900]]);
});

it('what another contract says of a trader is nothing', async () => {
  const { follow, halts, cancelled } = openFollower();
  expect(await follow(block(2, log('TradingHalted', alice, ZERO_ADDRESS)))).toBe(false);
  expect([halts.effectiveAfter(alice), cancelled]).toEqual([undefined, []]);
});

it('a block that comes again changes nothing, and cancels only while its trader is halted', async () => {
  const { follow, halts, cancelled, notes } = openFollower();
  const blocks = [
    block(2, log('TradingHalted', alice), log('TradingResumed', alice), log('TradingHalted', alice)),
    block(3, log('TradingResumed', alice), log('TradingHalted', bob)),
  ];
  for (const each of blocks) await follow(each);
  const before = structuredClone({ notes, halts: halts.notes() });
  cancelled.length = 0;
  for (const each of blocks) {
    await follow(each);
    expect([halts.effectiveAfter(alice), halts.effectiveAfter(bob)]).toEqual([undefined, 900]);
  }
  expect({ notes, halts: halts.notes() }).toEqual(before);
  expect(cancelled.map(([trader]) => trader)).toEqual([bob]);
});

it('an order of a halted trader that an earlier run left in the book is cancelled, as soon as the journal takes it', async () => {
  let failures = 0;
  const { follower, follow, cancelled } = openFollower(async () => {
    if (failures-- > 0) throw new PresageError('partition_unavailable');
  });
  await follow(block(2, log('TradingHalted', alice)));
  cancelled.length = 0;
  failures = 2;
  follower.checkAll([alice, bob, alice].map((trader) => ({ signed: { order: { trader } } }) as OrderView));
  await waitFor('the third attempt', () => cancelled.length === 3);
  await follower.close();
  expect(cancelled).toEqual(Array(3).fill([alice, chainId, 900]));
});
