// The batch size that a node accepts, learned from its refusals: halved by each, and raised again ever more rarely.

/** Full batches that must succeed before a larger one is tried: a refusal may have been temporary. */
const FIRST_PATIENCE = 10;
/** Upper bound of the patience: a permanent limit is hit only once in this many full batches. */
const MOST_PATIENCE = 1_280;
/** The limit grows by a quarter, so that one found by halving is not overshot at once. */
const GROWTH = 4;

export class SizeLimit {
  #most = Number.POSITIVE_INFINITY;
  #patience = FIRST_PATIENCE;
  #full = 0;
  /** True after the limit was raised: a refusal then shows that it was too early. */
  #isTrial = false;

  get most(): number {
    return this.#most;
  }

  /** A batch of this size was refused. Batches above the limit were sent before it was known, and prove nothing new. */
  refuse(count: number): void {
    if (count > this.#most) return;
    if (this.#isTrial) this.#patience = Math.min(2 * this.#patience, MOST_PATIENCE);
    this.#isTrial = false;
    this.#most = Math.max(1, count >> 1);
    this.#full = 0;
  }

  /** A batch of this size was accepted; smaller ones than the limit prove nothing. */
  accept(count: number): void {
    if (count < this.#most) return;
    this.#full += 1;
    if (this.#full < this.#patience) return;
    this.#most += Math.max(1, Math.floor(this.#most / GROWTH));
    this.#isTrial = true;
    this.#full = 0;
  }
}
