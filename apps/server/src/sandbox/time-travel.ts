// Time travel: the clocks of the service and of all its chains move together, or none does.
import { withRefusals } from '@presage/chain';
import { PresageError } from '@presage/protocol';
import { poll, SerialQueue } from '@presage/runtime';
import type { SandboxNode } from './sandbox-node.ts';

export interface TimeTravelOptions {
  /** Nodes of the served chains by id; a chain that joins later adopts the clock. */
  readonly nodes: () => ReadonlyMap<number, SandboxNode>;
  /** Resolves once no transaction is pending on any chain. */
  readonly isQuiet: () => boolean;
  readonly clock: { readonly offsetSeconds: number; nowSeconds(): number };
  /** Resolves once the move is durable; the clock has moved then. */
  readonly saveOffset: (seconds: number) => Promise<void>;
}

const QUIET = { timeoutMs: 10_000, pollMs: 20 };

export class TimeTravel {
  readonly #options: TimeTravelOptions;
  readonly #travels = new SerialQueue();

  constructor(options: TimeTravelOptions) {
    this.#options = options;
  }

  /** Moves the clocks of the service and of every chain. Runs one journey at a time: two simultaneous ones would end where one does. */
  travel(seconds: number) {
    return this.#travels.run(() => withRefusals(() => this.#travel(seconds)));
  }

  async #travel(seconds: number) {
    const { clock, isQuiet, nodes, saveOffset } = this.#options;
    await poll(isQuiet, QUIET);
    const offset = clock.offsetSeconds + seconds;
    // Checks every chain before moving the first: a chain left behind would refuse what the service allows.
    for (const [chainId, node] of nodes()) {
      await node.timeOffset().catch((error: Error) => {
        throw new PresageError('chain_unavailable', { chainId, reason: error.message });
      });
    }
    for (const node of nodes().values()) await node.setTimeOffset(offset);
    await saveOffset(offset);
    return { now: clock.nowSeconds(), offsetSeconds: offset };
  }
}
