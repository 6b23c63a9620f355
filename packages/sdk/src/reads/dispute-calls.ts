// What a wallet sends to the oracle by itself, with gas of its own: disputing a proposal, and deciding a dispute.
import { PresageInputError } from '../errors.ts';
import type { CallOptions, Http } from '../http.ts';
import { toAddress, toBytes32 } from '../inputs.ts';
import type { Market, ResolutionStatus, ServiceConfig } from '../types.ts';

/** A transaction that any wallet can send, on the chain of the market. */
export interface OracleCall {
  readonly chainId: number;
  readonly to: `0x${string}`;
  readonly data: `0x${string}`;
  /** What it does, in words. */
  readonly text: string;
}

/** `approve(address,uint256)`, `disputeAssertion(bytes32,address)` and `arbitrate(bytes32,bool)`. */
const SELECTORS = { approve: '0x095ea7b3', dispute: '0xa6a22b43', arbitrate: '0x8c08667e' } as const;

export function disputeCalls(http: Http) {
  const readAssertion = async (marketId: string, options: CallOptions) => {
    const id = toBytes32('marketId', marketId);
    const [config, market, { assertion, status }] = await Promise.all([
      http.get<ServiceConfig>('/api/v1/config', {}, options),
      http.get<Market>(`/api/v1/markets/${id}`, {}, options),
      http.get<ResolutionStatus>(`/api/v1/resolution/${id}`, {}, options),
    ]);
    const chain = config.chains.find(({ chainId }) => chainId === market.chainId);
    if (assertion === undefined || chain === undefined || chain.oracle === null) {
      throw new PresageInputError('marketId', 'that of a market with a proposal', marketId);
    }
    // The service's addresses are hex, here and below.
    return { chain, assertion, status, oracle: chain.oracle as `0x${string}` };
  };

  return {
    /** The two calls that dispute a proposal: the oracle may take the bond, and the dispute. Send the second when the first is mined. */
    getDisputeCalls: async (marketId: string, disputer: string, options: CallOptions = {}): Promise<OracleCall[]> => {
      const { chain, assertion, status, oracle } = await readAssertion(marketId, options);
      if (status !== 'proposed') throw new PresageInputError('marketId', 'that of an undisputed proposal', marketId);
      const { chainId, stablecoin } = chain;
      const approve = toWord(oracle) + toWord(BigInt(assertion.bondAmount));
      const dispute = toWord(assertion.id) + toWord(toAddress('disputer', disputer));
      return [
        {
          chainId,
          to: stablecoin.address as `0x${string}`,
          data: `${SELECTORS.approve}${approve}`,
          text: 'allow the bond',
        },
        { chainId, to: oracle, data: `${SELECTORS.dispute}${dispute}`, text: 'dispute the proposal' },
      ];
    },

    /** The call with which the arbitrator of our own oracle decides a dispute; UMA's voters decide by themselves. */
    getArbitrationCall: async (marketId: string, truthful: boolean, options: CallOptions = {}): Promise<OracleCall> => {
      const { chain, assertion, status, oracle } = await readAssertion(marketId, options);
      if (status !== 'disputed') throw new PresageInputError('marketId', 'that of a disputed proposal', marketId);
      const words = toWord(assertion.id) + toWord(truthful ? 1n : 0n);
      const data = `${SELECTORS.arbitrate}${words}` as const;
      return { chainId: chain.chainId, to: oracle, data, text: 'decide the dispute' };
    },
  };
}

/** 32 bytes of an argument. */
function toWord(value: string | bigint): string {
  return (typeof value === 'bigint' ? value.toString(16) : value.slice(2).toLowerCase()).padStart(64, '0');
}
