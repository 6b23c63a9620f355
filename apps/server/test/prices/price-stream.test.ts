// Five hundred readers of one stream, one that resumes, one that never reads, and an orderly end.
import { waitFor } from '@presage/testkit';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { MORE_THAN_KEPT, StreamClient, StreamRoom } from './stream-room.ts';

/** Less than a reader's backlog may hold: one that reads is never behind. */
const BURST = 200;

let room: StreamRoom;

beforeEach(async () => {
  room = await StreamRoom.open();
});
afterEach(() => room.close());

const pricesFrom = (first: number) => room.all.slice(first).map(({ price }) => price);
const readTo = (client: StreamClient, count: number) =>
  waitFor(`${count} events were read`, async () => client.prices.length >= count, { pollMs: 5 });

describe('the price stream', () => {
  it('gives five hundred readers every price in order, and one that resumes misses none', async () => {
    room.publish();
    const clients = await Promise.all(Array.from({ length: 500 }, () => StreamClient.open(room.url)));
    expect(room.stream.readerCount).toBe(500);
    for (let count = 0; count < 30; count++) {
      room.publish();
      await new Promise(setImmediate);
    }
    const [leaver] = clients as [StreamClient];
    await readTo(leaver, 20);
    leaver.close();
    const seen = leaver.ids.at(-1)!;
    const had = [...leaver.prices];
    for (let count = 0; count < 30; count++) room.publish();
    const resumed = await StreamClient.open(room.url, seen);
    for (let count = 0; count < 5; count++) room.publish();
    await readTo(resumed, room.all.length - had.length);
    expect([...had, ...resumed.prices]).toEqual(pricesFrom(0));
    for (const client of clients.slice(1)) await readTo(client, room.all.length);
    for (const client of clients.slice(1)) expect(client.prices).toEqual(pricesFrom(0));
  });

  it('drops a reader that never reads, and nobody else notices', async () => {
    room.publish();
    const [idle, busy] = [await StreamClient.open(room.url), await StreamClient.open(room.url)];
    await readTo(idle, 1);
    idle.stopReading();
    let published = 0;
    // The system's own buffers take some megabytes before ours begins to grow.
    while (room.stream.readerCount === 2 && published < 400_000) {
      for (let count = 0; count < BURST; count++) room.publish();
      published += BURST;
      while (busy.prices.length <= published) await new Promise(setImmediate);
    }
    expect(room.stream.readerCount).toBe(1);
    expect(busy.prices.length).toBe(published + 1);
    room.publish();
    await readTo(busy, published + 2);
    expect(busy.prices).toEqual(pricesFrom(0));
  });

  it('begins with the last price when the last event is no longer remembered, or is no event', async () => {
    for (let count = 0; count < MORE_THAN_KEPT; count++) room.publish();
    const forgotten = String(room.all[3]!.timeMs);
    for (const id of [forgotten, '17', 'abc', '']) {
      const client = await StreamClient.open(room.url, id);
      await readTo(client, 1);
      expect(client.prices, id).toEqual([room.all.at(-1)!.price]);
      client.close();
    }
    const remembered = room.all.at(-1_000)!;
    const client = await StreamClient.open(room.url, String(remembered.timeMs));
    await readTo(client, 999);
    expect(client.prices).toEqual(pricesFrom(-999));
  });

  it('says nothing twice to a reader that has seen everything', async () => {
    room.publish();
    const last = room.publish();
    const client = await StreamClient.open(room.url, String(last.timeMs));
    const next = room.publish();
    await readTo(client, 1);
    expect(client.prices).toEqual([next.price]);
  });

  it('refuses while there is no price yet, and beyond its room', async () => {
    await expect(StreamClient.open(room.url)).rejects.toThrow('503');
    expect((await fetch(`${room.url}/api/v1/quick-markets/ETH/price`)).status).toBe(503);
    room.publish();
    await Promise.all(Array.from({ length: 600 }, () => StreamClient.open(room.url)));
    await expect(StreamClient.open(room.url)).rejects.toThrow('503');
  });

  it('says a comment now and then, so that proxies keep the connection', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const quiet = await StreamRoom.open();
    quiet.publish();
    const client = await StreamClient.open(quiet.url);
    vi.advanceTimersByTime(30_000);
    vi.useRealTimers();
    await waitFor('two comments came', async () => client.comments.length === 2);
    await quiet.close();
  });

  it('takes no HEAD, which would never end', async () => {
    room.publish();
    const answer = await fetch(`${room.url}/api/v1/quick-markets/BTC/price-stream`, { method: 'HEAD' });
    expect(answer.status).toBe(405);
  });

  it('forgets readers who left', async () => {
    room.publish();
    const clients = await Promise.all(Array.from({ length: 20 }, () => StreamClient.open(room.url)));
    for (const client of clients) client.close();
    await waitFor('nobody is left', async () => room.stream.readerCount === 0);
  });

  it('ends in order when the service does', async () => {
    room.publish();
    const clients = await Promise.all(Array.from({ length: 50 }, () => StreamClient.open(room.url)));
    for (const client of clients) await readTo(client, 1);
    await room.close();
    expect(new Set(await Promise.all(clients.map(({ ended }) => ended)))).toEqual(new Set(['ended']));
    expect(room.listeners).toBe(0);
  });
});
