// The ticket's price: suggested from the book, never while somebody types, and never an old one.
import { beforeEach, describe, expect, it } from 'vitest';
import { TicketStore } from '../src/ticket/ticket-store.ts';

let store: TicketStore;
const price = () => store.ticket.get().price;
/** As the ticket does at every change of the book. */
const see = (best: number) => store.suggest('0x', best);

beforeEach(() => {
  store = new TicketStore();
  store.begin();
  see(550_000);
});

describe('the price of a limit order', () => {
  it('is the best one as the field appears, not the one of long before', () => {
    see(600_000);
    store.write({ kind: 'limit' });
    see(610_000);
    expect(price()).toBe('61.0');
    see(640_000);
    expect(price()).toBe('61.0');
  });

  it("stays the trader's own", () => {
    store.write({ kind: 'limit', price: '20' });
    see(610_000);
    store.write({ kind: 'now' });
    store.write({ kind: 'limit' });
    see(620_000);
    expect(price()).toBe('20');
  });

  it('is suggested again once the trader has emptied it and asks for one, but not while they type', () => {
    store.take({ outcome: 'NO', price: 300_000 });
    see(310_000);
    store.write({ price: '' });
    see(320_000);
    expect(price()).toBe('');
    store.stepPrice(1);
    see(330_000);
    expect(price()).toBe('33.0');
    store.stepPrice(1);
    expect(price()).toBe('33.5');
    store.write({ price: '' });
    store.write({ kind: 'now' });
    store.write({ kind: 'limit' });
    see(340_000);
    expect(price()).toBe('34.0');
  });

  it('is not replaced by a step where it cannot be read', () => {
    store.write({ kind: 'limit', price: 'x' });
    store.stepPrice(1);
    see(330_000);
    expect(price()).toBe('x');
  });
});

describe('the sheet of a phone', () => {
  it('is closed with the screen that it was opened on', () => {
    store.isSheetOpen.set(true);
    store.leave();
    expect(store.isSheetOpen.get()).toBe(false);
  });
});
