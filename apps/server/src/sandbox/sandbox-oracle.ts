// The sandbox's disputer and arbitrator, whose part anybody may play to try out a dispute.
import { withRefusals } from '@presage/chain';
import type { MarketView } from '@presage/engine';
import { type Assertion, isDecided, type MarketId, PresageError, standingAssertions } from '@presage/protocol';
import { poll } from '@presage/runtime';
import type { MarketReads } from '../host/ports.ts';
import type { SandboxChain } from './autofund.ts';
import type { SandboxCall } from './sandbox-node.ts';

interface Move {
  readonly marketId: MarketId;
  /** Whether the move is possible on an assertion. */
  readonly isOn: (assertion: Assertion) => boolean;
  readonly refusal: 'nothing_to_dispute' | 'nothing_to_arbitrate';
  readonly calls: (assertion: Assertion) => Promise<SandboxCall[]>;
}

const SEEN = { timeoutMs: 10_000, pollMs: 20 };

/** Plays moves at the oracle; each returns the market after it. */
export class SandboxOracle {
  readonly #chain: SandboxChain;
  readonly #reads: Pick<MarketReads, 'market'>;

  constructor(chain: SandboxChain, reads: Pick<MarketReads, 'market'>) {
    this.#chain = chain;
    this.#reads = reads;
  }

  /** Disputes a market's assertion; mints the disputer's bond first. */
  dispute(marketId: MarketId): Promise<MarketView> {
    const { contracts, autofund, disputer: from } = this.#chain;
    const calls = async ({ id, bondAmount }: Assertion) => [
      autofund.mint(from, BigInt(bondAmount)),
      { from, ...contracts.stablecoin.call('approve', [contracts.oracle.address, BigInt(bondAmount)]) },
      { from, ...contracts.oracle.call('disputeAssertion', [id, from]) },
    ];
    const isOn = ({ disputed, settled }: Assertion) => !disputed && !settled;
    return this.#play({ marketId, isOn, refusal: 'nothing_to_dispute', calls });
  }

  /** Arbitrates a disputed assertion, which decides and settles it at once. */
  arbitrate(marketId: MarketId, isTruthful: boolean): Promise<MarketView> {
    const { oracle } = this.#chain.contracts;
    const calls = async ({ id }: Assertion) => [
      { from: await oracle.read('arbitrator', []), ...oracle.call('arbitrate', [id, isTruthful]) },
    ];
    const isOn = ({ disputed, settled }: Assertion) => disputed && !settled;
    return this.#play({ marketId, isOn, refusal: 'nothing_to_arbitrate', calls });
  }

  /** Plays a move; resolves when it is mined and the service has indexed it. */
  async #play({ marketId, isOn, refusal, calls }: Move): Promise<MarketView> {
    const { resolution, status } = this.#market(marketId);
    const assertion = isDecided(resolution) ? undefined : standingAssertions(resolution ?? {}).find(isOn);
    const unproposed = status === 'closed' ? 'expired' : 'open';
    if (assertion === undefined) throw new PresageError(refusal, { status: resolution?.status ?? unproposed });
    await withRefusals(async () => {
      for (const call of await calls(assertion)) await this.#chain.node.send(call);
    });
    const find = () => {
      const now = this.#market(marketId);
      const isWaiting = standingAssertions(now.resolution ?? {}).some((each) => each.id === assertion.id && isOn(each));
      return !isWaiting && now;
    };
    const seen = await poll(find, SEEN);
    if (seen !== undefined) return seen;
    throw new PresageError('chain_unavailable', { reason: 'the move was not seen in time' });
  }

  #market(marketId: MarketId): MarketView {
    const market = this.#reads.market(marketId);
    if (market === undefined) throw new PresageError('market_not_found', { marketId });
    return market;
  }
}
