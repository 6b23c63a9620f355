// Follows how markets are decided: proposals, disputes and settlements at the oracle, payouts at the conditional tokens.
import type { LogFilter, WatchedBlock, WatchedLog } from '@presage/chain';
import { conditionalTokensWithPermitAbi, marketAbi, optimisticOracleAbi } from '@presage/contracts';
import type { MarketView } from '@presage/engine';
import {
  type Assertion,
  type Bytes32,
  type ChainPoint,
  conditionOf,
  type Hex,
  type MarketFacts,
  type MarketId,
  type MarketResolution,
  type ProposedOutcome,
  resolverOf,
  standingAssertions,
  toLowerHex,
} from '@presage/protocol';
import { parseEventLogs } from 'viem';
import type { ChainContext } from '../chains/chain-context.ts';
import {
  dispute,
  NOTHING_SAID,
  ofLaterOutcome,
  propose,
  reject,
  resolve,
  resolveOutcome,
  rewind,
  settle,
  toOutcomeProposal,
} from './resolution-fold.ts';
import type { FactWriter } from './viem-logs.ts';
import { selectLogs, selectorOf } from './viem-logs.ts';

const EVENTS = [...marketAbi, ...optimisticOracleAbi, ...conditionalTokensWithPermitAbi].filter(
  (item) => item.type === 'event',
);
const NAMES = [
  'ResolutionProposed',
  'ResolutionRejected',
  'AssertionMade',
  'AssertionDisputed',
  'AssertionSettled',
  'ConditionResolution',
] as const;

const TOPICS = NAMES.map((name) => selectorOf(EVENTS, name));

type ResolutionLog = ReturnType<typeof parseLogs>[number];
type LogOf<Name extends ResolutionLog['eventName']> = Extract<ResolutionLog, { eventName: Name }>;

/** A block without its other logs, since some blocks are kept. */
type LoggedBlock = Pick<WatchedBlock, 'blockNumber' | 'blockHash' | 'timestamp'>;

interface ReadBlock {
  readonly block: LoggedBlock;
  readonly logs: readonly ResolutionLog[];
}

export class ResolutionFollower {
  readonly #context: ChainContext;
  /** Condition of each assertion; at first from the markets, then from the logs. */
  readonly #conditions = new Map<Bytes32, Bytes32>();
  /** Assertions made in the current block: a market's proposal comes after the oracle's event of the same assertion. */
  readonly #made = new Map<Bytes32, LogOf<'AssertionMade'>['args']>();
  readonly #changed = new Map<MarketId, MarketResolution>();
  /** Market count up to which resolutions from before the listing are written. */
  #marketsKnown = 0;
  /** Recent blocks with logs, oldest first: as many as may lie between the creation of a market and its listing. */
  #recent: readonly ReadBlock[] = [];

  constructor(context: ChainContext) {
    this.#context = context;
    for (const { facts, resolution } of this.#assertedMarkets()) {
      for (const { id } of [...(resolution?.history ?? []), ...standingAssertions(resolution ?? {})]) {
        this.#conditions.set(id, conditionOf(facts));
      }
    }
  }

  /** Filters a market's own events by topic only, since every market is a contract of its own. */
  get filters(): LogFilter[] {
    const { oracle, conditionalTokens } = this.#context.chain.contracts;
    const of = (abi: Parameters<typeof selectorOf>[0], ...names: string[]) => [
      names.map((name) => selectorOf(abi, name)),
    ];
    return [
      { topics: of(marketAbi, 'ResolutionProposed', 'ResolutionRejected') },
      {
        addresses: [oracle],
        topics: of(optimisticOracleAbi, 'AssertionMade', 'AssertionDisputed', 'AssertionSettled'),
      },
      { addresses: [conditionalTokens], topics: of(conditionalTokensWithPermitAbi, 'ConditionResolution') },
    ];
  }

