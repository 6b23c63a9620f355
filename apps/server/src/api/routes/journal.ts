// Endpoints for the public journal: pages of frames, their stream, the signed heads and anchors.
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { LIMITS, PresageError, toChecksumAddress } from '@presage/protocol';
import * as wire from '@presage/protocol/wire';
import Type from 'typebox';
import type { ChainAnchors } from '../../proof/anchors.ts';
import type { JournalReader } from '../../proof/frame-cursors.ts';
import type { PublicJournal } from '../../proof/public-journal.ts';
import type { PublishedFrame, PublishedPage } from '../../proof/published-frame.ts';
import type { PublishedPartition } from '../../proof/published-partition.ts';
import { type Endpoint, endpoint, streamingEndpoint } from '../endpoint.ts';
import type { HttpReply } from '../http/reply.ts';
import type { HttpRequest } from '../http/request.ts';
import { requireRoom } from '../http/require-room.ts';
import { CHAIN_ID, choiceOf, listLimit, optional, textKind, withDefault } from '../parameters.ts';
import { ReaderPlaces } from '../reader-places.ts';
import { toRateKey } from '../request-origin.ts';

const { journalRecords, journalReadable, journalAnchors } = LIMITS;

const SEQ = textKind({
  schema: Type.String({ pattern: '^[1-9][0-9]{0,14}$' }),
  description: 'Place in the journal, from 1; 1 when absent',
  expected: 'an integer of at least 1',
  read: Number,
});

const RECORDS = choiceOf(
  ['decoded', 'none'],
  'Whether the records come readable beside the bytes; decoded when absent',
);

/** Approximate size of a part of an answer; smaller pieces are joined, because each part costs a write. */
const PART_CHARACTERS = 64 * 1_024;
const COMMENT_EVERY_MS = 15_000;
/** Limit on open streams, of which each reads files at its own pace. */
const MAX_STREAMS = 256;

type AnchorLists = Pick<ChainAnchors<never>, 'find'>;

const about = { method: 'get', tag: 'Proof' } as const;

export function journalEndpoints(journal: PublicJournal, lists: AnchorLists): Endpoint[] {
  return [...headEndpoints(journal, lists), ...frameEndpoints(journal)];
}

function headEndpoints(journal: PublicJournal, lists: AnchorLists): Endpoint[] {
  return [
    endpoint({
      ...about,
      path: '/api/v1/journal/head',
      id: 'getJournalHead',
      summary: 'The newest frame of every partition, signed',
      description: 'Who keeps it can prove later that history was changed.',
      answer: wire.JournalHead,
      handle: async () => ({
        ...journal.heads(),
        delaySeconds: journal.delaySeconds,
        key: journal.publicKey,
      }),
    }),
    endpoint({
      ...about,
      path: '/api/v1/journal/anchors',
      answeredBy: 'settler',
      id: 'listAnchors',
      summary: 'What was anchored on chain, newest first',
      description:
        'Of one chain, the first when none is named. The hash of the heads is in an event of the contract: from then on nobody can rewrite what was before.',
      query: {
        chain_id: optional(CHAIN_ID),
        limit: listLimit(journalAnchors),
      },
      answer: wire.JournalAnchorList,
      handle: async ({ query: { chain_id: chainId, limit } }) => {
        const { place, ledger } = lists.find(chainId) ?? {};
        return {
          contract: place === undefined ? null : toChecksumAddress(place.contract),
          operator: place === undefined ? null : toChecksumAddress(place.operator),
          chainId: place?.chainId ?? null,
          anchors: ledger?.list().slice(-limit).reverse() ?? [],
          count: ledger?.count ?? 0,
        };
      },
    }),
  ];
}

