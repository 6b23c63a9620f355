// What the chain said of wallets' shares, while a transaction of the view is being made: what is known, new, and void.
import type { PayoutRedeemed, SharesMoved } from '@presage/protocol';
import type { TransactionSql } from '../store/column-types.ts';
import {
  DELETE_WORDS,
  INSERT_WORDS,
  LOAD_WORDS_ABOVE,
  LOAD_WORDS_AFTER,
  LOAD_WORDS_OF_BLOCK,
  type LoadedWord,
  type RewindOfChain,
  type ShareWord,
  toShareWord,
} from './share-word-rows.ts';
import { type Pair, toPairKey } from './view-rows.ts';

export class ShareWordModel {
  readonly #wantedAfter = new Map<string, Pair & { afterSeq: number }>();
  readonly #wantedBlocks = new Map<string, Pair & { blockNumber: number }>();
  readonly #wantedAbove = new Map<number, RewindOfChain>();
  readonly #words = new Map<string, ShareWord[]>();
  readonly #known = new Set<string>();
  readonly #added = new Set<ShareWord>();
  readonly #voided = new Set<ShareWord>();

  /** Those said after a trade. */
  wantAfter(pair: Pair, tradeSeq: number): void {
    const key = toPairKey(pair.wallet, pair.marketSeq);
    const afterSeq = Math.min(tradeSeq, this.#wantedAfter.get(key)?.afterSeq ?? tradeSeq);
    this.#wantedAfter.set(key, { ...pair, afterSeq });
  }

  wantBlock(pair: Pair, blockNumber: number): void {
    this.#wantedBlocks.set(`${toPairKey(pair.wallet, pair.marketSeq)}/${blockNumber}`, { ...pair, blockNumber });
  }

  wantAbove({ chainId, toBlock }: RewindOfChain): void {
    const lowest = Math.min(toBlock, this.#wantedAbove.get(chainId)?.toBlock ?? toBlock);
    this.#wantedAbove.set(chainId, { chainId, toBlock: lowest });
  }

  async load(sql: TransactionSql): Promise<void> {
    const found = await Promise.all([
      LOAD_WORDS_AFTER.run<LoadedWord>(sql, [...this.#wantedAfter.values()]),
      LOAD_WORDS_OF_BLOCK.run<LoadedWord>(sql, [...this.#wantedBlocks.values()]),
      LOAD_WORDS_ABOVE.run<LoadedWord>(sql, [...this.#wantedAbove.values()]),
    ]);
    for (const row of found.flat()) this.#keep(toShareWord(row));
  }

  of(pair: Pair): readonly ShareWord[] {
    return this.#words.get(toPairKey(pair.wallet, pair.marketSeq)) ?? [];
  }

  /** Those of blocks above, of the markets that the chain has. */
  above(toBlock: number, isOfChain: (marketSeq: number) => boolean): ShareWord[] {
    const all = [...this.#words.values()].flat();
    return all.filter((word) => word.blockNumber > toBlock && isOfChain(word.marketSeq));
  }

  /** Whether this log was heard of already: blocks are delivered again after a restart. */
  has(pair: Pair, { txHash, logIndex }: SharesMoved | PayoutRedeemed): boolean {
    return this.of(pair).some(({ place }) => place?.txHash === txHash && place.logIndex === logIndex);
  }

  add(word: ShareWord): void {
    this.#added.add(word);
    this.#keep(word);
  }

  void(word: ShareWord): void {
    const key = toPairKey(word.wallet, word.marketSeq);
    const left = (this.#words.get(key) ?? []).filter((each) => each !== word);
    this.#words.set(key, left);
    if (!this.#added.delete(word)) this.#voided.add(word);
  }

  async write(sql: TransactionSql): Promise<void> {
    await Promise.all([INSERT_WORDS.run(sql, [...this.#added]), DELETE_WORDS.run(sql, [...this.#voided])]);
  }

  #keep(word: ShareWord): void {
    const key = toPairKey(word.wallet, word.marketSeq);
    if (this.#known.has(`${key}/${word.seq}`)) return;
    this.#known.add(`${key}/${word.seq}`);
    const words = this.#words.get(key);
    if (words === undefined) this.#words.set(key, [word]);
    else words.push(word);
  }
}
