// Prices that were set by hand, each from one second on until the next one for the same feed.

export interface Pin {
  readonly feedId: string;
  /** Unix seconds of service time. */
  readonly from: number;
  /** With eight decimals; null lets go. */
  readonly price: number | null;
}

export class PinnedPrices {
  readonly #pins = new Map<string, Pin[]>();

  replaceAll(pins: readonly Pin[]): void {
    this.#pins.clear();
    for (const pin of pins) this.add(pin);
  }

  /** A later one for the same second wins. */
  add(pin: Pin): void {
    const pins = (this.#pins.get(pin.feedId) ?? []).filter(({ from }) => from !== pin.from);
    this.#pins.set(
      pin.feedId,
      [...pins, pin].sort((a, b) => a.from - b.from),
    );
  }

  /** Undefined if nothing was set. */
  at(feedId: string, second: number): number | undefined {
    const pin = this.#pins.get(feedId)?.findLast(({ from }) => from <= second);
    return pin?.price ?? undefined;
  }
}