function frameEndpoints(journal: PublicJournal): Endpoint[] {
  const partition = textKind({
    schema: Type.String({ pattern: '^[a-z0-9][a-z0-9-]{0,23}$' }),
    description:
      'Of the markets: m0 and, where they are spread over several, m1 and so on. The others hold keys and tokens, and only their heads are public',
    read: (text) => journal.find(text),
    refusal: (text) => new PresageError('not_found', { partition: text }),
  });
  const places = new ReaderPlaces(MAX_STREAMS);
  return [
    streamingEndpoint({
      ...about,
      path: '/api/v1/journal/:partition',
      id: 'getJournal',
      summary: 'Every order, trade and settlement as it was written, with its hash chain',
      description: 'Refused orders are not in it. `npx @presage/cli verify` checks all of it.',
      params: { partition },
      query: {
        fromSeq: withDefault(SEQ, 1),
        limit: listLimit(journalRecords, journalReadable),
        records: withDefault(RECORDS, 'decoded'),
      },
      answer: wire.JournalPage,
      contentType: 'application/json',
      errors: ['not_found', 'overloaded'],
      handle: async ({ params, query: { fromSeq, limit, records }, request, reply }) => {
        requireRoom(request, reply);
        const isDecoded = records === 'decoded';
        const most = isDecoded ? Math.min(limit, journalReadable) : limit;
        const page = await params.partition.page({ fromSeq, limit: most, isDecoded, reader: toReader(request, reply) });
        requireRoom(request, reply);
        sendPage(page, reply);
      },
    }),
    streamingEndpoint({
      ...about,
      path: '/api/v1/journal/:partition/stream',
      id: 'streamJournal',
      summary: 'Frames from a place on, as they are published, as server-sent events',
      description: 'The id of an event is the last record of its frame: `Last-Event-ID` continues behind it.',
      params: { partition },
      query: { fromSeq: withDefault(SEQ, 1), records: withDefault(RECORDS, 'decoded') },
      answer: wire.JournalFrame,
      contentType: 'text/event-stream',
      errors: ['not_found', 'overloaded'],
      // No HEAD: it would never end.
      options: { hasHead: false },
      handle: ({ params, query, request, reply }) => {
        requireRoom(request, reply);
        const seen = Number(request.headers['last-event-id'] ?? Number.NaN);
        const fromSeq = Number.isSafeInteger(seen) && seen >= 0 ? seen + 1 : query.fromSeq;
        const leave = places.take(request.address, () => reply.raw.destroy());
        reply.raw.once('close', leave);
        const isDecoded = query.records === 'decoded';
        const reader = toReader(request, reply);
        void sendFrames(params.partition, reply, { fromSeq, limit: journalReadable, isDecoded, reader });
      },
    }),
  ];
}

function toReader({ address }: HttpRequest, { raw }: HttpReply): JournalReader {
  return { name: toRateKey(address), hasLeft: () => raw.destroyed };
}

/** Sends a page in parts, each built after the previous one was sent: as text, a page takes four times the bytes of its frames. */
function sendPage(page: PublishedPage, reply: HttpReply): void {
  reply.noteHeld(heldBytes(page.frames));
  reply.type('application/json; charset=utf-8').send(Readable.from(inParts(page.json())));
}

function heldBytes(frames: readonly PublishedFrame[]): number {
  return frames.reduce((sum, frame) => sum + frame.heldBytes, 0);
}

/** Streams frames at the reader's pace, so that nothing piles up for a slow one. */
async function sendFrames(
  partition: PublishedPartition,
  reply: HttpReply,
  query: Parameters<PublishedPartition['follow']>[0],
): Promise<void> {
  const raw = reply.startEvents();
  const gone = new AbortController();
  raw.on('close', () => gone.abort());
  raw.on('error', () => gone.abort());
  const comments = setInterval(() => raw.write(': still here\n\n'), COMMENT_EVERY_MS);
  try {
    for await (const frames of partition.follow(query, gone.signal)) {
      reply.noteHeld(heldBytes(frames));
      for (const part of inParts(toEvents(frames))) {
        if (gone.signal.aborted) return;
        if (!raw.write(part)) await drained(raw, gone.signal);
      }
      reply.noteHeld(0);
    }
  } catch {
    // A reader that loses its connection continues with Last-Event-ID.
  } finally {
    clearInterval(comments);
    raw.end();
  }
}

function* toEvents(frames: readonly PublishedFrame[]): Generator<string> {
  for (const frame of frames) {
    yield `id: ${frame.lastSeq}\ndata: `;
    yield* frame.json();
    yield '\n\n';
  }
}

function drained(raw: ServerResponse, gone: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    // Removes the listeners, since a reader of a long journal waits thousands of times.
    const end = () => {
      raw.off('drain', end);
      gone.removeEventListener('abort', end);
      resolve();
    };
    raw.once('drain', end);
    gone.addEventListener('abort', end, { once: true });
  });
}

/** Joins small pieces into parts that are worth a write each. */
function* inParts(pieces: Iterable<string>): Generator<string> {
  let part = '';
  for (const piece of pieces) {
    part += piece;
    if (part.length < PART_CHARACTERS) continue;
    yield part;
    part = '';
  }
  if (part !== '') yield part;
}
