// The sandbox's disputer and arbitrator: anybody may play them, to see what a dispute does.
import { type ContractCall, type Contracts, callContract, type Rpc, withRefusals } from '@presage/chain';
import type { MarketView } from '@presage/engine';
import {
  type Address,
  type Assertion,
  type MarketId,
  type MarketResolution,
  PresageError,
  type ResolutionStatus,
} from '@presage/protocol';
import { poll } from '@presage/runtime';
import type { SandboxOraclePort } from '../api/services.ts';
import type { Autofund } from './autofund.ts';
import type { SandboxNode } from './sandbox-node.ts';

export interface SandboxOracleOptions {
  readonly node: SandboxNode;
  readonly rpc: Rpc;
  readonly contracts: Contracts;
  readonly autofund: Pick<Autofund, 'mint'>;
  readonly disputer: Address;
  readonly reads: { market(id: MarketId): MarketView | undefined };
}

interface Move {
  readonly marketId: MarketId;
  /** State that the market must be in. */
  readonly from: ResolutionStatus;
  readonly refusal: 'nothing_to_dispute' | 'nothing_to_arbitrate';
  readonly calls: (assertion: Assertion) => Promise<(ContractCall & { readonly from: Address })[]>;
}

const POLL_MS = 20;
const SEEN_TIMEOUT_MS = 10_000;

export class SandboxOracle implements SandboxOraclePort {
  readonly #options: SandboxOracleOptions;

  constructor(options: SandboxOracleOptions) {
    this.#options = options;
  }

  /** The disputer brings their own bond. */
  dispute(marketId: MarketId): Promise<MarketView> {
    const { contracts, autofund, disputer: from } = this.#options;
    const calls = async ({ id, bondAmount }: Assertion) => [
      autofund.mint(from, BigInt(bondAmount)),
      { from, ...contracts.stablecoin.call('approve', [contracts.oracle.address, BigInt(bondAmount)]) },
      { from, ...contracts.oracle.call('disputeAssertion', [id, from]) },
    ];
    return this.#play({ marketId, from: 'proposed', refusal: 'nothing_to_dispute', calls });
  }

  /** Decides and settles at once. */
  arbitrate(marketId: MarketId, isTruthful: boolean): Promise<MarketView> {
    const { oracle } = this.#options.contracts;
    const calls = async ({ id }: Assertion) => [
      { from: await oracle.read('arbitrator', []), ...oracle.call('arbitrate', [id, isTruthful]) },
    ];
    return this.#play({ marketId, from: 'disputed', refusal: 'nothing_to_arbitrate', calls });
  }

  /** Resolves when it is mined and the service has seen it. */
  async #play({ marketId, from, refusal, calls }: Move): Promise<MarketView> {
    const { node, reads } = this.#options;
    const market = reads.market(marketId);
    if (market === undefined) throw new PresageError('market_not_found', { marketId });
    const { assertion, status } = market.resolution ?? {};
    if (assertion === undefined || status !== from) throw new PresageError(refusal, { status: status ?? 'open' });
    await withRefusals(async () => {
      for (const call of await calls(assertion)) {
        await callContract(this.#options.rpc, call, 'pending');
        await node.sendAs([call]);
      }
    });
    return this.#seen(marketId, market.resolution);
  }

  async #seen(marketId: MarketId, before: MarketResolution | undefined): Promise<MarketView> {
    const find = () => {
      const market = this.#options.reads.market(marketId);
      return market !== undefined && market.resolution?.status !== before?.status && market;
    };
    const seen = await poll(find, { timeoutMs: SEEN_TIMEOUT_MS, pollMs: POLL_MS });
    if (seen !== undefined) return seen;
    throw new PresageError('chain_unavailable', { reason: 'the move was not seen in time' });
  }
}
