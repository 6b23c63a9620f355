// Deposits of stablecoin in the settlement contract, so that fills cost less gas: signed locally and relayed.
import { MAX_UINT256 } from '@presage/protocol/browser';
import type { ChainOptions } from '../http.ts';
import { type AmountInput, parseAmount, toAddress } from '../inputs.ts';
import type { Relay, RelayedTransaction } from './relay.ts';

export interface WithdrawalOptions extends ChainOptions {
  /** The whole deposit if absent; fills are then paid into the wallet again. */
  readonly amount?: AmountInput;
  /** This wallet if absent. */
  readonly to?: string;
}

export function depositActions(relay: Relay) {
  const { owner: trader, session } = relay;
  const send = async (
    type: 'Deposit' | 'WithdrawDeposit',
    path: 'deposit' | 'withdrawal',
    fields: { readonly amount: bigint; readonly to?: string },
    { chainId, ...options }: ChainOptions,
  ): Promise<RelayedTransaction> => {
    const chain = await session.chain(chainId);
    const terms = { chain, contract: 'settlement', type, fields: { trader, ...fields } } as const;
    const body = { owner: trader, ...fields, amount: `${fields.amount}` };
    return relay.send(terms, `/api/v1/relayer/${path}`, body, options);
  };

  return {
    /**
     * Deposits stablecoin that the settlement contract may spend. From then on fills use the deposit first, and pay
     * into it.
     */
    deposit: async (amount: AmountInput, options: ChainOptions = {}): Promise<RelayedTransaction> =>
      send('Deposit', 'deposit', { amount: parseAmount('amount', amount) }, options),

    /** Withdraws a deposit, to this wallet or another. The contract also pays it without the service: docs/leaving.md. */
    withdraw: async ({ amount, to = trader, ...options }: WithdrawalOptions = {}): Promise<RelayedTransaction> => {
      const units = amount === undefined ? MAX_UINT256 : parseAmount('amount', amount);
      return send('WithdrawDeposit', 'withdrawal', { amount: units, to: toAddress('to', to) }, options);
    },
  };
}
