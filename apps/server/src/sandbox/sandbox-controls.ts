// Controls of a sandbox chain: free money, markets at will, faults on demand.
import {
  type EventTerms,
  type MarketTerms,
  OUTCOMES_TOGETHER,
  toCreationCall,
  toEventCreation,
  toListingCall,
  withRefusals,
} from '@presage/chain';
import { eventFactoryAbi, marketFactoryAbi } from '@presage/contracts';
import { type Address, type Bytes32, type MarketId, PresageError, toChecksumAddress } from '@presage/protocol';
import { poll } from '@presage/runtime';
import { parseEventLogs } from 'viem';
import type { ServedChain } from '../chains/chain-actor.ts';
import type { SandboxChain } from './autofund.ts';
import type { FeedControl } from './feed-control.ts';

type Settlement = 'normal' | 'revert';

interface Faults {
  readonly chain?: 'up' | 'down' | 'slow';
  readonly settlement?: Settlement;
  readonly reorgDepth?: number;
  readonly oracle?: 'normal' | 'stalled';
}

/** Default gift: 10,000.00 of the test stablecoin. */
const DEFAULT_GIFT = 10_000_000_000n;
const LISTING = { timeoutMs: 10_000, pollMs: 20 };
/** Wait for all outcomes of an event. Longer than any caller waits, because an event that is given up lacks outcomes for good. */
const OUTCOMES_LISTING = { timeoutMs: 120_000, pollMs: 20 };

export class SandboxControls {
  readonly #chain: SandboxChain;
  readonly #feed: FeedControl;
  readonly #served: Pick<ServedChain, 'reads' | 'wallets'>;
  /** State of the settlement contract when it was last read. */
  #settlement: Settlement = 'normal';

  constructor(chain: SandboxChain, feed: FeedControl, served: Pick<ServedChain, 'reads' | 'wallets'>) {
    this.#chain = chain;
    this.#feed = feed;
    this.#served = served;
  }

  /** Whether the chain has contracts for events; one made by an earlier version has none. */
  get hasEvents(): boolean {
    return this.#chain.contracts.events !== undefined;
  }

  fund(address: Address, amount = DEFAULT_GIFT) {
    const { autofund, node } = this.#chain;
    return withRefusals(async () => {
      const { transactionHash: txHash } = await node.send(autofund.mint(address, amount));
      const { balance } = await this.#served.wallets.reads.funds(address);
      return { address: toChecksumAddress(address), amount: amount.toString(), balance: balance.toString(), txHash };
    });
  }

  /** Creates a market; resolves when it is listed: created on chain, indexed, durable. */
  createMarket(terms: MarketTerms): Promise<MarketId> {
    const { contracts, owner: from, node } = this.#chain;
    const call = toCreationCall(contracts, terms);
    return withRefusals(async () => {
      const { logs, transactionHash } = await node.create({ from, ...call });
      const [event] = parseEventLogs({ abi: marketFactoryAbi, eventName: 'MarketCreated', logs });
      if (event === undefined) throw new Error(`transaction ${transactionHash} made no market`);
      const { marketId } = event.args;
      if (await poll(() => this.#served.reads.market(marketId) !== undefined, LISTING)) return marketId;
      throw new PresageError('chain_unavailable', { reason: 'the market was not seen in time' });
    });
  }

  /** Creates an event; resolves when all its outcomes are listed, which takes several transactions if there are many. */
  createEvent(terms: EventTerms): Promise<Bytes32> {
    const { contracts, owner: from, node } = this.#chain;
    const { events } = contracts;
    if (events === undefined) throw new PresageError('events_not_deployed');
    const creation = events.factory.call('createEvent', toEventCreation(terms));
    return withRefusals(async () => {
      const { logs, transactionHash } = await node.create({ from, ...creation });
      const [created] = parseEventLogs({ abi: eventFactoryAbi, eventName: 'EventCreated', logs });
      if (created === undefined) throw new Error(`transaction ${transactionHash} made no event`);
      const { eventId, market } = created.args;
      const count = terms.outcomes.length;
      for (let listed = Math.min(OUTCOMES_TOGETHER, count); ; listed = Math.min(listed + OUTCOMES_TOGETHER, count)) {
        await this.#seeOutcomes(eventId, listed);
        if (listed === count) return eventId;
        await node.create({ from, ...toListingCall(events, market) });
      }
    });
  }

  async #seeOutcomes(eventId: Bytes32, count: number): Promise<void> {
    const isListed = () => this.#served.reads.marketsNamed(eventId).length >= count;
    if (await poll(isListed, OUTCOMES_LISTING)) return;
    throw new PresageError('chain_unavailable', { reason: 'the outcomes were not seen in time' });
  }

  /** Sets faults. Slows down or cuts off the chain last, since the other faults need it. */
  setFaults({ chain, settlement, reorgDepth, oracle }: Faults) {
    const { node } = this.#chain;
    return withRefusals(async () => {
      if (oracle !== undefined) await this.#feed.setOracle(oracle);
      if (chain === 'up') await node.setFaults(chain);
      if (settlement !== undefined) await this.#switchSettlement(settlement);
      if (reorgDepth !== undefined && reorgDepth > 0) await node.reorg(reorgDepth);
      if ((await node.faults()).chain !== 'down') this.#settlement = await this.#readSettlement();
      if (chain === 'slow' || chain === 'down') await node.setFaults(chain);
      return { chain: (await node.faults()).chain, settlement: this.#settlement, oracle: await this.#feed.oracle() };
    });
  }

  async #switchSettlement(wanted: Settlement): Promise<void> {
    if ((await this.#readSettlement()) === wanted) return;
    const { node, contracts, owner: from } = this.#chain;
    await node.send({ from, ...contracts.settlement.call(wanted === 'revert' ? 'pause' : 'unpause', []) });
  }

  /** Reads the settlement's state from the contract: paused, it refuses every batch, even after a restart. */
  async #readSettlement(): Promise<Settlement> {
    return (await this.#chain.contracts.settlement.read('paused', [])) ? 'revert' : 'normal';
  }
}
