// What the quick markets are called and how their results look.

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

/** A window without a price at its end has no outcome. */
export function outcomeLook(outcome: 0 | 1 | null) {
  return outcome === null ? VOID : LOOKS[outcome];
}
