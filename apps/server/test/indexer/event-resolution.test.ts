// What is said of an event concerns all of its markets: readers see all of it or nothing, and a kill in between leaves no half.
import type { WatchedBlock, WatchedLog } from '@presage/chain';
import { marketAbi, optimisticOracleAbi } from '@presage/contracts';
import { type Hex, type MarketFacts, NO, YES } from '@presage/protocol';
import { eventFacts, MemoryJournal, MemoryStorage } from '@presage/testkit';
import { encodeAbiParameters, encodeEventTopics, zeroAddress, zeroHash } from 'viem';
import { describe, expect, it } from 'vitest';
import { ChainReads } from '../../src/chains/chain-reads.ts';
import { Host } from '../../src/host/host.ts';
import { HostCommands } from '../../src/host/host-commands.ts';
import { PartitionLog } from '../../src/host/partition-log.ts';
import { ResolutionFollower } from '../../src/indexer/resolution-follower.ts';
import { createContext } from '../chain-context.ts';

const ORACLE = `0x${'cc'.repeat(20)}` as const;
const PROPOSER = `0x${'01'.repeat(20)}` as const;
const ASSERTION = `0x${'a5'.repeat(32)}` as const;
const MARKETS = eventFacts(['Ann', 'Ben', 'Cid'], 'e1', { chainId: 31337 });
const EVENT = MARKETS[0]!.event!;
const nowMs = () => 1_000;

class Settler {
  readonly #host: Host;
  readonly #follower: ResolutionFollower;

  private constructor(host: Host, follower: ResolutionFollower) {
    this.#host = host;
    this.#follower = follower;
  }

  static async open(storage: MemoryStorage): Promise<Settler> {
    const journal = await MemoryJournal.open({ storage, takeOver: true });
    const log = await PartitionLog.open({ journal, nowMs, onFatal: () => undefined });
    const host = await Host.open({ log, nowMs });
    const commands = new HostCommands([host]);
    const reads = new ChainReads(host.reads, 31337);
    const contracts = { oracle: ORACLE, conditionalTokens: zeroAddress };
    const context = createContext({ chain: { chainId: 31337, contracts }, reads, commands });
    return new Settler(host, new ResolutionFollower(context));
  }

  async list(markets: readonly MarketFacts[]): Promise<void> {
    for (const market of markets) await this.#host.submit({ type: 'list-market', market });
  }

  async follow(block: WatchedBlock): Promise<void> {
    await this.#follower.read(block)?.();
  }

  /** The outcome that each market says was proposed. */
  proposed() {
    return MARKETS.map(({ marketId }) => this.#host.reads.market(marketId)?.resolution?.assertion?.proposedOutcome);
  }
}

/** A block in which Ben is proposed as the winner. */
function proposalOfBen(): WatchedBlock {
  const place = { transactionHash: zeroHash, blockNumber: 7 };
  const log = (address: Hex, topics: unknown, data: Hex, logIndex: number) =>
    ({ address, topics, data, logIndex, ...place }) as unknown as WatchedLog;
  const made = encodeEventTopics({
    abi: optimisticOracleAbi,
    eventName: 'AssertionMade',
    args: { assertionId: ASSERTION, asserter: PROPOSER, identifier: zeroHash },
  });
  const terms = encodeAbiParameters(
    ['bytes32', 'bytes', 'address', 'address', 'address', 'uint64', 'address', 'uint256'].map((type) => ({ type })),
    [EVENT.id, '0x', zeroAddress, zeroAddress, zeroAddress, 9_000n, zeroAddress, 5n],
  );
  const proposal = encodeEventTopics({
    abi: marketAbi,
    eventName: 'ResolutionProposed',
    args: { assertionId: ASSERTION, proposer: PROPOSER, bondPayer: PROPOSER },
  });
  const result = encodeAbiParameters(
    ['uint8', 'uint32', 'uint64'].map((type) => ({ type })),
    [1, 1, 9_000n],
  );
  const logs = [log(ORACLE, made, terms, 0), log(EVENT.contractAddress, proposal, result, 1)];
  return { blockNumber: 7, blockHash: zeroHash, parentHash: zeroHash, timestamp: 1_007, logs };
}

describe('the proposed result of an event', () => {
  it('is told to all of its markets in one frame', async () => {
    const storage = new MemoryStorage('m0');
    const settler = await Settler.open(storage);
    await settler.list(MARKETS);
    const before = storage.frames.length;
    await settler.follow(proposalOfBen());
    expect(settler.proposed()).toEqual([NO, YES, NO]);
    expect(storage.frames.length - before).toBe(1);
  });

  it.each([0, 1, 2])('is the same for all after a kill with %i frames of it written', async (written) => {
    const storage = new MemoryStorage('m0');
    const killed = await Settler.open(storage);
    await killed.list(MARKETS);
    const first = storage.frames.length;
    await killed.follow(proposalOfBen());
    storage.frames.splice(first + written);
    const settler = await Settler.open(storage);
    await settler.follow(proposalOfBen());
    expect(settler.proposed()).toEqual([NO, YES, NO]);
  });
});
