// Streams prices to any number of readers over server-sent events: encodes each event once and drops slow readers individually.
import { PresageError, stringifyJson } from '@presage/protocol';
import type { Price } from '../prices/ports.ts';
import type { Prices } from '../prices/prices.ts';
import type { HttpReply } from './http/reply.ts';
import { toStreamEvent } from './mappers/price.ts';

interface PriceStreamOptions {
  readonly prices: Pick<Prices, 'last' | 'since' | 'subscribe'>;
  readonly maxReaders?: number;
  /** Limit on unsent bytes of one reader, beyond the system's socket buffer. */
  readonly maxBacklogBytes?: number;
}

const COMMENT_EVERY_MS = 15_000;
const COMMENT = Buffer.from(': still here\n\n');
/** Default backlog; three times the size of twenty minutes of events. */
const MAX_BACKLOG_BYTES = 512 * 1024;
const MAX_READERS = 10_000;

export class PriceStream {
  readonly #options: PriceStreamOptions;
  readonly #readers = new Map<string, Set<HttpReply>>();
  readonly #unsubscribe: () => void;
  readonly #comments: NodeJS.Timeout;
  #isClosed = false;

  constructor(options: PriceStreamOptions) {
    this.#options = options;
    this.#unsubscribe = options.prices.subscribe((price) => this.#send(price));
    this.#comments = setInterval(() => this.#comment(), COMMENT_EVERY_MS).unref();
  }

  get readerCount(): number {
    let count = 0;
    for (const readers of this.#readers.values()) count += readers.size;
    return count;
  }

  /** Throws, before anything is written, if there are too many readers or no price yet. */
  requireCapacity(asset: string): void {
    if (this.#isClosed || this.readerCount >= (this.#options.maxReaders ?? MAX_READERS)) {
      throw new PresageError('overloaded');
    }
    if (this.#options.prices.last(asset) === undefined) throw new PresageError('price_unavailable', { asset });
  }

  /** Adds a reader. Resumes after the last event it saw if that is still kept, otherwise at the last price. */
  add(asset: string, reply: HttpReply, lastEventId: string | undefined): void {
    const raw = reply.startEvents();
    const readers = this.#readers.get(asset) ?? new Set();
    this.#readers.set(asset, readers);
    raw.on('close', () => readers.delete(reply));
    // Ignored, because a broken connection also emits 'close'.
    raw.on('error', () => undefined);
    raw.on('drain', () => reply.noteHeld(0));
    raw.socket?.setNoDelay(true);
    raw.write(Buffer.concat(this.#missed(asset, lastEventId).map(encodeEvent)));
    reply.noteUnsent();
    readers.add(reply);
  }

  /** Ends every stream; readers reconnect elsewhere. */
  close(): void {
    this.#isClosed = true;
    clearInterval(this.#comments);
    this.#unsubscribe();
    for (const readers of this.#readers.values()) for (const { stream } of readers) stream.end();
  }

  #missed(asset: string, lastEventId: string | undefined): readonly Price[] {
    const { prices } = this.#options;
    const seenMs = lastEventId !== undefined && /^\d{1,15}$/.test(lastEventId) ? Number(lastEventId) : undefined;
    const missed = seenMs === undefined ? undefined : prices.since(asset, seenMs);
    if (missed !== undefined) return missed;
    const last = prices.last(asset);
    return last === undefined ? [] : [last];
  }

  #send(price: Price): void {
    const readers = this.#readers.get(price.asset);
    if (readers === undefined || readers.size === 0) return;
    const event = encodeEvent(price);
    for (const reply of readers) this.#write(reply, event);
  }

  #comment(): void {
    for (const readers of this.#readers.values()) for (const reply of readers) this.#write(reply, COMMENT);
  }

  #write(reply: HttpReply, bytes: Buffer): void {
    const { stream } = reply;
    if (stream.writableLength > (this.#options.maxBacklogBytes ?? MAX_BACKLOG_BYTES)) stream.destroy();
    else if (!stream.write(bytes)) reply.noteUnsent();
  }
}

/** Encodes an event. Its id is the price's own time, so that it remains valid after a restart. */
function encodeEvent(price: Price): Buffer {
  return Buffer.from(`id: ${price.timeMs}\ndata: ${stringifyJson(toStreamEvent(price))}\n\n`);
}
