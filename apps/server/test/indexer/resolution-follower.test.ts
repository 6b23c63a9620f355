// An outcome that is listed after a result of its event was proposed, or known, learns of it; what nobody else knows of is not kept.
import type { WatchedBlock, WatchedLog } from '@presage/chain';
import { conditionalTokensWithPermitAbi, marketAbi, optimisticOracleAbi } from '@presage/contracts';
import { Engine } from '@presage/engine';
import { type Assertion, conditionOf, type MarketId, type MarketResolution } from '@presage/protocol';
import { eventFacts } from '@presage/testkit';
import { encodeAbiParameters, encodeEventTopics, type Hex, toHex, zeroHash } from 'viem';
import { expect, it } from 'vitest';
import { ChainReads } from '../../src/chains/chain-reads.ts';
import { ResolutionFollower } from '../../src/indexer/resolution-follower.ts';
import { createContext } from '../chain-context.ts';

const MARKETS = eventFacts(['Ann', 'Ben', 'Cid'], 'e1', { chainId: 31337 });
const POINT = { transactionHash: zeroHash, blockNumber: 1, blockHash: zeroHash };
const WALLET = `0x${'01'.repeat(20)}` as const;
const EMPTY = { blockNumber: 7, blockHash: zeroHash, parentHash: zeroHash, timestamp: 1_007, logs: [] };

function proposed(outcome: 0 | 1 | 2): MarketResolution {
  const assertion: Assertion = {
    id: zeroHash,
    proposer: WALLET,
    bondPayer: WALLET,
    bondAmount: '5',
    assertionTime: 1,
    expirationTime: 2,
    disputed: false,
    settled: false,
    settlementResolution: false,
    proposedAt: POINT,
    proposedOutcome: outcome,
  };
  return { status: 'proposed', round: 1, history: [], assertion };
}

/**
 * The first two outcomes are listed and have `said`; then the third is listed, and a block without logs comes, of which the journal refuses what it
 * tells, and comes again, and another.
 */
async function listLate(said: readonly [MarketResolution, MarketResolution]) {
  const engine = new Engine();
  const changes: { marketId: MarketId; resolution: MarketResolution }[] = [];
  let refusals = 1;
  const context = createContext({
    reads: new ChainReads(engine, 31337),
    commands: {
      changeResolutions: async (changed: ReadonlyMap<MarketId, MarketResolution>) => {
        if (refusals-- > 0) throw new Error('the disk is full');
        for (const [marketId, resolution] of changed) {
          engine.apply({ type: 'change-resolution', timeMs: 3, marketId, resolution });
          changes.push({ marketId, resolution });
        }
      },
    },
  });
  const follower = new ResolutionFollower(context);
  for (const [index, market] of MARKETS.entries()) {
    engine.apply({ type: 'list-market', timeMs: 2, market });
    const resolution = said[index];
    if (resolution === undefined) continue;
    engine.apply({ type: 'change-resolution', timeMs: 2, marketId: market.marketId, resolution });
  }
  const next = EMPTY as unknown as WatchedBlock;
  await expect(follower.read(next)?.()).rejects.toThrow('the disk is full');
  for (let block = 0; block < 2; block++) await follower.read(next)?.();
  expect(changes.map(({ marketId }) => marketId)).toEqual([MARKETS[2]!.marketId]);
  return changes[0]!.resolution;
}

it('that another outcome is said to have won', async () => {
  const inherited = await listLate([proposed(1), proposed(0)]);
  expect(inherited).toMatchObject({ status: 'proposed', round: 1, assertion: { proposedOutcome: 1 } });
});

it('that all are said to pay the same', async () => {
  expect(await listLate([proposed(2), proposed(2)])).toMatchObject({ assertion: { proposedOutcome: 2 } });
});

it('that another outcome has won', async () => {
  const won = { status: 'resolved', payouts: [1_000_000, 0], winningOutcome: 0, resolvedAt: POINT } as const;
  const lost = { status: 'resolved', payouts: [0, 1_000_000], winningOutcome: 1, resolvedAt: POINT } as const;
  const inherited = await listLate([
    { ...proposed(0), ...won },
    { ...proposed(1), ...lost },
  ]);
  expect(inherited).toMatchObject({ ...lost, assertion: { proposedOutcome: 1 } });
});

