// Names of the quick markets and the look of their results.

export const WINDOW_SECONDS = 900;
const NAMES: Readonly<Record<string, string>> = { BTC: 'Bitcoin', ETH: 'Ether' };
const LOOKS = [
  { tone: 'is-up', icon: 'up', word: 'Up' },
  { tone: 'is-down', icon: 'down', word: 'Down' },
] as const;
const VOID = { tone: 'is-void', icon: 'flat', word: 'Void' } as const;

export function assetName(asset: string): string {
  return NAMES[asset] ?? asset;
}

/** Look of an outcome; null for a window that ended without a price. */
export function outcomeLook(outcome: 0 | 1 | null) {
  return outcome === null ? VOID : LOOKS[outcome];
}
