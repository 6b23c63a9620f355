// The simulated feed over HTTP: the primary's wire format, any past second, prices set by hand, and stalls.
import {
  type Bytes32,
  fromHex,
  hashPriceUpdate,
  KNOWN_FEEDS,
  type PriceUpdate,
  packPriceUpdate,
} from '@presage/protocol';
import { openDigestSigner } from '@presage/protocol/digest-signer';
import { openSignerRecovery } from '@presage/protocol/signer';
import { ManualClock } from '@presage/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FeedServer } from '../../src/feed/feed-server.ts';
import { SimulatedFeed } from '../../src/feed/simulated-feed.ts';
import { HeldPort } from '../../src/held-port.ts';
import { keyOf } from '../../src/sandbox-keys.ts';

interface Answer {
  binary: { encoding: string; data: string[] };
  parsed: {
    id: string;
    price: { price: string; conf: string; expo: number; publish_time: number };
    ema_price: { price: string };
    metadata: { slot: number; proof_available_time: number; prev_publish_time: number };
  }[];
  simulated: boolean;
}

const [BTC, ETH] = KNOWN_FEEDS.map(({ pyth }) => pyth) as [Bytes32, Bytes32];
const clock = new ManualClock();
let port: HeldPort;
let server: FeedServer;
let url: string;

beforeEach(async () => {
  const sign = await openDigestSigner(keyOf('feedSigner').privateKey);
  const feed = new SimulatedFeed({ nowSeconds: () => clock.nowSeconds, sign });
  port = await HeldPort.take('127.0.0.1', 0);
  server = await FeedServer.open({ feed, port });
  url = `http://127.0.0.1:${port.port}`;
});
afterEach(() => server.close());

const send = (method: string, path: string, body: unknown) => fetch(url + path, { method, body: JSON.stringify(body) });
const at = (time: number | 'latest', ...ids: string[]) =>
  fetch(`${url}/v2/updates/price/${time}?${ids.map((id) => `ids[]=${id}`).join('&')}`);
const priceAt = async (time: number | 'latest', id: string = BTC) =>
  Number(((await (await at(time, id)).json()) as Answer).parsed[0]!.price.price);

/** Reads a stream until so many events have come. */
async function readEvents(count: number, meanwhile: (seen: number) => void = () => undefined): Promise<Answer[]> {
  const stop = new AbortController();
  const response = await fetch(`${url}/v2/updates/price/stream?ids[]=${BTC}&parsed=true`, { signal: stop.signal });
  const events: Answer[] = [];
  let text = '';
  for await (const chunk of response.body!) {
    text += new TextDecoder().decode(chunk);
    const parts = text.split('\n\n');
    text = parts.pop() ?? '';
    for (const part of parts) events.push(JSON.parse(part.replace(/^data:/, '')) as Answer);
    if (events.length >= count) break;
    meanwhile(events.length);
  }
  stop.abort();
  return events;
}

describe('before it received the pinned prices', () => {
  it('answers nothing that it might have to take back', async () => {
    expect((await at('latest', BTC)).status).toBe(503);
    expect((await at(clock.nowSeconds - 9, BTC)).status).toBe(503);
    expect((await send('POST', '/sandbox/pins', { feedId: BTC, price: 5 })).status).toBe(503);
  });
});

