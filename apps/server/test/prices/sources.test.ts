// Each real source against a local server that speaks its documented format, faults included.
import type { ServerResponse } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import { type AssetFeeds, KNOWN_FEEDS } from '@presage/protocol';
import { waitFor } from '@presage/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Quote } from '../../src/prices/ports.ts';
import { PythSource } from '../../src/prices/pyth-source.ts';
import { BINANCE, COINBASE, type SocketDialect } from '../../src/prices/socket-dialects.ts';
import { SocketSource } from '../../src/prices/socket-source.ts';
import { SourceRefused, toPauseMs } from '../../src/prices/source-runner.ts';
import { binanceTrade, coinbaseTicker, ETH_ID, hermesMessage, LocalExchange, LocalHermes } from './local-sources.ts';

const ASSETS = KNOWN_FEEDS.slice(0, 2) as readonly AssetFeeds[];
const T = 1_714_746_101;

let quotes: Quote[];
let troubles: unknown[];
const hooks = {
  onQuote: (quote: Quote) => void quotes.push(quote),
  onTrouble: (error: unknown) => void troubles.push(error),
};

beforeEach(() => {
  quotes = [];
  troubles = [];
});

const quotesReach = (count: number) => waitFor(`${count} quotes came`, async () => quotes.length >= count);
const troubleComes = (count = 1) => waitFor('trouble came', async () => troubles.length >= count);

function* spaces(): Generator<Buffer> {
  for (;;) yield Buffer.alloc(64 * 1024, ' ');
}

