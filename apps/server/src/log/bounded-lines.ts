// Writes log lines to a stream, and drops lines if nobody reads them: the stream itself would keep all of them in memory.
import type { Writable } from 'node:stream';

const UNREAD_BYTES = 8 * 1024 * 1024;

export class BoundedLines {
  readonly #stream: Writable;
  #lost = 0;

  /** `onLost` is called with the number of dropped lines once there is room again. */
  constructor(stream: Writable, onLost: (lines: number) => void) {
    this.#stream = stream;
    stream.on('drain', () => {
      const lost = this.#lost;
      this.#lost = 0;
      if (lost > 0) onLost(lost);
    });
  }

  write(line: string): void {
    if (this.#stream.writableLength < UNREAD_BYTES) this.#stream.write(line);
    else this.#lost++;
  }
}
