// Classifies a wallet for the operator who pays its gas: it trades, holds something, or could have been created by anybody.
import { type Address, LIMITS } from '@presage/protocol';
import type { Reputation } from './gas-budget.ts';
import { OPERATIONS } from './operations/operations.ts';
import type { RelayedCall } from './ports.ts';

export interface WalletLookup {
  hasOrders(wallet: Address): boolean;
  balanceOf(wallet: Address): Promise<bigint>;
}

export async function findReputation(
  { owner, operation }: Pick<RelayedCall, 'owner' | 'operation'>,
  wallets: WalletLookup,
): Promise<Reputation> {
  if (wallets.hasOrders(owner)) return 'trading';
  if (OPERATIONS[operation].provesHoldings) return 'funded';
  return (await wallets.balanceOf(owner)) >= BigInt(LIMITS.rates.relayedFundedUnits) ? 'funded' : 'empty';
}
