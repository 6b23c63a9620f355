// Read-your-writes across nodes: an answer tells the journal's position, and a request may require at least that position.
import { PresageError } from '@presage/protocol';
import type { HttpReply } from './http/reply.ts';
import type { HttpRequest } from './http/request.ts';

export interface JournalPositions {
  /** The last applied position of each partition on this node. */
  positions(): Readonly<Record<string, number>>;
  /** Waits for a position; resolves to whether it was reached in time, or false for an unknown partition. */
  reached(partition: string, seq: number, withinMs: number): Promise<boolean>;
}

/** Header with positions such as `control=12;m0=345`, in answers to writes and in the requests that follow them. */
const POSITION_HEADER = 'presage-position';
const ENTRY = /^([a-z][a-z0-9-]{0,31})=(\d{1,15})$/;
const MOST_PARTITIONS = 128;
const WAIT_MS = 1_000;

/** Resolves when this node has reached the position that the request requires; undefined if it requires none. */
export function reachPosition({ headers }: HttpRequest, journal: JournalPositions): Promise<void> | undefined {
  const asked = headers[POSITION_HEADER];
  return typeof asked === 'string' && asked !== '' ? catchUp(journal, asked) : undefined;
}

/** Adds the journal's position to the answer of a write, and of a read that reports the result of one. */
export function tellPosition({ method, route }: HttpRequest, reply: HttpReply, journal: JournalPositions): void {
  const isRead = method === 'GET' || method === 'HEAD';
  if ((isRead && route?.tellsPosition !== true) || reply.statusCode >= 500) return;
  reply.header(POSITION_HEADER, formatPositions(journal.positions()));
}

async function catchUp(journal: JournalPositions, text: string): Promise<void> {
  const entries = text.split(';', MOST_PARTITIONS + 1).map((entry) => ENTRY.exec(entry.trim()));
  if (entries.length > MOST_PARTITIONS || entries.includes(null)) {
    throw new PresageError('invalid_field', { field: POSITION_HEADER, expected: 'partition=sequence;...' });
  }
  const reached = await Promise.all(
    entries.map((entry) => journal.reached(entry?.[1] ?? '', Number(entry?.[2]), WAIT_MS)),
  );
  if (reached.includes(false)) throw new PresageError('view_behind');
}

function formatPositions(positions: Readonly<Record<string, number>>): string {
  return Object.entries(positions)
    .map(([partition, seq]) => formatPosition(partition, seq))
    .join(';');
}

/** The entry of one partition; messages of the stream carry it, too. */
export function formatPosition(partition: string, seq: number): string {
  return `${partition}=${seq}`;
}
