// Taking back what a wallet has signed or allowed, on the chain: signed here and relayed; docs/leaving.md does it without the service.
import type { CallOptions, ChainOptions } from '../http.ts';
import { toAddress, toBytes32 } from '../inputs.ts';
import type { ChainConfig, RelayerResponse } from '../types.ts';
import type { ApprovalPorts, Spender } from './approval-actions.ts';
import type { Contract } from './permits.ts';
import { RelayedTransaction } from './relayed-transaction.ts';

export interface OrderOnChain {
  readonly marketId: string;
  /** Nonce of the order, as signed. */
  readonly nonce: bigint;
}

/** Which contract the next signed operation of the wallet is for. */
export type CountingContract = Exclude<Contract, 'stablecoin'>;

export function leavingActions({ session, permits, readTransaction }: ApprovalPorts) {
  const owner = toAddress('account', session.signer.address);

  const relay = async ({ chainId }: ChainConfig, path: string, fields: object, { signal }: CallOptions) => {
    const body = { chainId, owner, ...fields };
    const { tx_hash } = await session.post<RelayerResponse>(path, { body, signal, repeatable: 'always' });
    return new RelayedTransaction(tx_hash, readTransaction);
  };

  const relayHalt = async (type: 'HaltTrading' | 'ResumeTrading', { chainId, ...options }: ChainOptions) => {
    const chain = await session.chain(chainId);
    const permit = await (await permits.open(chain, 'settlement', options)).sign(type, { trader: owner });
    const path = `/api/v1/relayer/${type === 'HaltTrading' ? 'halt' : 'resume'}-trading`;
    return relay(chain, path, permit, options);
  };

  return {
    /** Takes an order back on the chain: once the grace has passed, nobody can settle it, whatever becomes of the service. */
    cancelOnChain: async (order: OrderOnChain, options: CallOptions = {}): Promise<RelayedTransaction> => {
      const marketId = toBytes32('marketId', order.marketId);
      const fields = { trader: owner, marketId, orderNonce: order.nonce };
      const chain = await session.chainOf(marketId, options);
      const permit = await (await permits.open(chain, 'settlement', options)).sign('CancelOrder', fields);
      const body = { marketId, orderNonce: order.nonce.toString(), ...permit };
      return relay(chain, '/api/v1/relayer/cancel-order', body, options);
    },

    /** Stops every order of this wallet on the chain, past and future: nothing settles once the grace has passed. */
    haltTrading: (options: ChainOptions = {}): Promise<RelayedTransaction> => relayHalt('HaltTrading', options),

    /** Undoes `haltTrading`; only the wallet itself can. */
    resumeTrading: (options: ChainOptions = {}): Promise<RelayedTransaction> => relayHalt('ResumeTrading', options),

    /** Uses up the wallet's next nonce at a contract, so that what was signed for it is worthless. */
    invalidateNonce: async (
      contract: CountingContract,
      { chainId, ...options }: ChainOptions = {},
    ): Promise<RelayedTransaction> => {
      const chain = await session.chain(chainId);
      const permit = await (await permits.open(chain, contract, options)).sign('InvalidateNonce', { owner });
      const address = typeof contract === 'string' ? chain[contract].address : contract.market;
      return relay(chain, '/api/v1/relayer/invalidate-nonce', { contract: address, ...permit }, options);
    },

    /** Sets the allowance to zero: nothing more of the wallet's stablecoin can be spent by that contract. */
    revokeStablecoin: async ({
      spender = 'settlement',
      chainId,
      ...options
    }: ChainOptions & { spender?: Spender } = {}): Promise<RelayedTransaction> => {
      const chain = await session.chain(chainId);
      const fields = { owner, spender: toAddress('spender', chain[spender].address), value: 0n };
      const permit = await (await permits.open(chain, 'stablecoin', options)).sign('Permit', fields);
      return relay(chain, chain.stablecoin.permitPath, { spender: fields.spender, value: '0', ...permit }, options);
    },
  };
}
