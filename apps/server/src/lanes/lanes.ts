// The lanes of a service: each new connection goes to the next of them that is ready, and stays with the service while none is.
import type { Socket } from 'node:net';
import type { Lane } from './lane.ts';

export interface LanesOptions {
  readonly lanes: readonly Lane[];
  /** Lanes are ready, or none is any more. */
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

  /** Whether a lane has taken the connection. */
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

  /** New connections are the service's from now on; resolves when the lanes have answered what they had and ended. */
  async close(timeoutMs: number): Promise<void> {
    this.#isClosing = true;
    await Promise.all(this.#options.lanes.map((lane) => lane.close(timeoutMs)));
  }
}
