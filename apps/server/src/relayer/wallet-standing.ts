// What a wallet is to the operator who pays its gas: one that trades, one that holds something, or one that anybody could have made.
import { type Address, LIMITS } from '@presage/protocol';
import type { Standing } from './gas-budget.ts';
import { OPERATIONS } from './operations/operations.ts';
import type { RelayedCall } from './ports.ts';

interface WalletStandingOptions {
  /** Off: nobody's standing matters, and the chain is not asked. */
  readonly isBudgeted: boolean;
  readonly hasOrders: (wallet: Address) => boolean;
  readonly balanceOf: (wallet: Address) => Promise<bigint>;
}

export function createStanding({ isBudgeted, hasOrders, balanceOf }: WalletStandingOptions) {
  return async ({ owner, operation }: Pick<RelayedCall, 'owner' | 'operation'>): Promise<Standing> => {
    if (!isBudgeted || hasOrders(owner)) return 'trading';
    if (OPERATIONS[operation].provesHoldings) return 'funded';
    return (await balanceOf(owner)) >= BigInt(LIMITS.rates.relayedFundedUnits) ? 'funded' : 'empty';
  };
}
