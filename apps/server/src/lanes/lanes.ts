// Distributes a service's connections: each goes to the next ready lane, or stays with the service while none is ready.
import type { Socket } from 'node:net';
import type { Lane } from './lane.ts';

export interface LanesOptions {
  readonly lanes: readonly Lane[];
  /** Called when the first lane becomes ready, and when none is ready any more. */
  readonly onServing: (isServing: boolean) => void;
}

export class Lanes {
  readonly #options: LanesOptions;
  #next = 0;
  #isServing = false;
  #isClosing = false;

  constructor(options: LanesOptions) {
    this.#options = options;
  }

  start(): void {
    for (const lane of this.#options.lanes) lane.start();
  }

  /** Hands a connection to the next lane with room; returns whether there was one. */
  readonly hand = (socket: Socket): boolean => {
    const { lanes } = this.#options;
    const inTurn = [...lanes.slice(this.#next), ...lanes.slice(0, this.#next)];
    const lane = this.#isClosing ? undefined : inTurn.find(({ hasRoom }) => hasRoom);
    if (lane === undefined) return false;
    this.#next = (lanes.indexOf(lane) + 1) % lanes.length;
    lane.hand(socket);
    return true;
  };

  readonly look = (): void => {
    const isServing = this.#options.lanes.some(({ isReady }) => isReady);
    if (isServing === this.#isServing || this.#isClosing) return;
    this.#isServing = isServing;
    this.#options.onServing(isServing);
  };

  gauges() {
    const { lanes } = this.#options;
    return {
      presage_lanes_ready: {
        help: 'Lanes that take connections',
        read: () => lanes.filter((lane) => lane.isReady).length,
      },
    };
  }

  counters() {
    const restarts = () => this.#options.lanes.reduce((sum, lane) => sum + lane.restarts, 0);
    return { presage_lane_restarts_total: { help: 'Lanes that ended and were started again', read: restarts } };
  }

  /** Ends the lanes: new connections stay with the service. Resolves when all lanes have answered their requests and ended. */
  async close(timeoutMs: number): Promise<void> {
    this.#isClosing = true;
    await Promise.all(this.#options.lanes.map((lane) => lane.close(timeoutMs)));
  }
}
