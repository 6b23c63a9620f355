// Resolving a market: proposing an outcome with its bond, and settling it after the dispute window.
import { ZERO_ADDRESS } from '@presage/protocol/browser';
import { PresageInputError } from '../errors.ts';
import type { CallOptions } from '../http.ts';
import { type ResolutionName, toAddress, toProposedOutcome } from '../inputs.ts';
import type { PublicActions } from '../public-client.ts';
import type { ChainConfig } from '../types.ts';
import type { Relay, RelayedTransaction } from './relay.ts';

export interface SettleOptions extends CallOptions {
  /** The proposed outcome by default. */
  readonly winningOutcome?: ResolutionName;
}

const RESOLUTION_NAMES = ['YES', 'NO', 'HALF'] as const;

export function resolutionActions(relay: Relay, reads: PublicActions) {
  const { owner, session } = relay;
  const marketAddress = async (marketId: string, options: CallOptions) =>
    toAddress('market', (await reads.getMarket(marketId, options)).contractAddress);

  return {
    /** Proposes the outcome of an expired market, or HALF if neither is the answer; posts the bond if the proposer must pay it. */
    proposeResolution: async (
      marketId: string,
      outcome: ResolutionName,
      options: CallOptions = {},
    ): Promise<RelayedTransaction> => {
      const market = await marketAddress(marketId, options);
      const chain = await session.chainOf(marketId, options);
      const { bondPermitRequired, bondAmount } = chain;
      const { round, bond: ofMarket } = await reads.getResolution(marketId, options);
      // Each market has its own bond; the chain's is that of new markets.
      const bond = BigInt(ofMarket ?? bondAmount);
      const proposed = toProposedOutcome(outcome);
      const payer = bondPermitRequired ? owner : ZERO_ADDRESS;
      const fields = { market, proposer: owner, outcome: proposed, payer, bond, round: round + 1 };
      const terms = { chain, contract: { market }, type: 'ProposeResolution', fields } as const;
      const permit = await relay.sign(terms, options);
      const body = {
        chainId: chain.chainId,
        marketAddress: market,
        proposer: owner,
        outcome: proposed === 2 ? proposed : proposed === 0,
        ...permit,
        ...(bondPermitRequired && (await signBond(relay, { chain, market, bond }, options))),
      };
      return relay.post('/api/v1/relayer/propose-resolution', body, options);
    },

    /** Makes the proposed outcome final once the dispute window has passed; redemptions are possible afterwards. */
    settleMarket: async (
      marketId: string,
      { winningOutcome: named, ...options }: SettleOptions = {},
    ): Promise<RelayedTransaction> => {
      const market = await marketAddress(marketId, options);
      const { assertion } = named === undefined ? await reads.getResolution(marketId, options) : {};
      const winner = named ?? (assertion && RESOLUTION_NAMES[assertion.outcome]);
      if (winner === undefined)
        throw new PresageInputError('winningOutcome', `given: market ${marketId} has no proposal`);
      const signed = { settler: owner, winningOutcome: toProposedOutcome(winner) };
      const chain = await session.chainOf(marketId, options);
      const terms = { chain, contract: { market }, type: 'SettleMarket', fields: { market, ...signed } } as const;
      return relay.send(terms, '/api/v1/relayer/settle-market', { marketAddress: market, ...signed }, options);
    },
  };
}

/** The market contract pulls the bond, so it is the spender. */
async function signBond(
  relay: Relay,
  { chain, market, bond }: { readonly chain: ChainConfig; readonly market: string; readonly bond: bigint },
  options: CallOptions,
): Promise<object> {
  const fields = { owner: relay.owner, spender: market, value: bond };
  const permit = await relay.sign({ chain, contract: 'stablecoin', type: 'Permit', fields }, options);
  if ('signature' in permit)
    throw new PresageInputError('account', 'a key: the stablecoin takes no permit of a contract');
  const { deadline, v, r, s } = permit;
  return { bondPermitDeadline: deadline, bondV: v, bondR: r, bondS: s };
}
