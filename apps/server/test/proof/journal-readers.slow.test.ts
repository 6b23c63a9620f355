// Readers of the public journal over the real listener, most of whom read nothing: what is held for them is bounded, and they are let go.
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { decodeFrame } from '@presage/journal';
import { openSigningKey } from '@presage/protocol/ed25519';
import {
  createOrderBuilders,
  ManualClock,
  MemoryJournal,
  MemoryStorage,
  marketFacts,
  SILENT_LOG,
  waitFor,
} from '@presage/testkit';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { routesOf } from '../../src/api/endpoint.ts';
import { HttpListener } from '../../src/api/http-listener.ts';
import { openHttpServer } from '../../src/api/http-server.ts';
import { journalEndpoints } from '../../src/api/routes/journal.ts';
import { openUnsentBytes } from '../../src/api/unsent-answers.ts';
import { Host } from '../../src/host/host.ts';
import { HostCommands } from '../../src/host/host-commands.ts';
import { PartitionLog } from '../../src/host/partition-log.ts';
import { PublicJournal } from '../../src/proof/public-journal.ts';
import { Receipts } from '../../src/proof/receipts.ts';
import { connectionsOf } from '../api/connections-of.ts';

const ORDERS = 6_000;
const MEBIBYTE = 1024 * 1024;
let publicJournal: PublicJournal;
let lastSeq: number;

interface FrameAnswer {
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly bytes: string;
  readonly hash: string;
  readonly records?: readonly { readonly seq: number }[];
}

/** With orders that all came in the same moment. */
beforeAll(async () => {
  const clock = new ManualClock();
  const nowMs = () => clock.nowMs;
  const journal = await MemoryJournal.open({ storage: new MemoryStorage('m0') });
  const log = await PartitionLog.open({ journal, nowMs, onFatal: (error) => expect.unreachable(String(error)) });
  const commands = new HostCommands([await Host.open({ log, nowMs })]);
  await commands.listMarket(marketFacts());
  const traders = createOrderBuilders(clock);
  const orders = Array.from({ length: ORDERS }, () => traders.aliceBuysYes({ price: '0.2', size: '1' }));
  await Promise.all(orders.map((order) => commands.placeOrder(order)));
  lastSeq = log.lastSeq;
  const receipts = new Receipts(openSigningKey('07'.repeat(32)));
  publicJournal = new PublicJournal({ markets: [log], others: () => [], receipts, nowMs, delayMs: 0 });
});

interface ServeOptions {
  readonly stallMs?: number;
  readonly unsentBytes?: number;
}

async function serve({ stallMs, unsentBytes }: ServeOptions = {}) {
  const listener = new HttpListener(stallMs === undefined ? {} : { stallMs });
  const log = SILENT_LOG;
  const unsent = openUnsentBytes(unsentBytes === undefined ? {} : { all: unsentBytes });
  const options = { listener, log, onAnswer: () => undefined, rateLimits: false, corsOrigins: [], unsent };
  openHttpServer(options, [routesOf(journalEndpoints(publicJournal, { find: () => undefined }))]);
  const url = await listener.listen(0, '127.0.0.1');
  let accepted = 0;
  listener.server.on('connection', () => accepted++);
  onTestFinished(async () => {
    listener.server.closeAllConnections();
    await listener.close();
  });
  return { url, connections: () => connectionsOf(listener), accepted: () => accepted };
}

/** More than the system's sockets take of the answers. */
const ASKED_AT_ONCE = 8;

/** Asks, and never takes an answer out of its socket. */
function askSilently(url: string, path: string): Socket {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1' });
  socket.on('error', () => undefined).pause();
  socket.write(`GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`.repeat(ASKED_AT_ONCE));
  onTestFinished(() => void socket.destroy());
  return socket;
}

async function readPage(url: string, query: string): Promise<{ frames: FrameAnswer[]; nextSeq: number }> {
  return (await fetch(`${url}/api/v1/journal/m0?${query}`)).json();
}

describe('a page', () => {
  it.each([1, 10_000])('is bounded in bytes, however many orders came at once: limit=%i', async (limit) => {
    const { url } = await serve();
    const answer = await fetch(`${url}/api/v1/journal/m0?fromSeq=2&limit=${limit}`);
    expect((await answer.arrayBuffer()).byteLength).toBeLessThan(2 * MEBIBYTE);
  });

  it('and its successors give the whole journal, every frame with its hashed bytes', async () => {
    const { url } = await serve();
    const seqs: number[] = [];
    for (let fromSeq = 1; fromSeq <= lastSeq; ) {
      const { frames, nextSeq } = await readPage(url, `fromSeq=${fromSeq}&limit=500`);
      for (const { bytes, hash, firstSeq, records = [] } of frames) {
        const decoded = decodeFrame(new Uint8Array(Buffer.from(bytes, 'base64')));
        if ('fault' in decoded) return expect.unreachable(decoded.fault);
        expect([`0x${Buffer.from(decoded.hash).toString('hex')}`, decoded.firstSeq]).toEqual([hash, firstSeq]);
        seqs.push(...records.map(({ seq }) => seq));
      }
      fromSeq = nextSeq;
    }
    expect(seqs).toEqual(Array.from({ length: lastSeq }, (_, index) => index + 1));
  });

  it('omits the records on request', async () => {
    const { url } = await serve();
    const { frames } = await readPage(url, 'records=none');
    expect(frames.some((frame) => 'records' in frame)).toBe(false);
  });
});

