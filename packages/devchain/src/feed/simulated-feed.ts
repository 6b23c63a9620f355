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
/** Half a thousandth: what a calm market shows. */
const CONFIDENCE_SHARE = 2_000;
/** Every reader asks for the same second, and signing is the dear part. */
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

  /** Until it knows what was set by hand it must not sign anything that could contradict it. */
  get isConfigured(): boolean {
    return this.#isConfigured;
  }

  get isStalled(): boolean {
    return this.#stalledAt !== undefined;
  }

  /** The last second there is an update for. */
  get horizon(): number {
    return this.#stalledAt ?? this.#options.nowSeconds();
  }

  replacePins(pins: readonly Pin[]): void {
    this.#pins.replaceAll(pins);
    this.#recent.clear();
    this.#isConfigured = true;
  }

  /** Takes hold with the first second that nobody can have seen yet. */
  pin(feedId: string, price: number | null): Pin {
    const pin = { feedId, price, from: this.#options.nowSeconds() + 1 };
    this.#pins.add(pin);
    return pin;
  }

  /** What would have been published meanwhile can be asked for once it is over: history never changes. */
  stall(isStalled: boolean): void {
    this.#stalledAt = isStalled ? (this.#stalledAt ?? this.#options.nowSeconds()) : undefined;
  }

  /** The first update at or after that second; undefined while there is none. */
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
  /** With eight decimals; null lets go. */
  readonly price: number | null;
}

/** Prices set by hand, each from one second on until the next one for the same feed. */
class PinnedPrices {
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
