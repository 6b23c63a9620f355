// Counts subscriptions per address, over all its connections.

export class SubscriptionCounts {
  readonly #counts = new Map<string, number>();

  of(address: string): number {
    return this.#counts.get(address) ?? 0;
  }

  add(address: string, change: 1 | -1): void {
    const count = this.of(address) + change;
    if (count === 0) this.#counts.delete(address);
    else this.#counts.set(address, count);
  }
}
