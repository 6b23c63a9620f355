// Server-sent events, however the text is cut.
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { expect, it } from 'vitest';
import { EventSourceReader } from '../src/stream/event-source.ts';

const TEXT =
  ': a comment\n\nid: 1\ndata: {"a":1}\n\nid: 2\r\ndata: first\r\ndata:second\r\n\r\nevent: named\rdata\rdata:  two spaces: and a colon\r\rid: 3\n\n' +
  'retry: 10\ndata: €\n\ndata: never completed\n';

function readInPieces(text: string, size: number) {
  const reader = new EventSourceReader();
  const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, at) =>
    text.slice(at * size, (at + 1) * size),
  );
  return pieces.flatMap((piece) => reader.read(piece));
}

it.each([1, 2, 3, 7, 1_000])('are the same in pieces of %i characters', (size) => {
  expect(readInPieces(TEXT, size)).toEqual([
    { id: '1', data: '{"a":1}' },
    { id: '2', data: 'first\nsecond' },
    { id: '2', data: '\n two spaces: and a colon' },
    { id: '3', data: '€' },
  ]);
});

it('carry the data that a parser written by others finds', () => {
  const found: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (event) => found.push(event) });
  parser.feed(TEXT);
  expect(readInPieces(TEXT, 5).map(({ data }) => data)).toEqual(found.map(({ data }) => data));
});
