// What every implementation of the book must do: one suite, run against each.
import { type CreateBook, NONE } from '@presage/engine';
import { BUY, hashLevels, NO, SELL, type Side, YES } from '@presage/protocol';
import { describe, expect, it } from 'vitest';

const MAX = Number.MAX_SAFE_INTEGER;

/** Puts orders on the book with slots and sequences that count upward from 0. */
function createFiller(createBook: CreateBook) {
  const book = createBook(YES);
  let count = 0;
  const rest = (side: Side, price: number, size: number, sequence = count): number => {
    const slot = count++;
    book.insert(slot, side, price, sequence, size);
    return slot;
  };
  const queue = (side: Side): number[] => {
    const slots: number[] = [];
    for (let slot = book.first(side); slot !== NONE; slot = book.next(slot)) slots.push(slot);
    return slots;
  };
  return { book, rest, queue };
}

export function describeBook(name: string, createBook: CreateBook): void {
  describe(`${name} conforms to the book interface`, () => {
    it('is empty at first', () => {
      const { book } = createFiller(createBook);
      expect([book.best(BUY), book.best(SELL), book.first(BUY), book.first(SELL)]).toEqual([NONE, NONE, NONE, NONE]);
      expect(book.levels(BUY)).toEqual([]);
      expect(book.levelSize(SELL, 500_000)).toBe(0);
      expect(book.hash()).toBe(0n);
    });

    it('puts the highest bid and the lowest ask first', () => {
      const { book, rest } = createFiller(createBook);
      for (const price of [400_000, 450_000, 1, 449_999]) rest(BUY, price, 10);
      for (const price of [600_000, 550_000, 999_999, 550_001]) rest(SELL, price, 10);
      expect([book.best(BUY), book.best(SELL)]).toEqual([450_000, 550_000]);
      expect(book.levels(BUY).map((level) => level.price)).toEqual([450_000, 449_999, 400_000, 1]);
      expect(book.levels(SELL).map((level) => level.price)).toEqual([550_000, 550_001, 600_000, 999_999]);
    });

    it('accepts both ends of the price range', () => {
      const { book, rest, queue } = createFiller(createBook);
      const slots = [rest(BUY, 1, 5), rest(BUY, 999_999, 5)];
      expect(book.best(BUY)).toBe(999_999);
      expect(queue(BUY)).toEqual([slots[1], slots[0]]);
    });

    it('walks all orders of a side by price, then by time', () => {
      const { rest, queue } = createFiller(createBook);
      const [far, near, nearLater, best] = [
        rest(SELL, 700_000, 1),
        rest(SELL, 600_000, 1),
        rest(SELL, 600_000, 1),
        rest(SELL, 599_968, 1),
      ];
      expect(queue(SELL)).toEqual([best, near, nearLater, far]);
    });

    it('finds neighbours across every boundary of its pages', () => {
      const { book, rest } = createFiller(createBook);
      const prices = [1, 31, 32, 33, 1023, 1024, 1025, 32_767, 32_768, 32_769, 999_999];
      for (const price of prices) {
        rest(BUY, price, 1);
        rest(SELL, price, 1);
      }
      expect(book.levels(SELL).map((level) => level.price)).toEqual(prices);
      expect(book.levels(BUY).map((level) => level.price)).toEqual(prices.toReversed());
    });

    it('adds up a level and lists no more levels than asked for', () => {
      const { book, rest } = createFiller(createBook);
      rest(BUY, 500_000, 10);
      rest(BUY, 500_000, 7);
      rest(BUY, 400_000, 1);
      expect(book.levels(BUY, 1)).toEqual([{ price: 500_000, size: 17 }]);
      expect(book.levels(BUY, 0)).toEqual([]);
      expect(book.levelSize(BUY, 500_000)).toBe(17);
    });

    it('keeps totals exact past 2^53', () => {
      const { book, rest } = createFiller(createBook);
      const slots = [rest(BUY, 9, MAX), rest(BUY, 9, MAX), rest(BUY, 9, MAX)];
      expect(book.levelSize(BUY, 9)).toBe(3n * BigInt(MAX));
      book.take(slots[0]!, 1);
      expect(book.levelSize(BUY, 9)).toBe(3n * BigInt(MAX) - 1n);
      book.remove(slots[1]!);
      expect(book.levelSize(BUY, 9)).toBe(2n * BigInt(MAX) - 1n);
      book.remove(slots[0]!);
      expect(book.levelSize(BUY, 9)).toBe(MAX);
      expect(book.take(slots[2]!, MAX - 1)).toBe(1);
      expect(book.levelSize(BUY, 9)).toBe(1);
    });

    it('gives a number up to 2^53-1 and a bigint from 2^53', () => {
      const { book, rest } = createFiller(createBook);
      rest(SELL, 7, MAX);
      expect(book.levelSize(SELL, 7)).toBe(MAX);
      const one = rest(SELL, 7, 1);
      expect(book.levelSize(SELL, 7)).toBe(BigInt(MAX) + 1n);
      book.remove(one);
      expect(book.levelSize(SELL, 7)).toBe(MAX);
    });

    it('takes parts and removes orders that are used up', () => {
      const { book, rest, queue } = createFiller(createBook);
      const first = rest(SELL, 600_000, 10);
      const second = rest(SELL, 600_000, 5);
      expect(book.take(first, 4)).toBe(6);
      expect(book.remaining(first)).toBe(6);
      expect(book.take(first, 6)).toBe(0);
      expect(queue(SELL)).toEqual([second]);
      expect(() => book.remaining(first)).toThrow(`no order rests in slot ${first}`);
    });

    it('takes no more than there is', () => {
      const { book, rest } = createFiller(createBook);
      const slot = rest(BUY, 600_000, 10);
      expect(() => book.take(slot, 11)).toThrow('cannot take 11 from 10');
      expect(book.levelSize(BUY, 600_000)).toBe(10);
    });

    it.each([0, 1, 2])('cancels from place %i of three in a queue', (place) => {
      const { book, rest, queue } = createFiller(createBook);
      const slots = [rest(BUY, 5, 1), rest(BUY, 5, 2), rest(BUY, 5, 4)];
      expect(book.remove(slots[place]!)).toBe(2 ** place);
      expect(queue(BUY)).toEqual(slots.filter((_, index) => index !== place));
      expect(book.levelSize(BUY, 5)).toBe(7 - 2 ** place);
    });

    it('puts a returning order back where its sequence says', () => {
      for (const sequence of [5, 15, 25, 35, 45]) {
        const { book, rest, queue } = createFiller(createBook);
        for (const each of [10, 20, 30, 40]) rest(SELL, 500_000, 1, each);
        const returned = rest(SELL, 500_000, 1, sequence);
        expect(queue(SELL).indexOf(returned)).toBe((sequence - 5) / 10);
        book.remove(returned);
        expect(queue(SELL)).toEqual([0, 1, 2, 3]);
      }
    });

    it('gives size back without moving the order', () => {
      const { book, rest, queue } = createFiller(createBook);
      const slots = [rest(BUY, 8, 10), rest(BUY, 8, 10)];
      book.take(slots[0]!, 9);
      book.give(slots[0]!, 5);
      expect(book.remaining(slots[0]!)).toBe(6);
      expect(book.levelSize(BUY, 8)).toBe(16);
      expect(queue(BUY)).toEqual(slots);
    });

    it('uses a slot again after its order left', () => {
      const { book } = createFiller(createBook);
      book.insert(3, BUY, 5, 1, 10);
      book.remove(3);
      book.insert(3, SELL, 6, 2, 20);
      expect(book.first(BUY)).toBe(NONE);
      expect(book.first(SELL)).toBe(3);
      expect(book.remaining(3)).toBe(20);
    });

    it('may be crossed within a step', () => {
      const { book, rest } = createFiller(createBook);
      rest(SELL, 400_000, 1);
      rest(BUY, 600_000, 1);
      expect([book.best(BUY), book.best(SELL)]).toEqual([600_000, 400_000]);
    });

    it('hashes its levels, after every kind of change', () => {
      const { book, rest } = createFiller(createBook);
      const expectHash = () => expect(book.hash()).toBe(hashLevels(YES, book.levels(BUY), book.levels(SELL)));
      const slots = [rest(BUY, 500_000, 10), rest(BUY, 500_000, 5), rest(SELL, 600_000, 7)];
      expectHash();
      book.take(slots[0]!, 3);
      expectHash();
      book.remove(slots[1]!);
      expectHash();
      book.give(slots[0]!, 2);
      expectHash();
      for (const slot of [slots[0]!, slots[2]!]) book.remove(slot);
      expect(book.hash()).toBe(0n);
    });

    it('hashes the outcome too', () => {
      const [yes, no] = [createBook(YES), createBook(NO)];
      yes.insert(0, BUY, 500_000, 1, 10);
      no.insert(1, BUY, 500_000, 1, 10);
      expect(yes.hash()).not.toBe(no.hash());
    });

    it('is swept from any depth to empty', () => {
      const { book, rest } = createFiller(createBook);
      for (let price = 1; price < 3000; price += 7) for (let each = 0; each < 3; each++) rest(SELL, price, each + 1);
      let last = 0;
      for (let slot = book.first(SELL); slot !== NONE; slot = book.first(SELL)) {
        expect(book.best(SELL)).toBeGreaterThanOrEqual(last);
        last = book.best(SELL);
        book.take(slot, book.remaining(slot));
      }
      expect(book.levels(SELL)).toEqual([]);
      expect(book.best(SELL)).toBe(NONE);
    });
  });
}
