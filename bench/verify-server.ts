// Serves a journal over HTTP like an exchange, for the verifier's benchmark: pages are prepared, so that serving costs nothing.
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { type ParsedFrame, parseFrame } from '@presage/journal/layout';
import { hashHeads, receiptText, type SignedFrame, toHex } from '@presage/protocol';
import { openSigningKey } from '@presage/protocol/ed25519';
import { portOf } from '@presage/runtime/node';

const KEY = openSigningKey('07'.repeat(32));
const PAGE_RECORDS = 10_000;

interface ServeOptions {
  readonly frames: readonly Uint8Array[];
  readonly chainId: number;
  readonly settlement: object;
  /** Hash and step of the market's book. */
  readonly book: { readonly seq: number; readonly hash: string };
}

export async function serveJournal(options: ServeOptions): Promise<{ readonly url: string; close(): void }> {
  const pages = makePages(options.frames);
  const head = signLast(options.frames);
  const publishedSeq = head.lastSeq;
  const answers: Record<string, (query: URLSearchParams) => string> = {
    '/api/v1/config': () => {
      const chains = [{ chainId: options.chainId, settlement: options.settlement, oracle: null }];
      return JSON.stringify({ receiptKey: `0x${KEY.publicKeyHex}`, chains });
    },
    '/api/v1/journal/head': () => JSON.stringify({ heads: [head], hash: hashHeads([head]), delaySeconds: 0 }),
    '/api/v1/journal/m0': (query) => {
      const fromSeq = Number(query.get('fromSeq'));
      const page = pages.get(fromSeq) ?? { frames: '[]', nextSeq: fromSeq };
      const rest = JSON.stringify({ nextSeq: page.nextSeq, publishedSeq, head });
      return `{"frames":${page.frames},${rest.slice(1)}`;
    },
  };
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    const answer = pathname.startsWith('/api/v1/orderbook/')
      ? JSON.stringify(options.book)
      : answers[pathname]?.(searchParams);
    response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(answer ?? '{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${portOf(server)}`, close: () => server.close() };
}

interface Page {
  /** Frames as JSON. */
  readonly frames: string;
  readonly nextSeq: number;
}

function makePages(frames: readonly Uint8Array[]): Map<number, Page> {
  const pages = new Map<number, Page>();
  let [firstSeq, texts]: [number, string[]] = [1, []];
  for (const [index, bytes] of frames.entries()) {
    const { lastSeq } = read(bytes);
    texts.push(JSON.stringify({ bytes: Buffer.from(bytes).toString('base64') }));
    if (lastSeq - firstSeq + 1 < PAGE_RECORDS && index < frames.length - 1) continue;
    pages.set(firstSeq, { frames: `[${texts.join(',')}]`, nextSeq: lastSeq + 1 });
    [firstSeq, texts] = [lastSeq + 1, []];
  }
  return pages;
}

function signLast(frames: readonly Uint8Array[]): SignedFrame {
  const bytes = frames.at(-1);
  if (bytes === undefined) throw new Error('a journal without frames');
  const { partition, firstSeq, lastSeq, timeMs } = read(bytes);
  const frameHash = toHex(createHash('sha256').update(bytes).digest());
  const unsigned = { partition, firstSeq, lastSeq, frameHash, timeMs };
  return { ...unsigned, signature: toHex(KEY.sign(Buffer.from(receiptText(unsigned)))) };
}

function read(bytes: Uint8Array): ParsedFrame {
  const frame = parseFrame(bytes);
  if ('fault' in frame) throw new Error(`a frame with a bad ${frame.fault}`);
  return frame;
}
