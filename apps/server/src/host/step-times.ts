// How long each step of something took, by the clock, and all of them together of the processor: for the log.

export class StepTimes {
  readonly #cpu = process.cpuUsage();
  readonly #startMs = performance.now();
  readonly #steps: string[] = [];

  async step<T>(name: string, done: Promise<T>): Promise<T> {
    const startMs = performance.now();
    const result = await done;
    this.#steps.push(`${name} in ${Math.round(performance.now() - startMs)}`);
    return result;
  }

  toString(): string {
    const { user, system } = process.cpuUsage(this.#cpu);
    const tookMs = Math.round(performance.now() - this.#startMs);
    return `${tookMs} ms (${this.#steps.join(', ')}), ${Math.round((user + system) / 1_000)} ms of the processor`;
  }
}