describe('once it has the pinned prices', () => {
  beforeEach(async () => {
    expect((await send('PUT', '/sandbox/pins', [])).status).toBe(200);
  });

  it('speaks the wire format of Hermes', async () => {
    const answer = (await (await at('latest', BTC, ETH.slice(2))).json()) as Answer;
    const now = clock.nowSeconds;
    expect(answer).toMatchObject({ binary: { encoding: 'hex' }, simulated: true });
    expect(answer.parsed.map(({ id }) => id)).toEqual([BTC.slice(2), ETH.slice(2)]);
    for (const { price, metadata } of answer.parsed) {
      expect(price).toMatchObject({ expo: -8, publish_time: now, price: expect.stringMatching(/^\d+$/) });
      expect(metadata).toMatchObject({ prev_publish_time: now - 1, slot: expect.any(Number) });
    }
  });

  it('signs its updates with the key the oracle contract trusts', async () => {
    const { parsed, binary } = (await (await at(clock.nowSeconds - 5_000, BTC)).json()) as Answer;
    const { price, metadata } = parsed[0]!;
    const update: PriceUpdate = {
      feedId: BTC,
      price: BigInt(price.price),
      conf: BigInt(price.conf),
      expo: price.expo,
      publishTime: price.publish_time,
      prevPublishTime: metadata.prev_publish_time,
    };
    const signature = `0x${binary.data[0]!.slice(-130)}` as const;
    expect(`0x${binary.data[0]}`).toBe(packPriceUpdate(update, signature));
    const recovery = await openSignerRecovery();
    const signer = recovery.recover(fromHex(hashPriceUpdate(update)), fromHex(signature));
    expect(signer).toBe(keyOf('feedSigner').address.toLowerCase());
  });

  it('refuses malformed ids, times and paths', async () => {
    expect((await at('latest', '0x12')).status).toBe(400);
    expect((await at('latest')).status).toBe(400);
    expect((await fetch(`${url}/v2/updates/price/soon?ids[]=${BTC}`)).status).toBe(400);
    expect((await fetch(`${url}/v2/elsewhere`)).status).toBe(404);
    expect((await send('PUT', '/sandbox/pins', [{ feedId: BTC, price: -1, from: 1 }])).status).toBe(400);
    expect((await at(clock.nowSeconds + 1, BTC)).status).toBe(404);
  });

  it('holds a pinned price exactly from the next second until it is changed, and history keeps all of it', async () => {
    const start = clock.nowSeconds;
    const walk = await priceAt(start);
    const { from } = (await (await send('POST', '/sandbox/pins', { feedId: BTC, price: 12_345 })).json()) as {
      from: number;
    };
    expect(from).toBe(start + 1);
    expect(await priceAt('latest')).toBe(walk);
    clock.advanceSeconds(900);
    expect(await priceAt('latest')).toBe(12_345);
    await send('POST', '/sandbox/pins', { feedId: BTC, price: null });
    clock.advanceSeconds(900);
    expect(await priceAt(start)).toBe(walk);
    expect(await priceAt(start + 1)).toBe(12_345);
    expect(await priceAt(start + 900)).toBe(12_345);
    expect(await priceAt(start + 901)).not.toBe(12_345);
    expect(await priceAt(start + 1, ETH)).not.toBe(12_345);
    const walked = await priceAt(start + 500);
    await send('PUT', '/sandbox/pins', [{ feedId: BTC, price: 777, from: start + 501 }]);
    expect([await priceAt(start + 501), (await priceAt(start + 500)) === walked]).toEqual([777, false]);
  });

  it('publishes on every second of its clock, and nothing while stalled', async () => {
    const events = await readEvents(3, (seen) => clock.advanceSeconds(seen === 1 ? 1 : 900));
    const times = events.map(({ parsed }) => parsed[0]!.price.publish_time);
    expect(times.map((time) => time - times[0]!)).toEqual([0, 1, 901]);
    await send('PUT', '/sandbox/oracle', { oracle: 'stalled' });
    const stalledAt = clock.nowSeconds;
    clock.advanceSeconds(3_600);
    const latest = (await (await at('latest', BTC)).json()) as Answer;
    expect(latest.parsed[0]!.price.publish_time).toBe(stalledAt);
    expect((await at(stalledAt + 1, BTC)).status).toBe(404);
    await send('PUT', '/sandbox/oracle', { oracle: 'normal' });
    expect((await at(stalledAt + 1, BTC)).status).toBe(200);
  });
});
