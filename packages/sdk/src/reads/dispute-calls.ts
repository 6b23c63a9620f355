// Calls to the oracle that a wallet sends itself and pays gas for: disputing a proposal, and deciding a dispute.
import { PresageInputError } from '../errors.ts';
import type { CallOptions, Http } from '../http.ts';
import { toAddress, toBytes32 } from '../inputs.ts';
import type { Market, ResolutionStatus, ServiceConfig } from '../types.ts';

/** A transaction that any wallet can send, on the chain of the market. */
export interface OracleCall {
  readonly chainId: number;
  readonly to: `0x${string}`;
  readonly data: `0x${string}`;
  /** Description in words. */
  readonly text: string;
}

/** `approve(address,uint256)`, `disputeAssertion(bytes32,address)` and `arbitrate(bytes32,bool)`. */
const SELECTORS = { approve: '0x095ea7b3', dispute: '0xa6a22b43', arbitrate: '0x8c08667e' } as const;

export function disputeCalls(http: Http) {
  /** Of several proposals, the one that decides next comes first. */
  const readAssertion = async (marketId: string, isDisputed: boolean, options: CallOptions) => {
    const id = toBytes32('marketId', marketId);
    const [config, market, resolution] = await Promise.all([
      http.get<ServiceConfig>('/api/v1/config', {}, options),
      http.get<Market>(`/api/v1/markets/${id}`, {}, options),
      http.get<ResolutionStatus>(`/api/v1/resolution/${id}`, {}, options),
    ]);
    const chain = config.chains.find(({ chainId }) => chainId === market.chainId);
    const { assertion: next, others } = resolution;
    if (next === undefined || chain === undefined || chain.oracle === null) {
      throw new PresageInputError('marketId', 'that of a market with a proposal', marketId);
    }
    const isMeant = ({ disputed, settled }: typeof next) => disputed === isDisputed && !settled;
    const assertion = resolution.resolved ? undefined : [next, ...others].find(isMeant);
    if (assertion === undefined) {
      const expected = isDisputed ? 'that of a disputed proposal' : 'that of an undisputed proposal';
      throw new PresageInputError('marketId', expected, marketId);
    }
    // Addresses of the service are hex, here and below.
    return { chain, assertion, oracle: chain.oracle as `0x${string}` };
  };

  return {
    /** The two calls that dispute a proposal: approve the bond for the oracle, then dispute. Send the second when the first is mined. */
    getDisputeCalls: async (marketId: string, disputer: string, options: CallOptions = {}): Promise<OracleCall[]> => {
      const { chain, assertion, oracle } = await readAssertion(marketId, false, options);
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
      const { chain, assertion, oracle } = await readAssertion(marketId, true, options);
      const words = toWord(assertion.id) + toWord(truthful ? 1n : 0n);
      const data = `${SELECTORS.arbitrate}${words}` as const;
      return { chainId: chain.chainId, to: oracle, data, text: 'decide the dispute' };
    },
  };
}

/** An argument as 32 bytes in hex. */
function toWord(value: string | bigint): string {
  return (typeof value === 'bigint' ? value.toString(16) : value.slice(2).toLowerCase()).padStart(64, '0');
}
