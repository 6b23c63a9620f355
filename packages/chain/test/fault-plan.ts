// Which fault comes next: every fault of the faulty RPC is drawn here, from one seed.
import type { SeededRandom } from '@presage/testkit';

export type TransportFault =
  | 'timeout-before'
  | 'timeout-after'
  | 'server-error'
  | 'connection-reset'
  | 'garbage'
  | 'rate-limit';
export type SendFault = 'swallow' | 'delay-and-reorder' | 'duplicate' | 'false-known' | 'false-nonce';
export type ReadFault = 'stale-read' | 'wrong-fork';
export type Fault = TransportFault | SendFault | ReadFault;

const TRANSPORT: readonly TransportFault[] = [
  'timeout-before',
  'timeout-after',
  'server-error',
  'connection-reset',
  'garbage',
  'rate-limit',
];
const SEND: readonly SendFault[] = ['swallow', 'delay-and-reorder', 'duplicate', 'false-known', 'false-nonce'];
const READ: readonly ReadFault[] = ['stale-read', 'wrong-fork'];
export const ALL_FAULTS: readonly Fault[] = [...TRANSPORT, ...SEND, ...READ];

export interface FaultRates {
  /** Per HTTP request. */
  readonly transport: number;
  /** Per transaction sent. */
  readonly send: number;
  /** Per read. */
  readonly read: number;
}

export class FaultPlan {
  readonly counts = new Map<Fault, number>();
  readonly random: SeededRandom;
  rates: FaultRates;

  constructor(random: SeededRandom, rates: FaultRates) {
    this.random = random;
    this.rates = rates;
  }

  transport(): TransportFault | null {
    return this.#draw(TRANSPORT, this.rates.transport);
  }

  send(): SendFault | null {
    return this.#draw(SEND, this.rates.send);
  }

  read(): ReadFault | null {
    return this.#draw(READ, this.rates.read);
  }

  #draw<F extends Fault>(faults: readonly F[], rate: number): F | null {
    if (!this.random.chance(rate)) return null;
    const fault = this.random.pick(faults);
    this.counts.set(fault, (this.counts.get(fault) ?? 0) + 1);
    return fault;
  }
}
