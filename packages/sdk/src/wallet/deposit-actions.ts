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
    /** Deposits stablecoin that the settlement contract may spend; from then on fills take it first, and pay into it. */
    deposit: async (amount: AmountInput, options: ChainOptions = {}): Promise<RelayedTransaction> =>
      send('Deposit', 'deposit', { amount: parseAmount('amount', amount) }, options),

    /** Takes a deposit out, to this wallet or another. The contract pays it without the service, too: docs/leaving.md. */
    withdraw: async ({ amount, to = trader, ...options }: WithdrawalOptions = {}): Promise<RelayedTransaction> => {
      const units = amount === undefined ? MAX_UINT256 : parseAmount('amount', amount);
      return send('WithdrawDeposit', 'withdrawal', { amount: units, to: toAddress('to', to) }, options);
    },
  };
}
