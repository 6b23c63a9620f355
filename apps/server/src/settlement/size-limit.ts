// How many fills a node takes in one transaction, learnt from its refusals: halved by each, and tried again larger, ever more seldom.

/** Full batches that must be mined before a larger one is tried: a node's limit may have been a passing one. */
const FIRST_PATIENCE = 10;
/** A limit that stays is met once in this many full batches at last. */
const MOST_PATIENCE = 1_280;
/** The limit grows by a quarter, so that one found by halving is not jumped over at once. */
const GROWTH = 4;

export class SizeLimit {
  #most = Number.POSITIVE_INFINITY;
  #patience = FIRST_PATIENCE;
  #full = 0;

  get most(): number {
    return this.#most;
  }

  /** A node refused so many fills. */
  refuse(fills: number): void {
    if (this.#most !== Number.POSITIVE_INFINITY) this.#patience = Math.min(2 * this.#patience, MOST_PATIENCE);
    this.#most = Math.max(1, Math.min(this.#most, fills >> 1));
    this.#full = 0;
  }

  /** So many fills were mined; one that was not full proves nothing. */
  accept(fills: number): void {
    if (fills < this.#most) return;
    this.#full += 1;
    if (this.#full < this.#patience) return;
    this.#most += Math.max(1, Math.floor(this.#most / GROWTH));
    this.#full = 0;
  }
}