  read({ blockNumber, blockHash, timestamp, logs }: WatchedBlock): FactWriter | undefined {
    this.#changed.clear();
    const { marketCount } = this.#context.reads;
    if (marketCount !== this.#marketsKnown) this.#learnEarlier();
    const read = { block: { blockNumber, blockHash, timestamp }, logs: parseLogs(this.#believable(logs)) };
    this.#readLogs(read);
    this.#keepRecent(read);
    const onWritten = () => {
      this.#marketsKnown = marketCount;
    };
    if (this.#changed.size > 0) return () => this.#submit().then(onWritten);
    onWritten();
    return undefined;
  }

  /** Logs about a market that is not listed yet are not stored anywhere. */
  waitsSince(): number | undefined {
    return this.#recent[0]?.block.blockNumber;
  }

  /**
   * Drops fake events of markets: anybody can emit them, thousands in a block. For a known assertion only the resolver of its condition
   * counts, for an unknown one only an event that comes with one of the oracle in the same block.
   */
  #believable(all: readonly WatchedLog[]): readonly WatchedLog[] {
    const { oracle, conditionalTokens } = this.#context.addresses;
    const told = new Set(all.filter(({ address }) => address === oracle).map(({ topics }) => topics[1]));
    return all.filter(({ address, topics: [, assertionId] }) => {
      if (address === oracle || address === conditionalTokens) return true;
      const conditionId = assertionId && this.#conditions.get(assertionId);
      return conditionId === undefined ? told.has(assertionId) : this.#decidedBy(conditionId, address).length > 0;
    });
  }

  /** Applies logs from before the listing: a result may be proposed as soon as a market is created, some blocks before it is listed. Known facts stay. */
  #learnEarlier(): void {
    for (const { facts, resolution } of this.#context.reads.activeMarkets()) {
      if (facts.event !== undefined && resolution === undefined) this.#inherit(facts.marketId, facts.event.id);
    }
    for (const read of this.#recent) this.#readLogs(read);
  }

  /** Gives an outcome that is listed late the resolution of its event up to the recent blocks. */
  #inherit(marketId: MarketId, eventId: Bytes32): void {
    const others = this.#context.reads.marketsNamed(eventId);
    const said = others.find(({ resolution }) => resolution !== undefined)?.resolution;
    if (said === undefined) return;
    const first = this.waitsSince();
    this.#changed.set(marketId, ofLaterOutcome(first === undefined ? said : rewind(said, first - 1)));
  }

  #readLogs({ block, logs }: ReadBlock): void {
    this.#made.clear();
    for (const log of logs) this.#onLog(log, block);
  }

  #keepRecent(read: ReadBlock): void {
    const { blockNumber } = read.block;
    const kept = this.#recent.filter(({ block }) => block.blockNumber < blockNumber);
    const all = read.logs.length === 0 ? kept : [...kept, read];
    this.#recent = all.filter(({ block }) => block.blockNumber > blockNumber - this.#context.chain.confirmations);
  }

  async rewind(toBlock: number): Promise<void> {
    const { reads } = this.#context;
    // Changes of a block that left the chain are dropped, even if they could not be written yet.
    this.#changed.clear();
    this.#recent = this.#recent.filter(({ block }) => block.blockNumber <= toBlock);
    for (const { facts, resolution } of reads.activeMarkets()) this.#rewind(facts.marketId, resolution, toBlock);
    for (const { marketId } of reads.retiredMarkets({ aboveBlock: toBlock })) {
      this.#rewind(marketId, reads.market(marketId)?.resolution, toBlock);
    }
    await this.#submit();
  }