describe('the stream', () => {
  it('sends the same frames as the pages do', async () => {
    const { url } = await serve();
    const answer = await fetch(`${url}/api/v1/journal/m0/stream`);
    const chunks: string[] = [];
    for await (const chunk of answer.body!.pipeThrough(new TextDecoderStream())) {
      chunks.push(chunk);
      // Only a whole event can be the last: to search all text for each chunk would take longer than the stream.
      if (chunk.endsWith('\n\n') && chunks.join('').includes(`id: ${lastSeq}\n`)) break;
    }
    const streamed = chunks
      .join('')
      .split('\n\n')
      .flatMap((event) => /^id: \d+\ndata: (.*)$/.exec(event)?.[1] ?? []);
    const paged: FrameAnswer[] = [];
    for (let fromSeq = 1; fromSeq <= lastSeq; ) {
      const { frames, nextSeq } = await readPage(url, `fromSeq=${fromSeq}`);
      paged.push(...frames);
      fromSeq = nextSeq;
    }
    expect(streamed.map((frame) => JSON.parse(frame))).toEqual(paged);
  });
});

describe('places for streams', () => {
  it('are for everybody: the address that holds all of them makes room for another', async () => {
    const { url, connections } = await serve();
    const ask = (localAddress: string) => {
      const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', localAddress });
      // What is yet to come: the history would be read once for each of them.
      const path = `/api/v1/journal/m0/stream?fromSeq=${lastSeq + 1}`;
      socket.on('error', () => undefined).write(`GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`);
      onTestFinished(() => void socket.destroy());
      return socket;
    };
    const STREAMS = 256;
    for (let reader = 0; reader < STREAMS; reader++) ask('127.0.0.2').resume();
    await waitFor('all have come', async () => (await connections()) === STREAMS);
    const statusOf = async (localAddress: string) => {
      let text = '';
      ask(localAddress).on('data', (data) => {
        text ||= data.toString('latin1');
      });
      return waitFor('it is answered', async () => /^HTTP\/1.1 (\d+)/.exec(text)?.[1]);
    };
    await waitFor('all are taken', async () => (await statusOf('127.0.0.2')) === '503');
    expect(await statusOf('127.0.0.3')).toBe('200');
  });
});

describe('readers who read nothing', () => {
  const paths = ['/api/v1/journal/m0/stream?fromSeq=2', '/api/v1/journal/m0?fromSeq=2&limit=10000&records=none'];

  it.each(paths)('take little memory, however many they are: %s', async (path) => {
    const { url, accepted } = await serve();
    const READERS = 20;
    const before = process.memoryUsage().rss;
    for (let reader = 0; reader < READERS; reader++) askSilently(url, path);
    // Some are cut off soon, because they ask for too much in one go.
    await waitFor('all have come', async () => accepted() >= READERS);
    // Readers who do read are served meanwhile, after them.
    await readPage(url, 'fromSeq=2&limit=1');
    await sleep(500);
    const mebibytes = (process.memoryUsage().rss - before) / MEBIBYTE;
    // Each answer has 1 MiB of frames at most and a part of its text; a copy of one was 6 MiB before anything was read.
    expect(mebibytes).toBeLessThan(READERS * ASKED_AT_ONCE * 2);
  });

  it.each(paths)('are cut off after a while: %s', async (path) => {
    const { url, connections, accepted } = await serve({ stallMs: 300 });
    for (let reader = 0; reader < 5; reader++) askSilently(url, path);
    await waitFor('all have come', async () => accepted() === 5);
    await waitFor('all are cut off', async () => (await connections()) === 0);
  });

  it.each(paths)('are cut off when too much is held for all of them: %s', async (path) => {
    const { url, connections } = await serve({ unsentBytes: 2 * MEBIBYTE });
    const READERS = 30;
    for (let reader = 0; reader < READERS; reader++) askSilently(url, path);
    await waitFor('some are cut off', async () => {
      await readPage(url, 'fromSeq=2&limit=1');
      return (await connections()) < READERS / 2;
    });
  });
});
