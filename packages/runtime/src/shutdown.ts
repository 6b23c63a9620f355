// Closes resources in reverse order of opening; a failure does not keep the others from closing.

interface Step {
  readonly name: string;
  readonly close: () => unknown;
}

export class Shutdown {
  readonly #steps: Step[] = [];
  readonly #onFailure: (name: string, error: unknown) => void;
  #running: Promise<void> | undefined;

  constructor(onFailure: (name: string, error: unknown) => void) {
    this.#onFailure = onFailure;
  }

  /** A step added after the shutdown began is closed at once, so that nothing opened meanwhile stays open. */
  add(name: string, close: () => unknown): void {
    const step = { name, close };
    if (this.#running === undefined) this.#steps.push(step);
    else this.#running = Promise.all([this.#running, this.#close(step)]).then(() => undefined);
  }

  run(): Promise<void> {
    this.#running ??= this.#closeAll();
    return this.#running;
  }

  async #closeAll(): Promise<void> {
    for (const step of this.#steps.splice(0).reverse()) await this.#close(step);
  }

  async #close({ name, close }: Step): Promise<void> {
    try {
      await close();
    } catch (error) {
      this.#onFailure(name, error);
    }
  }
}
