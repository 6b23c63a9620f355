// Approvals of stablecoin and shares: signed locally and relayed, without gas.
import { MAX_UINT256 } from '@presage/protocol/browser';
import type { ChainOptions } from '../http.ts';
import { type AmountInput, parseAmount, toAddress } from '../inputs.ts';
import type { Relay, RelayedTransaction } from './relay.ts';

export type Spender = 'settlement' | 'conditionalTokens';

export function approvalActions(relay: Relay) {
  const { owner, session } = relay;

  return {
    /** Lets the settlement contract (or, for splits, the conditional tokens) spend stablecoin; unlimited by default. */
    approveStablecoin: async ({
      spender = 'settlement',
      amount,
      chainId,
      signal,
    }: ChainOptions & { spender?: Spender; amount?: AmountInput } = {}): Promise<RelayedTransaction> => {
      const value = amount === undefined ? MAX_UINT256 : parseAmount('amount', amount);
      return permitStablecoin(relay, spender, value, { chainId, signal });
    },

    /** Lets the settlement contract transfer the shares that this wallet sells, or revokes that. */
    approveShares: async ({
      approved = true,
      chainId,
      signal,
    }: ChainOptions & { approved?: boolean } = {}): Promise<RelayedTransaction> => {
      const chain = await session.chain(chainId);
      const fields = { owner, operator: toAddress('settlement', chain.settlement.address), approved };
      const terms = { chain, contract: 'conditionalTokens', type: 'SetApprovalForAll', fields } as const;
      return relay.send(terms, '/api/v1/relayer/ctf-approval', fields, { signal });
    },
  };
}

/** Sets how much of the wallet's stablecoin a contract may spend. */
export async function permitStablecoin(
  relay: Relay,
  spender: Spender,
  value: bigint,
  { chainId, signal }: ChainOptions,
): Promise<RelayedTransaction> {
  const chain = await relay.session.chain(chainId);
  const fields = { owner: relay.owner, spender: toAddress('spender', chain[spender].address), value };
  const terms = { chain, contract: 'stablecoin', type: 'Permit', fields } as const;
  return relay.send(terms, chain.stablecoin.permitPath, { ...fields, value: value.toString() }, { signal });
}
