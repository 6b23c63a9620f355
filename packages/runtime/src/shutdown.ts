// Closes what was opened, last first; one that fails does not keep the others from closing.

export class Shutdown {
  readonly #steps: { readonly name: string; readonly close: () => unknown }[] = [];
  readonly #onFailure: (name: string, error: unknown) => void;
  #running: Promise<void> | undefined;

  constructor(onFailure: (name: string, error: unknown) => void) {
    this.#onFailure = onFailure;
  }

  add(name: string, close: () => unknown): void {
    this.#steps.push({ name, close });
  }

  run(): Promise<void> {
    this.#running ??= this.#closeAll();
    return this.#running;
  }

  async #closeAll(): Promise<void> {
    for (const { name, close } of this.#steps.reverse()) {
      try {
        await close();
      } catch (error) {
        this.#onFailure(name, error);
      }
    }
  }
}
