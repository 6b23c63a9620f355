// Stablecoin that the settlement contract keeps for this wallet, so that its fills cost less gas: signed here and relayed.
import { MAX_UINT256 } from '@presage/protocol/browser';
import type { ChainOptions } from '../http.ts';
import { type AmountInput, parseAmount, toAddress } from '../inputs.ts';
import type { Relay, RelayedTransaction } from './relay.ts';

export interface WithdrawalOptions extends ChainOptions {
  /** Everything when absent; fills are then paid into the wallet again. */
  readonly amount?: AmountInput;
  /** This wallet when absent. */
  readonly to?: string;
}

export function depositActions(relay: Relay) {
  const { owner, session } = relay;

  return {
    /** Deposits stablecoin that the settlement contract may spend; from then on fills take it first, and pay into it. */
    deposit: async (given: AmountInput, { chainId, ...options }: ChainOptions = {}): Promise<RelayedTransaction> => {
      const amount = parseAmount('amount', given);
      const fields = { trader: owner, amount };
      const terms = { chain: await session.chain(chainId), contract: 'settlement', type: 'Deposit', fields } as const;
      return relay.send(terms, '/api/v1/relayer/deposit', { owner, amount: amount.toString() }, options);
    },

    /** Takes a deposit out, to this wallet or another. The contract pays it without the service, too: docs/leaving.md. */
    withdraw: async ({ amount, to, chainId, ...options }: WithdrawalOptions = {}): Promise<RelayedTransaction> => {
      const fields = {
        trader: owner,
        amount: amount === undefined ? MAX_UINT256 : parseAmount('amount', amount),
        to: to === undefined ? owner : toAddress('to', to),
      };
      const chain = await session.chain(chainId);
      const terms = { chain, contract: 'settlement', type: 'WithdrawDeposit', fields } as const;
      const body = { owner, amount: fields.amount.toString(), to: fields.to };
      return relay.send(terms, '/api/v1/relayer/withdrawal', body, options);
    },
  };
}
