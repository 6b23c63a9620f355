// What a chain's contracts say of themselves: read once, kept in the journal, so that a start without the chain still knows it.
import type { Contracts } from '@presage/chain';

export interface TokenIdentity {
  readonly name: string;
  readonly version: string;
}

export interface ChainIdentity {
  readonly settlement: TokenIdentity;
  readonly conditionalTokens: TokenIdentity;
  readonly stablecoin: TokenIdentity & { readonly symbol: string; readonly decimals: number };
  readonly settlementGraceSeconds: number;
  readonly bondAmount: string;
}

export async function readChainIdentity(contracts: Contracts): Promise<ChainIdentity> {
  const { settlement, conditionalTokens, stablecoin, marketFactory } = contracts;
  const [settlementDomain, tokensDomain, name, version, symbol, decimals, grace, bond] = await contracts.readTogether([
    settlement.reading('eip712Domain', []),
    conditionalTokens.reading('eip712Domain', []),
    stablecoin.reading('name', []),
    stablecoin.reading('version', []),
    stablecoin.reading('symbol', []),
    stablecoin.reading('decimals', []),
    settlement.reading('SETTLEMENT_GRACE', []),
    marketFactory.reading('bond', []),
  ]);
  return {
    settlement: toIdentity(settlementDomain),
    conditionalTokens: toIdentity(tokensDomain),
    stablecoin: { name, version, symbol, decimals },
    settlementGraceSeconds: Number(grace),
    bondAmount: bond.toString(),
  };
}

/** EIP-5267 answers fields, name, version, chainId, verifyingContract, salt, extensions. */
function toIdentity(domain: readonly [unknown, string, string, ...unknown[]]): TokenIdentity {
  return { name: domain[1], version: domain[2] };
}