describe('pyth', () => {
  let hermes: LocalHermes;
  let source: PythSource;
  let sent: number;

  beforeEach(async () => {
    hermes = await LocalHermes.open();
    hermes.latest = hermesMessage({ publishTime: T });
    sent = 0;
    const beforeConnect = async () => {
      sent++;
    };
    source = new PythSource({ url: hermes.url, key: 'secret', assets: ASSETS, beforeConnect, ...hooks });
  });
  afterEach(async () => {
    source.stop();
    await hermes.close();
  });

  async function follow(): Promise<void> {
    source.start();
    await waitFor('the stream is open', async () => hermes.streams.size === 1);
  }

  it('asks for the latest, then follows the stream, with its key and every feed', async () => {
    await follow();
    hermes.say(hermesMessage({ publishTime: T + 1, price: '6140993501999' }));
    hermes.say(hermesMessage({ publishTime: T + 1, price: '305402900000', id: ETH_ID }));
    await quotesReach(3);
    expect(quotes).toMatchObject([
      {
        asset: 'BTC',
        price: 6_140_993_501_000,
        timeMs: T * 1_000,
        source: 'pyth',
        simulated: false,
        confidence: 3_287_868_567,
      },
      { asset: 'BTC', price: 6_140_993_501_999, timeMs: (T + 1) * 1_000 },
      { asset: 'ETH', price: 305_402_900_000 },
    ]);
    for (const { url, authorization } of hermes.requests) {
      expect(url).toContain(`ids[]=${ASSETS[0]!.pyth}&ids[]=${ASSETS[1]!.pyth}`);
      expect(authorization).toBe('Bearer secret');
    }
    expect(source.urlOf('ETH')).toBe(
      `${hermes.url}/v2/updates/price/stream?ids[]=0x${ETH_ID}&encoding=hex&parsed=true`,
    );
  });

  it('skips garbage, unknown feeds and impossible prices, and continues', async () => {
    await follow();
    hermes.say('{"binary":');
    hermes.say('{"binary":{"encoding":"hex","data":[]},"parsed":[{"id":"xyz"}]}');
    hermes.say(hermesMessage({ publishTime: T + 2, id: '11'.repeat(32) }));
    hermes.say(hermesMessage({ publishTime: T + 2, price: '-5' }));
    hermes.say(hermesMessage({ publishTime: T + 3 }));
    await quotesReach(2);
    expect(quotes.map(({ timeMs }) => timeMs / 1_000 - T)).toEqual([0, 3]);
    expect(troubles.length).toBe(2);
  });

  it('reconnects after a cut, prepares the feed first, and loses only the gap', async () => {
    await follow();
    hermes.cut();
    await troubleComes();
    hermes.latest = hermesMessage({ publishTime: T + 9 });
    await waitFor('the stream is open again', async () => hermes.streams.size === 1);
    hermes.say(hermesMessage({ publishTime: T + 10 }));
    await quotesReach(3);
    expect(quotes.map(({ timeMs }) => timeMs / 1_000 - T)).toEqual([0, 9, 10]);
    expect(sent).toBe(2);
  });

  it('waits as long as a 429 asks, and reconnects', async () => {
    hermes.fault = (_request, response) => void response.writeHead(429, { 'retry-after': '2' }).end('slow down');
    source.start();
    await troubleComes();
    expect(troubles[0]).toMatchObject({ name: 'SourceRefused', status: 429, retryAfterMs: 2_000 });
    hermes.fault = undefined;
    await quotesReach(1);
    // The refused one, then the newest price and the stream: nothing was asked while it waited.
    await waitFor('the stream was asked for', async () => hermes.requests.length >= 3);
    expect(hermes.requests.length).toBe(3);
  });

  it('reconnects after a silent stream', async () => {
    source = new PythSource({ url: hermes.url, assets: ASSETS, silenceMs: 300, ...hooks });
    await follow();
    await troubleComes();
    expect(String(troubles[0])).toContain('silent for 300 ms');
    await waitFor(
      'it asked again',
      async () => hermes.requests.filter(({ url }) => url.includes('stream')).length >= 2,
    );
  });

  it('gives up an answer that stops in the middle', async () => {
    source = new PythSource({ url: hermes.url, assets: ASSETS, answerMs: 100, ...hooks });
    hermes.fault = (_request, response) => void response.writeHead(200).write('{"binary":');
    await expect(source.boundaryUpdate('BTC', T, false)).rejects.toThrow('no answer in time');
    source.start();
    await troubleComes();
    hermes.fault = undefined;
    await quotesReach(1);
  });

  it('gives up an answer, and an event of the stream, that do not end', async () => {
    const endless = (_request: unknown, response: ServerResponse) =>
      void pipeline(Readable.from(spaces()), response.writeHead(200), () => undefined);
    hermes.fault = endless;
    await expect(source.boundaryUpdate('BTC', T, false)).rejects.toThrow('over 1048576 bytes');
    hermes.fault = (request, response) => {
      if (request.url?.includes('stream')) endless(request, response);
      else response.end(hermes.latest);
    };
    source.start();
    await troubleComes();
    expect(String(troubles[0])).toContain('1048576');
    hermes.fault = undefined;
    await waitFor('the stream is open', async () => hermes.streams.size === 1);
  });

  it('stops when it is stopped', async () => {
    await follow();
    source.stop();
    await waitFor('the stream is closed', async () => hermes.streams.size === 0);
    expect(troubles).toEqual([]);
  });

  it('gives the boundary update of a time only when it is unique and in time', async () => {
    const at = (time: number) => source.boundaryUpdate('BTC', time, false);
    hermes.history.set(T, hermesMessage({ publishTime: T + 2, prevPublishTime: T - 1 }));
    expect(await at(T)).toEqual({
      price: 6_140_993_501_000n,
      expo: -8,
      publishTime: T + 2,
      prevPublishTime: T - 1,
      payload: '0x504e41550100000003b801000000040d00bf',
    });
    const bad = [
      { publishTime: T + 61, prevPublishTime: T - 1 },
      { publishTime: T + 5, prevPublishTime: T },
      { publishTime: T - 1, prevPublishTime: T - 2 },
      { publishTime: T + 1, prevPublishTime: T - 1, id: ETH_ID },
    ];
    for (const facts of bad) {
      hermes.history.set(T, hermesMessage(facts));
      expect(await at(T), JSON.stringify(facts)).toBeUndefined();
    }
    expect(await at(T + 500)).toBeUndefined();
    const simulated = { ...JSON.parse(hermesMessage({ publishTime: T, prevPublishTime: T - 1 })), simulated: true };
    hermes.history.set(T, JSON.stringify(simulated));
    expect(await at(T)).toBeUndefined();
    expect(await source.boundaryUpdate('BTC', T, true)).toMatchObject({ publishTime: T });
    hermes.fault = (_request, response) => void response.writeHead(500).end();
    await expect(at(T)).rejects.toBeInstanceOf(SourceRefused);
  });
});

interface Case {
  readonly dialect: SocketDialect;
  readonly message: (price: string, time: Date) => string;
  readonly foreign: string;
  readonly path: string;
  readonly subscribeMessage: string[];
}

