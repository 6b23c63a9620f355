// Reads server-sent events out of text that arrives in pieces of any size.

export interface ServerSentEvent {
  readonly id: string | undefined;
  readonly data: string;
}

/** Far more than an event of the service has. */
const LONGEST_EVENT = 1_000_000;

/** The part of the standard that the service's streams use: ids, data and comments. Names of events and `retry` are passed over. */
export class EventSourceReader {
  #rest = '';
  #id: string | undefined;
  /** A line's end follows each of its lines. */
  #data = '';

  /** The events that this piece completes. */
  read(piece: string): ServerSentEvent[] {
    // A return at the very end may be half of a line's end: it waits for the next piece.
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

  /** The id stays for the events that follow, as the standard has it; without data there is no event. */
  #takeEvent(): ServerSentEvent | undefined {
    if (this.#data === '') return undefined;
    const event = { id: this.#id, data: this.#data.slice(0, -1) };
    this.#data = '';
    return event;
  }
}
