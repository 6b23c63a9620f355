// How long nothing was answered while somebody waited, by what was asked: measured where the answers arrive.

interface Waiting {
  readonly sinceMs: number;
}

interface Stream {
  readonly waiting: Set<Waiting>;
  answeredMs: number;
  worstMs: number;
  /** First answer after the mark. */
  backMs: number | undefined;
}

export class Outages {
  readonly #streams = new Map<string, Stream>();
  readonly #notes = new Map<string, number>();
  #markMs = 0;
  /** How long each answer took, by stream. */
  readonly tookMs = new Map<string, number[]>();

  /** Something is asked now; the returned function says that it was answered. */
  begin(name: string): () => void {
    const stream = this.#streamOf(name);
    const waiting = { sinceMs: performance.now() };
    stream.waiting.add(waiting);
    return () => {
      const nowMs = performance.now();
      stream.worstMs = Math.max(stream.worstMs, silentMs(stream, nowMs));
      stream.waiting.delete(waiting);
      stream.answeredMs = nowMs;
      stream.backMs ??= nowMs;
      const took = this.tookMs.get(name) ?? [];
      took.push(nowMs - waiting.sinceMs);
      this.tookMs.set(name, took);
    };
  }

  /** Counts an answer that was none. */
  note(what: string): void {
    this.#notes.set(what, (this.#notes.get(what) ?? 0) + 1);
  }

  /** The moment from which a recovery is counted: a kill, a promotion, a link that is whole again. */
  mark(): void {
    this.#markMs = performance.now();
    for (const stream of this.#streams.values()) stream.backMs = undefined;
  }

  /** Time from the mark to the first answer in the stream that had to wait longest for one. */
  recovery(isCounted: (name: string) => boolean): number {
    const counted = [...this.#streams].filter(([name]) => isCounted(name));
    const backMs = counted.map(([, stream]) => (stream.backMs ?? performance.now()) - this.#markMs);
    return Math.round(Math.max(...backMs));
  }

  /** Whether every stream was answered after that moment. */
  areAnsweredSince(ms: number): boolean {
    return [...this.#streams.values()].every(({ answeredMs, waiting }) => {
      const oldestMs = Math.min(...[...waiting].map(({ sinceMs }) => sinceMs));
      return answeredMs > ms && oldestMs > ms;
    });
  }

  /** The longest outage of each stream since the last call, and what was answered meanwhile beside answers. */
  take(): { readonly worstMs: ReadonlyMap<string, number>; readonly notes: ReadonlyMap<string, number> } {
    const worstMs = new Map([...this.#streams].map(([name, stream]) => [name, Math.round(stream.worstMs)]));
    const notes = new Map(this.#notes);
    this.#notes.clear();
    for (const stream of this.#streams.values()) stream.worstMs = 0;
    return { worstMs, notes };
  }

  #streamOf(name: string): Stream {
    const known = this.#streams.get(name);
    if (known !== undefined) return known;
    const stream = { waiting: new Set<Waiting>(), answeredMs: 0, worstMs: 0, backMs: undefined };
    this.#streams.set(name, stream);
    return stream;
  }
}

/** Since the last answer, but not longer than somebody has waited. */
function silentMs({ waiting, answeredMs }: Stream, nowMs: number): number {
  const oldestMs = Math.min(...[...waiting].map(({ sinceMs }) => sinceMs));
  return nowMs - Math.max(answeredMs, oldestMs);
}
