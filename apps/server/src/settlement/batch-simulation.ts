// Asks the chain what a batch would do before it is sent: one code a fill.
import { ContractReverted, type Contracts, type SettleBatchArguments } from '@presage/chain';
import { fromHex, type Hex } from '@presage/protocol';

export type Simulation =
  | { readonly kind: 'codes'; readonly codes: Uint8Array }
  /** The whole call would fail: paused, not the operator. Nobody's order is to blame. */
  | { readonly kind: 'refused'; readonly reason: string };

/** Rejects when the chain cannot be asked. */
export async function simulateBatch(
  contracts: Contracts,
  settler: Hex,
  batch: SettleBatchArguments,
): Promise<Simulation> {
  try {
    const options = { from: settler, block: 'pending' } as const;
    const codes = await contracts.settlement.simulate('settleBatch', batch, options);
    return { kind: 'codes', codes: fromHex(codes) };
  } catch (error) {
    if (error instanceof ContractReverted) return { kind: 'refused', reason: error.revert.message };
    throw error;
  }
}
