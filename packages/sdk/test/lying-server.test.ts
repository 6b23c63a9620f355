// A server that lies costs its clients a bounded amount of memory and time, whatever it sends.
import { createServer, type Server, type ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { portOf } from '@presage/runtime/node';
import { afterEach, describe, expect, it } from 'vitest';
import { createPublicClient, PresageConnectionError } from '../src/index.ts';
import { EventSourceReader } from '../src/stream/event-source.ts';
import { verifyExchange } from '../src/verify/index.ts';

const MEBIBYTE = 1024 * 1024;
/** A gigabyte of spaces in a megabyte. */
const BOMB = gzipSync(Buffer.alloc(1024 * MEBIBYTE, ' '), { level: 1 });

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

type Answer = (response: ServerResponse, path: string) => void;

async function serve(answer: Answer): Promise<string> {
  server = createServer((request, response) => answer(response, request.url ?? ''));
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${portOf(server)}`;
}

const sendBomb: Answer = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
  response.end(BOMB);
};

const sendForEver: Answer = (response) => {
  const piece = `{"a":1},`.repeat(10_000);
  const write = () => {
    while (response.write(piece));
    response.once('drain', write);
  };
  response.write('[');
  write();
};

const drip: Answer = (response) => {
  response.write('{');
  const timer = setInterval(() => response.write(' '), 20);
  response.on('close', () => clearInterval(timer));
};

describe('a read', () => {
  it.each([
    ['a gigabyte in a megabyte', sendBomb],
    ['an answer without an end', sendForEver],
  ])('of %s is given up', async (_what, answer) => {
    const client = createPublicClient({ url: await serve(answer), retries: 0 });
    const before = process.memoryUsage().rss;
    await expect(client.listMarkets()).rejects.toThrow(PresageConnectionError);
    expect((process.memoryUsage().rss - before) / MEBIBYTE).toBeLessThan(500);
  });

  it('that arrives byte by byte is given up in its time', async () => {
    const client = createPublicClient({ url: await serve(drip), retries: 0, timeoutMs: 300 });
    await expect(client.listMarkets()).rejects.toThrow(PresageConnectionError);
  });
});

it.each([
  ['line', 'x'.repeat(100_000)],
  ['event', 'data: 1\n'.repeat(12_500)],
])('a %s of a stream that does not end is given up', (_what, piece) => {
  const reader = new EventSourceReader();
  const send = () => {
    for (let sent = 0; sent < 100; sent++) reader.read(piece);
  };
  expect(send).toThrow('does not end');
});

describe('a verification', () => {
  const config = { chains: [], receiptKey: `0x${'00'.repeat(32)}` };
  const heads = { heads: [], delaySeconds: 0 };
  const answerJson = (response: ServerResponse, body: object) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  /** Answers what a verification asks for first as it should be, and the journal by `pages`. */
  const lieAboutJournal =
    (pages: Answer): Answer =>
    (response, path) => {
      if (path.startsWith('/api/v1/config')) return answerJson(response, config);
      if (path.startsWith('/api/v1/journal/head')) return answerJson(response, heads);
      return pages(response, path);
    };

  it.each([
    ['drips', drip],
    ['packs a gigabyte into a megabyte', sendBomb],
    ['never ends', sendForEver],
  ])('ends in its time when the journal %s', async (_what, pages) => {
    const url = await serve(lieAboutJournal(pages));
    const signal = AbortSignal.timeout(1_500);
    await expect(verifyExchange({ url, signal, signatures: false })).rejects.toThrow();
  });

  it('takes 2^52 published records that are not there for what they are', async () => {
    const page = { frames: [], publishedSeq: 2 ** 52, nextSeq: 1, head: null };
    const url = await serve(lieAboutJournal((response) => answerJson(response, page)));
    const { sound, counts } = await verifyExchange({ url, signatures: false });
    expect(counts.records).toBe(0);
    expect(sound).toBe(false);
  });
});
