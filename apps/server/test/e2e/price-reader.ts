// Reads a price stream as a browser would: events with their ids, in order, until it is told to stop.
import { createParser } from 'eventsource-parser';

export interface PriceEvent {
  readonly id: string;
  readonly asset: string;
  readonly price: number;
  readonly priceUSD: number;
  readonly priceDecimals: number;
  readonly timestamp: number;
  readonly source: string;
  readonly simulated?: boolean;
}

export class PriceReader {
  readonly events: PriceEvent[] = [];
  readonly comments: string[] = [];
  /** Resolves when the stream is over, with true when the server ended it in order. */
  readonly ended: Promise<boolean>;
  readonly headers: Headers;
  readonly #stop: AbortController;

  private constructor(response: Response, stop: AbortController) {
    this.headers = response.headers;
    this.#stop = stop;
    this.ended = this.#read(response);
  }

  static async open(url: string, headers: Readonly<Record<string, string>> = {}): Promise<PriceReader> {
    const stop = new AbortController();
    const response = await fetch(url, { headers, signal: stop.signal });
    if (response.status !== 200) throw new Error(`${url}: ${response.status} ${await response.text()}`);
    return new PriceReader(response, stop);
  }

  close(): void {
    this.#stop.abort();
  }

  async #read(response: Response): Promise<boolean> {
    const parser = createParser({
      onEvent: ({ id = '', data }) => this.events.push({ id, ...(JSON.parse(data) as Omit<PriceEvent, 'id'>) }),
      onComment: (comment) => this.comments.push(comment),
    });
    const decoder = new TextDecoder();
    try {
      for await (const chunk of response.body ?? []) parser.feed(decoder.decode(chunk, { stream: true }));
      return true;
    } catch {
      return false;
    }
  }
}
