// Parses server-sent events from text that arrives in pieces of any size.

export interface ServerSentEvent {
  readonly id: string | undefined;
  readonly data: string;
}

/** Far above the largest event of the service. */
const LONGEST_EVENT = 1_000_000;

/** Supports the part of the standard that the service uses: ids, data and comments. Event names and `retry` are ignored. */
export class EventSourceReader {
  #rest = '';
  #id: string | undefined;
  /** Each data line, followed by a line end. */
  #data = '';

  /** Returns the events that this piece completes. */
  read(piece: string): ServerSentEvent[] {
    // A carriage return at the very end may be half of a line end: it waits for the next piece.
    const lines = (this.#rest + piece).split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop()!;
    const events = lines.flatMap((line) => this.#readLine(line) ?? []);
    if (this.#rest.length + this.#data.length > LONGEST_EVENT) throw new Error('an event of the stream does not end');
    return events;
  }

  #readLine(line: string): ServerSentEvent | undefined {
    if (line === '') return this.#takeEvent();
    const [, name, value] = /^([^:]*):? ?(.*)$/s.exec(line)!;
    if (name === 'data') this.#data += `${value}\n`;
    if (name === 'id') this.#id = value;
    return undefined;
  }

  /** The id applies to later events too, as in the standard; without data there is no event. */
  #takeEvent(): ServerSentEvent | undefined {
    if (this.#data === '') return undefined;
    const event = { id: this.#id, data: this.#data.slice(0, -1) };
    this.#data = '';
    return event;
  }
}
