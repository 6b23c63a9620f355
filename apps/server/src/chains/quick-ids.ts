// The numbers of quick markets: one sequence for all chains, so that none is given twice.
import type { QuickIds } from '../quick/ports.ts';

export class QuickIdSequence implements QuickIds {
  #last = 0;

  raise(id: number): void {
    this.#last = Math.max(this.#last, id);
  }

  take(): number {
    return ++this.#last;
  }
}
