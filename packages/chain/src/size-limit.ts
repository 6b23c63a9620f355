// How many things a node takes at once, learnt from its refusals: halved by each, and tried again larger, ever more seldom.

/** Full batches that must be taken before a larger one is tried: a refusal may have been a passing one. */
const FIRST_PATIENCE = 10;
/** A limit that stays is met once in this many full batches at last. */
const MOST_PATIENCE = 1_280;
/** The limit grows by a quarter, so that one found by halving is not jumped over at once. */
const GROWTH = 4;

export class SizeLimit {
  #most = Number.POSITIVE_INFINITY;
  #patience = FIRST_PATIENCE;
  #full = 0;
  /** The limit has grown since the last refusal: the next one says that it was too early. */
  #isTrial = false;

  get most(): number {
    return this.#most;
  }

  /** A node refused so many. More than the limit were sent before it was found, and say nothing new. */
  refuse(count: number): void {
    if (count > this.#most) return;
    if (this.#isTrial) this.#patience = Math.min(2 * this.#patience, MOST_PATIENCE);
    this.#isTrial = false;
    this.#most = Math.max(1, count >> 1);
    this.#full = 0;
  }

  /** A node took so many; fewer than the limit prove nothing. */
  accept(count: number): void {
    if (count < this.#most) return;
    this.#full += 1;
    if (this.#full < this.#patience) return;
    this.#most += Math.max(1, Math.floor(this.#most / GROWTH));
    this.#isTrial = true;
    this.#full = 0;
  }
}
