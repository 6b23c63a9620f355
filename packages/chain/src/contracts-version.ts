// The version of our contracts on a chain, and its features. Version 3 and later report their version; version 2 does not.
import type { Contracts } from './contracts.ts';
import { ContractReverted } from './typed-contract.ts';

export type ContractsVersion = 2 | 3 | 4 | 5 | 6;

export interface ContractsFeatures {
  /** Only registrars name markets, and no fill settles later than the grace period after its market's expiration. */
  readonly endsMarkets: boolean;
  /** A fill can forbid minting, for reduce-only orders. */
  readonly refusesMints: boolean;
  /** Traders can deposit stablecoin, and fills pay from deposits and into them. */
  readonly hasDeposits: boolean;
  /** Markets can charge takers, and fills name the taker. */
  readonly hasFees: boolean;
  /** Conditions of several outcomes have a market for each, and NO of several outcomes can be converted. */
  readonly hasEvents: boolean;
}

const FEATURES: Readonly<Record<ContractsVersion, ContractsFeatures>> = {
  2: { endsMarkets: false, refusesMints: false, hasDeposits: false, hasFees: false, hasEvents: false },
  3: { endsMarkets: true, refusesMints: true, hasDeposits: false, hasFees: false, hasEvents: false },
  4: { endsMarkets: true, refusesMints: true, hasDeposits: true, hasFees: false, hasEvents: false },
  5: { endsMarkets: true, refusesMints: true, hasDeposits: true, hasFees: true, hasEvents: false },
  6: { endsMarkets: true, refusesMints: true, hasDeposits: true, hasFees: true, hasEvents: true },
};

/** Assumed for contracts newer than this program. */
const NEWEST: ContractsVersion = 6;

/** Returns undefined for a version that this Presage does not know. */
export async function readContractsVersion({ settlement }: Contracts): Promise<ContractsVersion | undefined> {
  try {
    const version = Number(await settlement.read('VERSION', []));
    return version === 3 || version === 4 || version === 5 || version === 6 ? version : undefined;
  } catch (error) {
    if (error instanceof ContractReverted) return 2;
    throw error;
  }
}

/** Cached for good because contracts never change; a chain is asked until it has answered once. */
const known = new WeakMap<Contracts, Promise<ContractsFeatures>>();

export function readContractsFeatures(contracts: Contracts): Promise<ContractsFeatures> {
  const earlier = known.get(contracts);
  if (earlier !== undefined) return earlier;
  const features = readContractsVersion(contracts).then((version) => FEATURES[version ?? NEWEST]);
  known.set(contracts, features);
  features.catch(() => known.delete(contracts));
  return features;
}
