// Results that are proposed: of an event all markets learn at once, and of a market that is listed later than it was created nothing is missed.
import type { WatchedBlock, WatchedLog } from '@presage/chain';
import { marketAbi, optimisticOracleAbi } from '@presage/contracts';
import { conditionOf, type Hex, type MarketFacts, NO, resolverOf, YES } from '@presage/protocol';
import { eventFacts, MemoryJournal, MemoryStorage, marketFacts } from '@presage/testkit';
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
const SINGLE = marketFacts({ chainId: 31337 });
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
    const context = createContext({ chain: { chainId: 31337, contracts, confirmations: 3 }, reads, commands });
    return new Settler(host, new ResolutionFollower(context));
  }

  async list(markets: readonly MarketFacts[]): Promise<void> {
    for (const market of markets) await this.#host.submit({ type: 'list-market', market });
  }

  async follow(...blocks: readonly WatchedBlock[]): Promise<void> {
    for (const block of blocks) await this.#follower.read(block)?.();
  }

  rewind(toBlock: number): Promise<void> {
    return this.#follower.rewind(toBlock);
  }

  /** The first block that must be delivered again after a restart. */
  get waitsSince(): number | undefined {
    return this.#follower.waitsSince();
  }

  /** The outcome that each market says was proposed. */
  proposed(markets: readonly MarketFacts[] = MARKETS) {
    return markets.map(({ marketId }) => this.#host.reads.market(marketId)?.resolution?.assertion?.proposedOutcome);
  }
}

/** A block in which a result of a market, or of its event, is proposed; without a market an empty one. */
function blockOf(blockNumber: number, market?: MarketFacts, result = 0): WatchedBlock {
  const logs = market === undefined ? [] : proposalOf(market, result);
  return { blockNumber, blockHash: zeroHash, parentHash: zeroHash, timestamp: 1_000 + blockNumber, logs };
}

function proposalOf(market: MarketFacts, result: number): WatchedLog[] {
  const log = (address: Hex, topics: unknown, data: Hex, logIndex: number) =>
    ({ address, topics, data, logIndex, transactionHash: zeroHash }) as unknown as WatchedLog;
  const made = encodeEventTopics({
    abi: optimisticOracleAbi,
    eventName: 'AssertionMade',
    args: { assertionId: ASSERTION, asserter: PROPOSER, identifier: zeroHash },
  });
  const terms = encodeAbiParameters(
    ['bytes32', 'bytes', 'address', 'address', 'address', 'uint64', 'address', 'uint256'].map((type) => ({ type })),
    [conditionOf(market), '0x', zeroAddress, zeroAddress, zeroAddress, 9_000n, zeroAddress, 5n],
  );
  const proposed = encodeEventTopics({
    abi: marketAbi,
    eventName: 'ResolutionProposed',
    args: { assertionId: ASSERTION, proposer: PROPOSER, bondPayer: PROPOSER },
  });
  const data = encodeAbiParameters(
    ['uint8', 'uint32', 'uint64'].map((type) => ({ type })),
    [result, 1, 9_000n],
  );
  return [log(ORACLE, made, terms, 0), log(resolverOf(market), proposed, data, 1)];
}

/** Ben is proposed as the winner. */
const BEN = blockOf(7, MARKETS[1], 1);

describe('the proposed result of an event', () => {
  it('is told to all of its markets in one frame', async () => {
    const storage = new MemoryStorage('m0');
    const settler = await Settler.open(storage);
    await settler.list(MARKETS);
    const before = storage.frames.length;
    await settler.follow(BEN);
    expect(settler.proposed()).toEqual([NO, YES, NO]);
    expect(storage.frames.length - before).toBe(1);
  });

  it.each([0, 1, 2])('is the same for all after a kill with %i frames of it written', async (written) => {
    const storage = new MemoryStorage('m0');
    const killed = await Settler.open(storage);
    await killed.list(MARKETS);
    const first = storage.frames.length;
    await killed.follow(BEN);
    storage.frames.splice(first + written);
    const settler = await Settler.open(storage);
    await settler.follow(BEN);
    expect(settler.proposed()).toEqual([NO, YES, NO]);
  });
});

describe('a result that is proposed before its market is listed', () => {
  it('is known once the market is listed', async () => {
    const settler = await Settler.open(new MemoryStorage('m0'));
    await settler.follow(blockOf(7), blockOf(8, SINGLE, YES));
    await settler.list([SINGLE]);
    await settler.follow(blockOf(9));
    expect(settler.proposed([SINGLE])).toEqual([YES]);
  });

  it('is known to the outcome that it names, though others of the event knew of it before', async () => {
    const settler = await Settler.open(new MemoryStorage('m0'));
    const [ann, ben, cid] = MARKETS as [MarketFacts, MarketFacts, MarketFacts];
    await settler.list([ann]);
    await settler.follow(BEN);
    await settler.list([ben, cid]);
    await settler.follow(blockOf(8));
    expect(settler.proposed()).toEqual([NO, YES, NO]);
  });

  it('has its block delivered again after a restart, until no market of it can be listed any more', async () => {
    const settler = await Settler.open(new MemoryStorage('m0'));
    await settler.follow(blockOf(7, SINGLE), blockOf(8));
    expect(settler.waitsSince).toBe(7);
    await settler.follow(blockOf(9), blockOf(10));
    expect(settler.waitsSince).toBeUndefined();
  });

  it('is forgotten when its block leaves the chain', async () => {
    const settler = await Settler.open(new MemoryStorage('m0'));
    await settler.follow(blockOf(7), blockOf(8, SINGLE));
    await settler.rewind(7);
    await settler.list([SINGLE]);
    await settler.follow(blockOf(8));
    expect(settler.proposed([SINGLE])).toEqual([undefined]);
  });
});