const ORACLE = `0x${'aa'.repeat(20)}` as const;

function logOf(address: Hex, topics: readonly (Hex | Hex[] | null)[], data: Hex): WatchedLog {
  return { address, topics, data, transactionHash: zeroHash, logIndex: 0 } as unknown as WatchedLog;
}

/** What a market, or anybody in its place, says of an assertion. */
function proposedBy(address: Hex, assertionId: Hex): WatchedLog {
  const args = { assertionId, proposer: WALLET, bondPayer: WALLET };
  const data = encodeAbiParameters([{ type: 'uint8' }, { type: 'uint32' }, { type: 'uint64' }], [0, 1, 9n]);
  return logOf(address, encodeEventTopics({ abi: marketAbi, eventName: 'ResolutionProposed', args }), data);
}

const TOKENS = `0x${'bb'.repeat(20)}` as const;

/** The first of three outcomes pays. */
function resolvedTo(conditionId: Hex): WatchedLog {
  const args = { conditionId, oracle: ORACLE, questionId: zeroHash };
  const data = encodeAbiParameters([{ type: 'uint256' }, { type: 'uint256[]' }], [3n, [1n, 0n, 0n]]);
  const abi = conditionalTokensWithPermitAbi;
  return logOf(TOKENS, encodeEventTopics({ abi, eventName: 'ConditionResolution', args }), data);
}

function settledByOracle(assertionId: Hex): WatchedLog {
  const args = { assertionId, bondRecipient: WALLET };
  const data = encodeAbiParameters([{ type: 'bool' }, { type: 'bool' }, { type: 'address' }], [false, true, WALLET]);
  return logOf(ORACLE, encodeEventTopics({ abi: optimisticOracleAbi, eventName: 'AssertionSettled', args }), data);
}

it('that anybody proposes is kept for a listing only where the oracle speaks of it', () => {
  const engine = new Engine();
  const addresses = { oracle: ORACLE };
  const reads = new ChainReads(engine, 31337);
  for (const market of MARKETS) engine.apply({ type: 'list-market', timeMs: 2, market });
  const { marketId, event } = MARKETS[0]!;
  engine.apply({ type: 'change-resolution', timeMs: 2, marketId, resolution: proposed(0) });
  const follower = new ResolutionFollower(createContext({ chain: { confirmations: 5 }, addresses, reads }));
  const read = (blockNumber: number, ...logs: WatchedLog[]) =>
    follower.read({ ...EMPTY, blockNumber, logs } as unknown as WatchedBlock);
  const [told, madeUp] = [toHex(1, { size: 32 }), toHex(2, { size: 32 })];
  read(7, proposedBy(WALLET, madeUp), proposedBy(WALLET, zeroHash));
  expect(follower.waitsSince()).toBeUndefined();
  read(8, settledByOracle(told), proposedBy(WALLET, told));
  expect(follower.waitsSince()).toBe(8);
  read(20, proposedBy(event!.contractAddress, zeroHash));
  expect(follower.waitsSince()).toBe(20);
});

it('in a block that leaves the chain before the journal takes it is not kept', async () => {
  const engine = new Engine();
  const [market] = MARKETS as [(typeof MARKETS)[number]];
  engine.apply({ type: 'list-market', timeMs: 2, market });
  const changes: MarketId[] = [];
  const changeResolutions = async (changed: ReadonlyMap<MarketId, MarketResolution>) => {
    if (refuses) throw new Error('the disk is full');
    changes.push(...changed.keys());
  };
  let refuses = true;
  const chain = { confirmations: 5, contracts: { oracle: ORACLE, conditionalTokens: TOKENS } };
  const reads = new ChainReads(engine, 31337);
  const follower = new ResolutionFollower(createContext({ chain, reads, commands: { changeResolutions } }));
  const logs = [resolvedTo(conditionOf(market))];
  await expect(follower.read({ ...EMPTY, logs } as unknown as WatchedBlock)?.()).rejects.toThrow('the disk is full');
  refuses = false;
  await follower.rewind(6);
  expect(changes).toEqual([]);
});
