// Time travel: moves the clocks of the service and of all its chains together, or none.
import { withRefusals } from '@presage/chain';
import { PresageError } from '@presage/protocol';
import { poll, SerialQueue } from '@presage/runtime';
import type { SandboxNode } from './sandbox-node.ts';

export interface TimeTravelOptions {
  /** Nodes of the served chains by id; a chain that joins later adopts the clock. */
  readonly nodes: () => ReadonlyMap<number, SandboxNode>;
  /** Whether no transaction is pending on any chain. */
  readonly isQuiet: () => boolean;
  readonly clock: { readonly offsetSeconds: number; nowSeconds(): number };
  /** Journals the offset; resolves once it is durable and the clock has moved. */
  readonly saveOffset: (seconds: number) => Promise<void>;
  /** Resolves once the orders and markets that the move ended are over for every reader. */
  readonly endExpired: () => Promise<void>;
}

const QUIET = { timeoutMs: 10_000, pollMs: 20 };

export class TimeTravel {
  readonly #options: TimeTravelOptions;
  readonly #travels = new SerialQueue();

  constructor(options: TimeTravelOptions) {
    this.#options = options;
  }

  /** Moves the clocks of the service and of every chain. One journey at a time: of two simultaneous ones, one would have no effect. */
  travel(seconds: number) {
    return this.#travels.run(() => withRefusals(() => this.#travel(seconds)));
  }

  /**
   * Completes a journey that a kill interrupted, and moves a chain that missed some. The chain farthest ahead sets the time, since no
   * chain can go back: its blocks already have that time, and deadlines by an earlier clock of the service would be over for it.
   */
  align(): Promise<void> {
    return this.#travels.run(async () => {
      // Skips an unreachable chain, which is aligned when it joins.
      const offsets = await this.#readOffsets(() => undefined);
      await this.#moveTo(this.#options.clock.offsetSeconds, offsets);
    });
  }

  async #travel(seconds: number) {
    const { clock, isQuiet, endExpired } = this.#options;
    await poll(isQuiet, QUIET);
    // Reads every chain before moving the first: a chain left behind would refuse requests that the service accepts.
    const offsets = await this.#readOffsets((chainId, { message }) => {
      throw new PresageError('chain_unavailable', { chainId, reason: message });
    });
    await this.#moveTo(clock.offsetSeconds + seconds, offsets);
    // The clocks have moved whatever comes of this: a journal that refuses it now is asked again by the next tick.
    await endExpired().catch(() => undefined);
    return { now: clock.nowSeconds(), offsetSeconds: clock.offsetSeconds };
  }

  async #readOffsets(onUnreachable: (chainId: number, error: Error) => undefined): Promise<Map<SandboxNode, number>> {
    const offsets = new Map<SandboxNode, number>();
    for (const [chainId, node] of this.#options.nodes()) {
      const offset = await node.timeOffset().catch((error: Error) => onUnreachable(chainId, error));
      if (offset !== undefined) offsets.set(node, offset);
    }
    return offsets;
  }

  /** Moves all clocks to the wanted offset, or to that of the chain farthest ahead. */
  async #moveTo(wanted: number, offsets: ReadonlyMap<SandboxNode, number>): Promise<void> {
    const { saveOffset, clock } = this.#options;
    const target = Math.max(wanted, ...offsets.values());
    for (const [node, offset] of offsets) if (offset !== target) await node.setTimeOffset(target);
    if (target !== clock.offsetSeconds) await saveOffset(target);
  }
}
