// A book rebuilt from deltas alone, the way a careful client does it: any break of continuity is noticed.
import { addHash, formatHash, levelHash, type Outcome, type Side, subtractHash } from '@presage/protocol';
import type { StreamReply } from './stream-client.ts';

interface BookData {
  readonly outcome: Outcome;
  readonly hash: string;
  readonly bids: readonly { readonly price: number; readonly size: number | bigint }[];
  readonly asks: readonly { readonly price: number; readonly size: number | bigint }[];
  readonly changes: readonly { readonly side: Side; readonly price: number; readonly size: number | bigint }[];
}

export class RebuiltBook {
  readonly outcome: Outcome;
  readonly #isVerifying: boolean;
  readonly #levels = new Map<string, number | bigint>();
  #sum = 0n;
  #seq = 0;
  /** Steps at which a message did not follow on the one before. */
  readonly gaps: number[] = [];

  /** With each message it compares its hash with the one received; a crowd has no time for that. */
  constructor(outcome: Outcome, hashing: 'with each message' | 'when asked' = 'with each message') {
    this.outcome = outcome;
    this.#isVerifying = hashing === 'with each message';
  }

  get seq(): number {
    return this.#seq;
  }

  get hash(): string {
    return formatHash(this.#isVerifying ? this.#sum : this.#hashAll());
  }

  get depth(): number {
    return this.#levels.size;
  }

  /** Whether the message changed this book; a repeated step does not. */
  follow({ type, data, seq = 0, prevSeq = 0 }: StreamReply): boolean {
    const book = data as unknown as BookData;
    if (book.outcome !== this.outcome || (type !== 'orderbook' && type !== 'orderbook_delta')) return false;
    if (type === 'orderbook') this.#replace(book);
    else if (seq <= this.#seq) return false;
    else if (prevSeq > this.#seq) this.gaps.push(seq);
    else for (const { side, price, size } of book.changes) this.#set(side, price, size);
    this.#seq = seq;
    if (this.#isVerifying && this.hash !== book.hash)
      throw new Error(`at step ${seq} the rebuilt book is ${this.hash}, received was ${book.hash}`);
    return true;
  }

  #replace({ bids, asks }: BookData): void {
    this.#levels.clear();
    this.#sum = 0n;
    for (const { price, size } of bids) this.#set(0, price, size);
    for (const { price, size } of asks) this.#set(1, price, size);
  }

  #set(side: Side, price: number, size: number | bigint): void {
    const key = `${side}:${price}`;
    if (this.#isVerifying) {
      this.#sum = subtractHash(this.#sum, levelHash(this.outcome, side, price, this.#levels.get(key) ?? 0));
      this.#sum = addHash(this.#sum, levelHash(this.outcome, side, price, size));
    }
    if (size === 0) this.#levels.delete(key);
    else this.#levels.set(key, size);
  }

  #hashAll(): bigint {
    return [...this.#levels].reduce((sum, [key, size]) => {
      const [side, price] = key.split(':').map(Number) as [Side, number];
      return addHash(sum, levelHash(this.outcome, side, price, size));
    }, 0n);
  }
}
