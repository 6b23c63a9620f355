// Share events in a transaction of the view: known, new and void ones.
import type { PayoutRedeemed, SharesMoved } from '@presage/protocol';
import type { BulkTransaction } from '../bulk-transaction.ts';
import { PairMap } from './pair-map.ts';
import { type Pair, toPairKey } from './position-rows.ts';
import {
  DELETE_EVENTS,
  INSERT_EVENTS,
  LOAD_EVENTS_ABOVE,
  LOAD_EVENTS_AFTER,
  LOAD_EVENTS_OF_BLOCK,
  type RewindOfChain,
  type ShareEvent,
  toShareEvent,
  toShareEventRow,
} from './share-event-rows.ts';

const NONE: readonly ShareEvent[] = [];

export class ShareEventModel {
  readonly #wantedAfter = new PairMap<Pair & { afterSeq: number }>();
  readonly #wantedBlocks = new Map<string, Pair & { blockNumber: number }>();
  readonly #wantedAbove = new Map<number, RewindOfChain>();
  readonly #events = new PairMap<ShareEvent[]>();
  readonly #known = new Set<string>();
  readonly #added = new Set<ShareEvent>();
  readonly #voided = new Set<ShareEvent>();

  /** Loads the pair's events after this trade. */
  wantAfter(pair: Pair, tradeSeq: number): void {
    const afterSeq = Math.min(tradeSeq, this.#wantedAfter.get(pair)?.afterSeq ?? tradeSeq);
    this.#wantedAfter.set(pair, { ...pair, afterSeq });
  }

  wantBlock(pair: Pair, blockNumber: number): void {
    this.#wantedBlocks.set(`${toPairKey(pair.wallet, pair.marketSeq)}/${blockNumber}`, { ...pair, blockNumber });
  }

  wantAbove({ chainId, toBlock }: RewindOfChain): void {
    const lowest = Math.min(toBlock, this.#wantedAbove.get(chainId)?.toBlock ?? toBlock);
    this.#wantedAbove.set(chainId, { chainId, toBlock: lowest });
  }

  async load(sql: BulkTransaction): Promise<void> {
    const found = await Promise.all([
      LOAD_EVENTS_AFTER.run(sql, this.#wantedAfter.values()),
      LOAD_EVENTS_OF_BLOCK.run(sql, [...this.#wantedBlocks.values()]),
      LOAD_EVENTS_ABOVE.run(sql, [...this.#wantedAbove.values()]),
    ]);
    for (const row of found.flat()) this.#keep(toShareEvent(row));
  }

  of(pair: Pair): readonly ShareEvent[] {
    return this.#events.get(pair) ?? NONE;
  }

  /** Events of higher blocks in the markets of a chain. */
  above(toBlock: number, isOfChain: (marketSeq: number) => boolean): ShareEvent[] {
    const all = this.#events.values().flat();
    return all.filter((event) => event.blockNumber > toBlock && isOfChain(event.marketSeq));
  }

  /** Whether this log is known: after a restart blocks are delivered again. */
  has(pair: Pair, { txHash, logIndex }: SharesMoved | PayoutRedeemed): boolean {
    return this.of(pair).some(({ place }) => place?.txHash === txHash && place.logIndex === logIndex);
  }

  add(event: ShareEvent): void {
    this.#added.add(event);
    this.#keep(event);
  }

  void(event: ShareEvent): void {
    const left = this.of(event).filter((each) => each !== event);
    this.#events.set(event, left);
    if (!this.#added.delete(event)) this.#voided.add(event);
  }

  async write(sql: BulkTransaction): Promise<void> {
    await Promise.all([
      INSERT_EVENTS.run(sql, [...this.#added].map(toShareEventRow)),
      DELETE_EVENTS.run(sql, [...this.#voided]),
    ]);
  }

  #keep(event: ShareEvent): void {
    const key = toPairKey(event.wallet, event.marketSeq);
    if (this.#known.has(`${key}/${event.seq}`)) return;
    this.#known.add(`${key}/${event.seq}`);
    const events = this.#events.get(event);
    if (events === undefined) this.#events.set(event, [event]);
    else events.push(event);
  }
}