const cases: Case[] = [
  {
    dialect: COINBASE,
    message: coinbaseTicker,
    foreign: JSON.stringify({ type: 'subscriptions', channels: [{ name: 'ticker', product_ids: ['BTC-USD'] }] }),
    path: '/',
    subscribeMessage: ['{"type":"subscribe","product_ids":["BTC-USD","ETH-USD"],"channels":["ticker"]}'],
  },
  {
    dialect: BINANCE,
    message: binanceTrade,
    foreign: JSON.stringify({ result: null, id: 1 }),
    path: '/stream?streams=btcusdt@trade/ethusdt@trade',
    subscribeMessage: [],
  },
];

describe.each(cases)('$dialect.name', ({ dialect, message, foreign, path, subscribeMessage }) => {
  let exchange: LocalExchange;
  let source: SocketSource;
  const time = new Date(T * 1_000 + 61);

  beforeEach(async () => {
    exchange = await LocalExchange.open();
    source = new SocketSource({ dialect, url: exchange.url, assets: ASSETS, offsetMs: () => 3_600_000, ...hooks });
  });
  afterEach(async () => {
    source.stop();
    await exchange.close();
  });

  async function connect(): Promise<void> {
    source.start();
    await waitFor('it is connected', async () => exchange.connections === 1);
  }

  it('subscribes to every asset and reads its trades on the clock of the service', async () => {
    exchange.subscribeMessage = () => foreign;
    await connect();
    exchange.say(message('61409.93', time));
    await quotesReach(1);
    const expected = { asset: 'BTC', price: 6_140_993_000_000, timeMs: time.getTime() + 3_600_000, simulated: false };
    expect(quotes[0]).toEqual({ ...expected, source: dialect.name });
    await waitFor('the subscribeMessage came', async () => exchange.received.length === subscribeMessage.length);
    expect([exchange.paths, exchange.received]).toEqual([[path], subscribeMessage]);
    expect([source.knows('BTC'), source.knows('DOGE')]).toEqual([true, false]);
  });

  it('skips garbage and unknown products, and continues', async () => {
    await connect();
    const strange = message('1', time).replaceAll(/BTC/gi, 'XYZ');
    for (const text of ['{', '7', '{"what":1}', message('-5', time), message('1e9', time), strange]) exchange.say(text);
    exchange.say(message('61410', time));
    await quotesReach(1);
    expect(quotes.map(({ price }) => price)).toEqual([6_141_000_000_000]);
    expect(troubles.length).toBe(5);
  });

  it('reconnects and subscribes again after a cut', async () => {
    await connect();
    exchange.cut();
    await troubleComes();
    await waitFor('it is back', async () => exchange.connections === 1 && exchange.paths.length === 2);
    exchange.say(message('61411', time));
    await quotesReach(1);
    await waitFor('it subscribed again', async () => exchange.received.length === 2 * subscribeMessage.length);
  });

  it('waits as long as a 429 asks, and reconnects', async () => {
    exchange.refusal = { status: 429, retryAfter: '1' };
    source.start();
    await troubleComes();
    expect(troubles[0]).toMatchObject({ name: 'SourceRefused', status: 429, retryAfterMs: 1_000 });
    exchange.refusal = undefined;
    await waitFor('it is connected', async () => exchange.connections === 1);
  });

  it('reconnects after a silent connection', async () => {
    const options = { dialect, url: exchange.url, assets: ASSETS, offsetMs: () => 0 };
    source = new SocketSource({ ...options, silenceMs: 300, ...hooks });
    await connect();
    await troubleComes();
    await waitFor('it connected again', async () => exchange.paths.length >= 2);
  });

  it('disconnects when it is stopped, and does not reconnect', async () => {
    await connect();
    source.stop();
    await waitFor('it is gone', async () => exchange.connections === 0);
    expect(troubles).toEqual([]);
    expect(exchange.paths.length).toBe(1);
  });
});

it('coinbase says why it refuses', async () => {
  const refusal = JSON.stringify({
    type: 'error',
    message: 'Failed to subscribe',
    reason: 'BTC-XYZ is not a valid product',
  });
  expect(COINBASE.read(refusal)).toMatchObject({ message: expect.stringContaining('BTC-XYZ is not a valid product') });
});

it('a source is retried after the wait that it asks for, at most an hour and at least our own backoff', () => {
  expect([toPauseMs(0, 500), toPauseMs(60_000, 500), toPauseMs(86_400_000, 500)]).toEqual([500, 60_000, 3_600_000]);
});
