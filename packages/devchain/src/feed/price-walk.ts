// A simulated market as a function of time: the same second always has the same price.
import { KNOWN_FEEDS, PRICE_DECIMALS } from '@presage/protocol';

/** Centre of each asset's walk in dollars; prices stay within a fifth of it. */
const CENTRES: Readonly<Record<string, number>> = {
  BTC: 100_000,
  ETH: 4_000,
  SOL: 200,
  XRP: 2,
  DOGE: 0.25,
  ADA: 0.8,
  AVAX: 30,
  LINK: 20,
  BNB: 700,
};

/**
 * Number of waves, from one second to twelve days, each higher by the root of two: that gives the roughness of a
 * market.
 */
const OCTAVES = 21;
/** Amplitude of the one-second wave: about Bitcoin's move in a second. */
const FINEST = 0.00006;

/** Price with eight decimals, always positive. */
export function walkPrice(feedId: string, second: number): number {
  return Math.round(centreOf(feedId) * 10 ** PRICE_DECIMALS * (1 + deviation(feedId, second, 0)));
}

/** The same walk without its fast waves: a stand-in for the moving average that a real feed publishes. */
export function walkAverage(feedId: string, second: number): number {
  return Math.round(centreOf(feedId) * 10 ** PRICE_DECIMALS * (1 + deviation(feedId, second, OCTAVES / 2)));
}

function deviation(feedId: string, second: number, fromOctave: number): number {
  const seed = Number.parseInt(feedId.slice(2, 10), 16);
  let sum = 0;
  for (let octave = Math.ceil(fromOctave); octave < OCTAVES; octave++) {
    sum += FINEST * Math.sqrt(2 ** octave) * wave(seed + octave, second / 2 ** octave);
  }
  return sum;
}

/** From -1 to 1: random at integers, smooth between them. */
function wave(seed: number, at: number): number {
  const from = Math.floor(at);
  const part = at - from;
  const ease = part * part * (3 - 2 * part);
  return random(seed, from) * (1 - ease) + random(seed, from + 1) * ease;
}

/** The mixing steps of MurmurHash3: integer arithmetic gives the same result on every machine. */
function random(seed: number, index: number): number {
  let mixed = Math.imul(seed ^ Math.imul(index, 0x9e3779b1), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x27d4eb2f);
  return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 31 - 1;
}

/** An unlisted asset costs between 1 and 101 dollars. */
function centreOf(feedId: string): number {
  const known = KNOWN_FEEDS.find(({ pyth }) => pyth === feedId);
  return CENTRES[known?.asset ?? ''] ?? 1 + (Number.parseInt(feedId.slice(-6), 16) % 10_000) / 100;
}
