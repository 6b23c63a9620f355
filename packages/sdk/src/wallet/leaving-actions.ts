// Revokes what a wallet has signed or allowed, on the chain: signed locally and relayed; docs/leaving.md does it without the service.
import type { CallOptions, ChainOptions } from '../http.ts';
import { toBytes32 } from '../inputs.ts';
import { permitStablecoin, type Spender } from './approval-actions.ts';
import type { Contract, Relay, RelayedTransaction } from './relay.ts';

export interface OrderOnChain {
  readonly marketId: string;
  /** Nonce of the order, as signed. */
  readonly nonce: bigint;
}

/** Contracts that count the nonces of a wallet's signed operations. */
export type CountingContract = Exclude<Contract, 'stablecoin'>;

export function leavingActions(relay: Relay) {
  const { owner, session } = relay;

  const relayHalt = async (type: 'HaltTrading' | 'ResumeTrading', { chainId, ...options }: ChainOptions) => {
    const terms = {
      chain: await session.chain(chainId),
      contract: 'settlement',
      type,
      fields: { trader: owner },
    } as const;
    const path = `/api/v1/relayer/${type === 'HaltTrading' ? 'halt' : 'resume'}-trading`;
    return relay.send(terms, path, { owner }, options);
  };

  return {
    /** Cancels an order on the chain: after the grace period nobody can settle it, whatever becomes of the service. */
    cancelOnChain: async (
      { nonce, ...order }: OrderOnChain,
      options: CallOptions = {},
    ): Promise<RelayedTransaction> => {
      const marketId = toBytes32('marketId', order.marketId);
      const chain = await session.chainOf(marketId, options);
      const fields = { trader: owner, marketId, orderNonce: nonce };
      const terms = { chain, contract: 'settlement', type: 'CancelOrder', fields } as const;
      const body = { owner, marketId, orderNonce: nonce.toString() };
      return relay.send(terms, '/api/v1/relayer/cancel-order', body, options);
    },

    /** Stops every order of this wallet on the chain, past and future: nothing settles after the grace period. */
    haltTrading: (options: ChainOptions = {}): Promise<RelayedTransaction> => relayHalt('HaltTrading', options),

    /** Undoes `haltTrading`; only the wallet itself can. */
    resumeTrading: (options: ChainOptions = {}): Promise<RelayedTransaction> => relayHalt('ResumeTrading', options),

    /** Uses up the wallet's next nonce at a contract, which invalidates what was signed with it. */
    invalidateNonce: async (
      contract: CountingContract,
      { chainId, ...options }: ChainOptions = {},
    ): Promise<RelayedTransaction> => {
      const chain = await session.chain(chainId);
      const address = typeof contract === 'string' ? chain[contract].address : contract.market;
      const terms = { chain, contract, type: 'InvalidateNonce', fields: { owner } } as const;
      return relay.send(terms, '/api/v1/relayer/invalidate-nonce', { owner, contract: address }, options);
    },

    /** Sets the allowance to zero: that contract can spend no more of the wallet's stablecoin. */
    revokeStablecoin: ({
      spender = 'settlement',
      ...options
    }: ChainOptions & { spender?: Spender } = {}): Promise<RelayedTransaction> =>
      permitStablecoin(relay, spender, 0n, options),
  };
}
