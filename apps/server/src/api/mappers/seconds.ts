// Times: milliseconds inside, Unix seconds on the wire.

export function toSeconds(timeMs: number): number {
  return Math.floor(timeMs / 1_000);
}
