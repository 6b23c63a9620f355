// Readers that ask and never read: what waits for them is shared, bounded for all together, and given up with a code that says so.
import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { Writable } from 'node:stream';
import { Engine } from '@presage/engine';
import { createOrderBuilders, listMarket, ManualClock, TEST_MARKET } from '@presage/testkit';
import { describe, expect, it } from 'vitest';
import type { WebSocket } from 'ws';
import { HeldBytes } from '../../src/api/held-bytes.ts';
import { MarketFeed } from '../../src/api/stream/market-feed.ts';
import { Outbox } from '../../src/api/stream/outbox.ts';
import { MessageWriter } from '../../src/api/stream/shared-message.ts';

const LEVELS = 1_200;

/** A level a price, some 40 characters each. */
function deepBook(place: (order: ReturnType<ReturnType<typeof createOrderBuilders>['aliceBuysYes']>) => void): void {
  const traders = createOrderBuilders(new ManualClock());
  for (let level = 1; level <= LEVELS; level++) {
    place(traders.aliceBuysYes({ price: `0.${String(level).padStart(6, '0')}`, size: '1' }));
  }
}

describe('a snapshot', () => {
  it('is written once for all who ask, until the book changes; only its end is each reader’s own', () => {
    const engine = new Engine();
    engine.apply(listMarket(new ManualClock().nowMs));
    deepBook((order) => engine.apply(order));
    const feed = new MarketFeed(engine.market(TEST_MARKET)!, {
      reads: engine,
      writer: new MessageWriter('s'),
      receipts: undefined,
    });
    const [one, other, none] = [{ id: 1 }, { id: 'two', isConflated: true }, undefined].map(
      (end) => feed.snapshot(0, end).after(0).frame,
    );
    expect(one).toHaveLength(3);
    expect(other![1]).toBe(one![1]);
    expect(none![1]).toBe(one![1]);
    const text = Buffer.concat([...other!].slice(1)).toString();
    expect(JSON.parse(text)).toMatchObject({ type: 'orderbook', id: 'two', conflated: true, prevSeq: 1 + LEVELS });
    expect(JSON.parse(text).data.bids).toHaveLength(LEVELS);
  });
});

describe('the backlog of all connections', () => {
  it('cuts a silent reader off with 1013 for the good of the others, and remembers nothing of it', () => {
    const backlog = new HeldBytes({ connection: 8_000_000, address: 8_000_000, all: 2_000_000 });
    const book = new MessageWriter('s').write({ type: 'orderbook', data: `"${'x'.repeat(200_000)}"`, ts: 1 });
    const readers = Array.from({ length: 4 }, () => openSilentReader(backlog));
    for (let sent = 0; sent < 4; sent++) for (const { outbox } of readers) outbox.send(book);
    const closed = readers.filter(({ codes }) => codes.length > 0);
    expect(closed.length).toBeGreaterThan(0);
    expect(closed.length).toBeLessThan(4);
    expect(closed.flatMap(({ codes }) => codes)).toEqual(closed.map(() => 1013));
    expect(backlog.bytes).toBeLessThanOrEqual(2_000_000);
    for (const { outbox } of readers) outbox.clear();
    expect(backlog.bytes).toBe(0);
  });
});

/** A connection whose other end takes nothing: a write never ends. */
function openSilentReader(unsent: HeldBytes) {
  const codes: number[] = [];
  const socket = Object.assign(new EventEmitter(), { OPEN: 1, readyState: 1 });
  const close = (code: number) => {
    codes.push(code);
    socket.readyState = 2;
  };
  const raw = new Writable({ write: () => undefined, writev: () => undefined });
  const webSocket = Object.assign(socket, { close, terminate: () => undefined }) as unknown as WebSocket;
  const outbox = new Outbox({ socket: webSocket, raw: raw as Socket, address: '192.0.2.1' }, unsent);
  return { outbox, codes };
}