  #rewind(marketId: MarketId, resolution: MarketResolution | undefined, toBlock: number): void {
    if (resolution !== undefined) this.#changed.set(marketId, rewind(resolution, toBlock));
  }

  /** Markets that may have assertions. Retired quick markets are skipped: they resolve themselves, and after years they are nearly all retired markets. */
  *#assertedMarkets(): Generator<MarketView> {
    const { reads } = this.#context;
    yield* reads.activeMarkets();
    for (const { marketId } of reads.retiredMarkets({ kind: 'standard' })) {
      const market = reads.market(marketId);
      if (market !== undefined) yield market;
    }
  }

  #onLog(log: ResolutionLog, block: LoggedBlock): void {
    const at = { transactionHash: toLowerHex(log.transactionHash), ...toPlace(block) };
    switch (log.eventName) {
      case 'AssertionMade':
        if (this.#isOracle(log)) this.#made.set(log.args.assertionId, log.args);
        break;
      case 'ResolutionProposed':
        this.#propose(log, at, block.timestamp);
        break;
      case 'ResolutionRejected':
        this.#change(log.args.assertionId, (before, id) => reject(before, id, at), log.address);
        break;
      case 'AssertionDisputed': {
        const disputer = toLowerHex(log.args.disputer);
        if (this.#isOracle(log)) this.#change(log.args.assertionId, (before, id) => dispute(before, id, disputer, at));
        break;
      }
      case 'AssertionSettled': {
        const { assertionId, settlementResolution } = log.args;
        if (this.#isOracle(log))
          this.#change(assertionId, (before, id) => settle(before, id, settlementResolution, at));
        break;
      }
      case 'ConditionResolution':
        this.#resolve(log, at);
    }
  }

  /** Applies a proposal to listed markets if the oracle logged the assertion: anybody can emit such an event. */
  #propose({ args, address }: LogOf<'ResolutionProposed'>, proposedAt: ChainPoint, timestamp: number): void {
    const made = this.#made.get(args.assertionId);
    if (made === undefined) return;
    const assertion: Omit<Assertion, 'proposedOutcome'> = {
      id: args.assertionId,
      proposer: toLowerHex(args.proposer),
      bondPayer: toLowerHex(args.bondPayer),
      bondAmount: made.bond.toString(),
      assertionTime: timestamp,
      expirationTime: Number(made.expirationTime),
      disputed: false,
      settled: false,
      settlementResolution: false,
      proposedAt,
    };
    for (const { marketId, event } of this.#decidedBy(made.domainId, address)) {
      const proposedOutcome = event ? toOutcomeProposal(args.outcome, event) : (args.outcome as ProposedOutcome); // the contract accepts no other
      this.#conditions.set(args.assertionId, made.domainId);
      this.#changed.set(marketId, propose(this.#stateOf(marketId), { ...assertion, proposedOutcome }));
    }
  }

  #resolve({ args, address }: LogOf<'ConditionResolution'>, at: ChainPoint): void {
    if (toLowerHex(address) !== this.#context.addresses.conditionalTokens) return;
    const { conditionId, payoutNumerators: numerators } = args;
    for (const { marketId, event } of this.#marketsOf(conditionId)) {
      const before = this.#stateOf(marketId);
      const after = event ? resolveOutcome(before, numerators, event.index, at) : resolve(before, numerators, at);
      this.#changed.set(marketId, after);
    }
  }

  /** Changes an assertion that is still standing; a rejected one has nothing left to change. */
  #change(
    assertionId: Bytes32,
    move: (before: MarketResolution, assertionId: Bytes32) => MarketResolution,
    emitter?: Hex,
  ): void {
    const conditionId = this.#conditions.get(assertionId);
    if (conditionId === undefined) return;
    for (const { marketId } of this.#decidedBy(conditionId, emitter)) {
      const before = this.#stateOf(marketId);
      const isStanding = standingAssertions(before).some(({ id }) => id === assertionId);
      if (isStanding) this.#changed.set(marketId, move(before, assertionId));
    }
  }

  /** Markets of a condition; none if the emitter is not the contract that decides them. */
  #decidedBy(conditionId: Bytes32, emitter?: Hex): MarketFacts[] {
    const markets = this.#marketsOf(conditionId);
    return emitter === undefined ? markets : markets.filter((each) => resolverOf(each) === toLowerHex(emitter));
  }

  /** The market with a condition of its own, or all listed markets of an event. */
  #marketsOf(conditionId: Bytes32): MarketFacts[] {
    const { reads } = this.#context;
    const single = reads.facts(conditionId);
    return single === undefined ? reads.marketsNamed(conditionId).map(({ facts }) => facts) : [single];
  }

  #stateOf(marketId: MarketId): MarketResolution {
    return this.#changed.get(marketId) ?? this.#context.reads.market(marketId)?.resolution ?? NOTHING_SAID;
  }

  #isOracle({ address }: { readonly address: Hex }): boolean {
    return toLowerHex(address) === this.#context.addresses.oracle;
  }

  /** Submits all changes at once: an outcome that got a proposal later than the others of its event would be taken for one that was listed late. */
  async #submit(): Promise<void> {
    await this.#context.commands.changeResolutions(this.#changed);
    this.#changed.clear();
  }
}

function parseLogs(all: readonly WatchedLog[]) {
  const logs = selectLogs(all, TOPICS);
  return logs.length === 0 ? [] : parseEventLogs({ abi: EVENTS, eventName: [...NAMES], logs });
}

function toPlace({ blockNumber, blockHash }: LoggedBlock): Omit<ChainPoint, 'transactionHash'> {
  return { blockNumber, blockHash: toLowerHex(blockHash) };
}
