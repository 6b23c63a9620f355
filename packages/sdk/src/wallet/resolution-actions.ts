// Resolving a market: proposing an outcome with its bond, and settling it after the dispute window.
import { ZERO_ADDRESS } from '@presage/protocol/browser';
import { PresageInputError } from '../errors.ts';
import type { CallOptions } from '../http.ts';
import { type ResolutionName, toAddress, toProposedOutcome } from '../inputs.ts';
import type { marketReads } from '../reads/market-reads.ts';
import type { ChainConfig, RelayerResponse } from '../types.ts';
import type { ApprovalPorts } from './approval-actions.ts';
import { RelayedTransaction } from './relayed-transaction.ts';

export interface ResolutionPorts extends ApprovalPorts {
  readonly reads: Pick<ReturnType<typeof marketReads>, 'getMarket' | 'getResolution'>;
}

export interface SettleOptions extends CallOptions {
  /** The proposed outcome by default. */
  readonly winningOutcome?: ResolutionName;
}

export function resolutionActions(ports: ResolutionPorts) {
  const { session, permits, readTransaction } = ports;
  const signer = toAddress('account', session.signer.address);

  const marketAddress = async (marketId: string, options: CallOptions) =>
    toAddress('market', (await ports.reads.getMarket(marketId, options)).contractAddress);

  const relay = async (path: string, body: object, { signal }: CallOptions) => {
    const { tx_hash } = await session.post<RelayerResponse>(path, { body, signal, repeatable: 'always' });
    return new RelayedTransaction(tx_hash, readTransaction);
  };

  return {
    /** Asserts the outcome of an expired market, or HALF where neither is the answer; posts the bond where the proposer has to. */
    proposeResolution: async (
      marketId: string,
      outcome: ResolutionName,
      options: CallOptions = {},
    ): Promise<RelayedTransaction> => {
      const market = await marketAddress(marketId, options);
      const chain = await session.chainOf(marketId, options);
      const { chainId, bondPermitRequired, bondAmount } = chain;
      const { round, bond: ofMarket } = await ports.reads.getResolution(marketId, options);
      // Each market has agreed on its own; the chain's is that of markets made now.
      const bond = BigInt(ofMarket ?? bondAmount);
      const fields = {
        market,
        proposer: signer,
        outcome: toProposedOutcome(outcome),
        payer: bondPermitRequired ? signer : ZERO_ADDRESS,
        bond,
        round: round + 1,
      };
      const permit = await (await permits.open(chain, { market }, options)).sign('ProposeResolution', fields);
      const body = {
        chainId,
        marketAddress: market,
        proposer: signer,
        outcome: fields.outcome === 2 ? fields.outcome : fields.outcome === 0,
        ...permit,
        ...(bondPermitRequired && (await signBond(ports, { chain, market, bond }, options))),
      };
      return relay('/api/v1/relayer/propose-resolution', body, options);
    },

    /** Makes the proposed outcome final once the dispute window has passed; redemptions are possible afterwards. */
    settleMarket: async (
      marketId: string,
      { winningOutcome, ...options }: SettleOptions = {},
    ): Promise<RelayedTransaction> => {
      const market = await marketAddress(marketId, options);
      const winner = toProposedOutcome(winningOutcome ?? (await proposedOutcome(ports, marketId, options)));
      const fields = { market, settler: signer, winningOutcome: winner };
      const chain = await session.chainOf(marketId, options);
      const { chainId } = chain;
      const permit = await (await permits.open(chain, { market }, options)).sign('SettleMarket', fields);
      const body = { chainId, marketAddress: market, settler: signer, winningOutcome: winner, ...permit };
      return relay('/api/v1/relayer/settle-market', body, options);
    },
  };
}

const RESOLUTION_NAMES = ['YES', 'NO', 'HALF'] as const;

async function proposedOutcome(
  { reads }: ResolutionPorts,
  marketId: string,
  options: CallOptions,
): Promise<ResolutionName> {
  const { assertion } = await reads.getResolution(marketId, options);
  if (assertion === undefined)
    throw new PresageInputError('winningOutcome', 'known: the market has no proposal', marketId);
  return RESOLUTION_NAMES[assertion.outcome];
}

/** The market contract pulls the bond, so it is the spender. */
async function signBond(
  { session, permits }: ResolutionPorts,
  { chain, market, bond }: { readonly chain: ChainConfig; readonly market: string; readonly bond: bigint },
  options: CallOptions,
): Promise<object> {
  const fields = { owner: toAddress('account', session.signer.address), spender: market, value: bond };
  const permit = await (await permits.open(chain, 'stablecoin', options)).sign('Permit', fields);
  if ('signature' in permit)
    throw new PresageInputError('account', 'a key: the stablecoin takes no permit of a contract');
  const { deadline, v, r, s } = permit;
  return { bondPermitDeadline: deadline, bondV: v, bondR: r, bondS: s };
}
