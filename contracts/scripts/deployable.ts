// The contracts that are deployed, by name.
import type { StandardInput } from './compile.ts';

export const deployable = [
  'ConditionalTokensWithPermit',
  'EventFactory',
  'EventMarket',
  'JournalAnchors',
  'Market',
  'MarketFactory',
  'MarketOracle',
  'OptimisticOracle',
  'OutcomeMarket',
  'OwnerTimelock',
  'PriceOracle',
  'QuickMarket',
  'QuickMarketFactory',
  'PresageSettlement',
  'TestStablecoin',
] as const;

export type DeployableName = (typeof deployable)[number];

/** Each contract is in the file of its name. */
export function sourceOf(name: DeployableName, { sources }: StandardInput): string {
  const source = Object.keys(sources).find((path) => path.startsWith('src/') && path.endsWith(`/${name}.sol`));
  if (source === undefined) throw new Error(`no source is named ${name}.sol`);
  return source;
}
