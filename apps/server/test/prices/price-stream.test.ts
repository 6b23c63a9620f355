// Five hundred readers of one stream, one that resumes, one that never reads, and an orderly end.
import { waitFor } from '@presage/testkit';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { MORE_THAN_KEPT, PriceStreamFixture, StreamClient } from './price-stream-fixture.ts';

/** Less than a reader's backlog may hold: one that reads is never behind. */
const BURST = 200;

let fixture: PriceStreamFixture;

beforeEach(async () => {
  fixture = await PriceStreamFixture.open();
});
afterEach(() => fixture.close());

const pricesFrom = (first: number) => fixture.all.slice(first).map(({ price }) => price);
const readTo = (client: StreamClient, count: number) =>
  waitFor(`${count} events were read`, async () => client.prices.length >= count, { pollMs: 5 });

describe('the price stream', () => {
  it('gives five hundred readers every price in order, and one that resumes misses none', async () => {
    fixture.publish();
    const clients = await Promise.all(Array.from({ length: 500 }, () => StreamClient.open(fixture.url)));
    expect(fixture.stream.readerCount).toBe(500);
    for (let count = 0; count < 30; count++) {
      fixture.publish();
      await new Promise(setImmediate);
    }
    const [leaver] = clients as [StreamClient];
    await readTo(leaver, 20);
    leaver.close();
    const seen = leaver.ids.at(-1)!;
    const had = [...leaver.prices];
    for (let count = 0; count < 30; count++) fixture.publish();
    const resumed = await StreamClient.open(fixture.url, seen);
    for (let count = 0; count < 5; count++) fixture.publish();
    await readTo(resumed, fixture.all.length - had.length);
    expect([...had, ...resumed.prices]).toEqual(pricesFrom(0));
    for (const client of clients.slice(1)) await readTo(client, fixture.all.length);
    for (const client of clients.slice(1)) expect(client.prices).toEqual(pricesFrom(0));
  });

  it('drops a reader that never reads, and nobody else notices', async () => {
    fixture.publish();
    const [idle, busy] = [await StreamClient.open(fixture.url), await StreamClient.open(fixture.url)];
    await readTo(idle, 1);
    idle.stopReading();
    let published = 0;
    // The system's own buffers take some megabytes before ours begins to grow.
    while (fixture.stream.readerCount === 2 && published < 400_000) {
      for (let count = 0; count < BURST; count++) fixture.publish();
      published += BURST;
      while (busy.prices.length <= published) await new Promise(setImmediate);
    }
    expect(fixture.stream.readerCount).toBe(1);
    expect(busy.prices.length).toBe(published + 1);
    fixture.publish();
    await readTo(busy, published + 2);
    expect(busy.prices).toEqual(pricesFrom(0));
  });

  it('begins with the last price when the last event is no longer remembered, or is no event', async () => {
    for (let count = 0; count < MORE_THAN_KEPT; count++) fixture.publish();
    const forgotten = String(fixture.all[3]!.timeMs);
    for (const id of [forgotten, '17', 'abc', '']) {
      const client = await StreamClient.open(fixture.url, id);
      await readTo(client, 1);
      expect(client.prices, id).toEqual([fixture.all.at(-1)!.price]);
      client.close();
    }
    const remembered = fixture.all.at(-1_000)!;
    const client = await StreamClient.open(fixture.url, String(remembered.timeMs));
    await readTo(client, 999);
    expect(client.prices).toEqual(pricesFrom(-999));
  });

  it('sends nothing twice to a reader that has seen everything', async () => {
    fixture.publish();
    const last = fixture.publish();
    const client = await StreamClient.open(fixture.url, String(last.timeMs));
    const next = fixture.publish();
    await readTo(client, 1);
    expect(client.prices).toEqual([next.price]);
  });

  it('refuses while there is no price yet, and beyond its limit of readers', async () => {
    await expect(StreamClient.open(fixture.url)).rejects.toThrow('503');
    expect((await fetch(`${fixture.url}/api/v1/quick-markets/ETH/price`)).status).toBe(503);
    fixture.publish();
    await Promise.all(Array.from({ length: 600 }, () => StreamClient.open(fixture.url)));
    await expect(StreamClient.open(fixture.url)).rejects.toThrow('503');
  });

  it('sends comments regularly, so that proxies keep the connection', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const quiet = await PriceStreamFixture.open();
    quiet.publish();
    const client = await StreamClient.open(quiet.url);
    vi.advanceTimersByTime(30_000);
    vi.useRealTimers();
    await waitFor('two comments came', async () => client.comments.length === 2);
    await quiet.close();
  });

  it('refuses HEAD, which would never end', async () => {
    fixture.publish();
    const answer = await fetch(`${fixture.url}/api/v1/quick-markets/BTC/price-stream`, { method: 'HEAD' });
    expect(answer.status).toBe(405);
  });

  it('removes readers who left', async () => {
    fixture.publish();
    const clients = await Promise.all(Array.from({ length: 20 }, () => StreamClient.open(fixture.url)));
    for (const client of clients) client.close();
    await waitFor('nobody is left', async () => fixture.stream.readerCount === 0);
  });

  it('ends in order when the service does', async () => {
    fixture.publish();
    const clients = await Promise.all(Array.from({ length: 50 }, () => StreamClient.open(fixture.url)));
    for (const client of clients) await readTo(client, 1);
    await fixture.close();
    expect(new Set(await Promise.all(clients.map(({ ended }) => ended)))).toEqual(new Set(['ended']));
    expect(fixture.listeners).toBe(0);
  });
});
