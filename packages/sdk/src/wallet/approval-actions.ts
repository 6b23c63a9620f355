// Approvals of stablecoin and shares: signed here, relayed, without gas.
import { MAX_UINT256 } from '@presage/protocol/browser';
import type { ChainOptions } from '../http.ts';
import { type AmountInput, parseAmount, toAddress } from '../inputs.ts';
import type { Session } from '../session.ts';
import type { RelayerResponse } from '../types.ts';
import type { PermitService } from './permits.ts';
import { type ReadTransaction, RelayedTransaction } from './relayed-transaction.ts';

export type Spender = 'settlement' | 'conditionalTokens';

export interface ApprovalPorts {
  readonly session: Session;
  readonly permits: PermitService;
  readonly readTransaction: ReadTransaction;
}

export function approvalActions({ session, permits, readTransaction }: ApprovalPorts) {
  const owner = toAddress('account', session.signer.address);

  return {
    /** Lets the settlement contract (or, for splits, the conditional tokens) spend stablecoin; unlimited by default. */
    approveStablecoin: async ({
      spender = 'settlement',
      amount,
      chainId,
      signal,
    }: ChainOptions & { spender?: Spender; amount?: AmountInput } = {}): Promise<RelayedTransaction> => {
      const chain = await session.chain(chainId);
      const value = amount === undefined ? MAX_UINT256 : parseAmount('amount', amount);
      const fields = { owner, spender: toAddress('spender', chain[spender].address), value };
      const permit = await (await permits.open(chain, 'stablecoin', { signal })).sign('Permit', fields);
      const body = { chainId: chain.chainId, ...fields, value: value.toString(), ...permit };
      const path = chain.stablecoin.permitPath;
      const { tx_hash } = await session.post<RelayerResponse>(path, { body, signal, repeatable: 'always' });
      return new RelayedTransaction(tx_hash, readTransaction);
    },

    /** Lets the settlement contract transfer the shares that this wallet sells, or revokes that. */
    approveShares: async ({
      approved = true,
      chainId,
      signal,
    }: ChainOptions & { approved?: boolean } = {}): Promise<RelayedTransaction> => {
      const chain = await session.chain(chainId);
      const fields = { owner, operator: toAddress('settlement', chain.settlement.address), approved };
      const permit = await (await permits.open(chain, 'conditionalTokens', { signal })).sign(
        'SetApprovalForAll',
        fields,
      );
      const { tx_hash } = await session.post<RelayerResponse>('/api/v1/relayer/ctf-approval', {
        body: { chainId: chain.chainId, ...fields, ...permit },
        signal,
        repeatable: 'always',
      });
      return new RelayedTransaction(tx_hash, readTransaction);
    },
  };
}
