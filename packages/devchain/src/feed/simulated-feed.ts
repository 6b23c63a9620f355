// The sandbox's oracle network: a signed update for every whole second of service time, past ones included.
import { type Bytes32, type Hex, hashPriceUpdate, type PriceUpdate, packPriceUpdate } from '@presage/protocol';
import type { SignDigest } from '@presage/protocol/digest-signer';
import { walkAverage, walkPrice } from './price-walk.ts';

export interface SimulatedFeedOptions {
  /** Unix seconds of service time. */
  readonly nowSeconds: () => number;
  readonly sign: SignDigest;
}

export interface SimulatedUpdate extends PriceUpdate {
  readonly average: bigint;
  readonly payload: Hex;
}

const EXPO = -8;
/** Divisor of the price: half a thousandth, the confidence in a calm market. */
const CONFIDENCE_SHARE = 2_000;
/** Updates kept: all readers ask for the same second, and signing is expensive. */
const REMEMBERED = 64;

export class SimulatedFeed {
  readonly #options: SimulatedFeedOptions;
  readonly #pins = new PinnedPrices();
  readonly #recent = new Map<string, SimulatedUpdate>();
  #isConfigured = false;
  #stalledAt: number | undefined;

  constructor(options: SimulatedFeedOptions) {
    this.#options = options;
  }

  /** False until the pinned prices are known: before that, a signed price could contradict one. */
  get isConfigured(): boolean {
    return this.#isConfigured;
  }

  get isStalled(): boolean {
    return this.#stalledAt !== undefined;
  }

  /** The last second with an update. */
  get horizon(): number {
    return this.#stalledAt ?? this.#options.nowSeconds();
  }

  replacePins(pins: readonly Pin[]): void {
    this.#pins.replaceAll(pins);
    this.#recent.clear();
    this.#isConfigured = true;
  }

  /** Pins a price from the next second on, which nobody can have read yet. */
  pin(feedId: string, price: number | null): Pin {
    const pin = { feedId, price, from: this.#options.nowSeconds() + 1 };
    this.#pins.add(pin);
    return pin;
  }

  /** Stops publishing. Updates of the stalled time become available afterwards: history never changes. */
  stall(isStalled: boolean): void {
    this.#stalledAt = isStalled ? (this.#stalledAt ?? this.#options.nowSeconds()) : undefined;
  }

  /** The first update at or after that second; undefined if there is none yet. */
  at(feedId: Bytes32, second: number): SimulatedUpdate | undefined {
    return second > this.horizon ? undefined : this.#find(feedId, second);
  }

  latest(feedId: Bytes32): SimulatedUpdate {
    return this.#find(feedId, this.horizon);
  }

  #find(feedId: Bytes32, second: number): SimulatedUpdate {
    const key = `${feedId} ${second}`;
    const known = this.#recent.get(key);
    if (known !== undefined) return known;
    const update = this.#make(feedId, second);
    if (this.#recent.size >= REMEMBERED) this.#recent.clear();
    this.#recent.set(key, update);
    return update;
  }

  #make(feedId: Bytes32, publishTime: number): SimulatedUpdate {
    const pinned = this.#pins.at(feedId, publishTime);
    const price = pinned ?? walkPrice(feedId, publishTime);
    const update: PriceUpdate = {
      feedId,
      price: BigInt(price),
      conf: BigInt(Math.ceil(price / CONFIDENCE_SHARE)),
      expo: EXPO,
      publishTime,
      prevPublishTime: publishTime - 1,
    };
    const payload = packPriceUpdate(update, this.#options.sign(hashPriceUpdate(update)));
    return { ...update, average: BigInt(pinned ?? walkAverage(feedId, publishTime)), payload };
  }
}

export interface Pin {
  readonly feedId: string;
  /** Unix seconds of service time. */
  readonly from: number;
  /** Price with eight decimals; null unpins it. */
  readonly price: number | null;
}

/** Pinned prices, each from one second on until the next one of the same feed. */
class PinnedPrices {
  readonly #pins = new Map<string, Pin[]>();

  replaceAll(pins: readonly Pin[]): void {
    this.#pins.clear();
    for (const pin of pins) this.add(pin);
  }

  /** A later pin for the same second wins. */
  add(pin: Pin): void {
    const pins = (this.#pins.get(pin.feedId) ?? []).filter(({ from }) => from !== pin.from);
    this.#pins.set(
      pin.feedId,
      [...pins, pin].sort((a, b) => a.from - b.from),
    );
  }

  /** Undefined if the feed has no pin then. */
  at(feedId: string, second: number): number | undefined {
    const pin = this.#pins.get(feedId)?.findLast(({ from }) => from <= second);
    return pin?.price ?? undefined;
  }
}
