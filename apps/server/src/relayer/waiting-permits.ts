// Permits of accepted orders by wallet, until their transactions are final: those waiting to be mined, and those in a block that may still leave the chain.
import type { Address } from '@presage/protocol';
import { Listeners } from '@presage/runtime';
import type { Clock } from '../clock.ts';
import { highestNonce } from './nonce-use.ts';
import type { OrderWithPermit } from './ports.ts';

export class WaitingPermits {
  readonly #clock: Pick<Clock, 'nowSeconds'>;
  readonly #waiting = new Map<Address, OrderWithPermit[]>();
  readonly #unconfirmed = new Map<Address, readonly OrderWithPermit[]>();
  readonly #released = new Listeners();

  constructor(clock: Pick<Clock, 'nowSeconds'>) {
    this.#clock = clock;
  }

  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  of(wallet: Address): readonly OrderWithPermit[] {
    return this.#waiting.get(wallet) ?? [];
  }

  /** Adds a permit; returns whether it is the first of its wallet. */
  add(signed: OrderWithPermit): boolean {
    const { trader } = signed.order;
    const waiting = this.#waiting.get(trader);
    waiting?.push(signed);
    if (waiting === undefined) this.#waiting.set(trader, [signed]);
    return waiting === undefined;
  }

  /** The permit with the lowest nonce, which must be mined before the others. */
  next(wallet: Address): OrderWithPermit | undefined {
    const byNonce = [...this.of(wallet)].sort((a, b) => Number(a.permit.nonce - b.permit.nonce));
    return byNonce[0];
  }

  remove(signed: OrderWithPermit): void {
    const waiting = this.#waiting.get(signed.order.trader);
    waiting?.splice(waiting.indexOf(signed), 1);
  }

  /** Ends the wallet's wait for its permits. */
  release(wallet: Address): void {
    this.#waiting.delete(wallet);
    this.#released.call();
  }

  /** Adds a permit that is in a block. A reorganization may drop the block; then the sender sends the permit again. */
  addUnconfirmed(signed: OrderWithPermit): void {
    const { trader } = signed.order;
    this.#unconfirmed.set(trader, [...(this.#unconfirmed.get(trader) ?? []), signed]);
  }

  /** Removes a permit that is confirmed or has failed for good. */
  removeDecided(signed: OrderWithPermit): void {
    const { trader } = signed.order;
    const others = this.#unconfirmed.get(trader)?.filter((other) => other !== signed) ?? [];
    if (others.length === 0) this.#unconfirmed.delete(trader);
    else this.#unconfirmed.set(trader, others);
    this.#released.call();
  }

  isUnconfirmed(wallet: Address): boolean {
    return this.#unconfirmed.has(wallet);
  }

  /**
   * Allowance from the wallet's permits that have lost their block, once they are mined again; 0 if there are none. `nonce` is the wallet's
   * next at the stablecoin in the block that is judged. A permit past its deadline is never mined again.
   */
  lostAllowance(wallet: Address, nonce: bigint): bigint {
    const now = BigInt(this.#clock.nowSeconds());
    const unconfirmed = this.#unconfirmed.get(wallet) ?? [];
    return highestValue(unconfirmed.filter(({ permit }) => permit.nonce >= nonce && permit.deadline >= now));
  }

  /** Wallets whose fills must wait for permits. */
  held(): Iterable<Address> {
    return this.#waiting.keys();
  }

  /** Calls the listener when a wallet no longer waits for its permits. */
  onReleased(listener: () => void): void {
    this.#released.add(listener);
  }

  /** Allowance of the settlement contract once the wallet's permits are mined; 0 if none is pending. */
  allowance(wallet: Address): bigint {
    return highestValue(this.of(wallet));
  }

  /** The wallet's next nonce at the stablecoin once its accepted permits are mined; undefined if there are none. */
  nextNonce(wallet: Address): bigint | undefined {
    return highestNonce(this.of(wallet).map(({ permit }) => permit.nonce + 1n));
  }
}

function highestValue(permits: readonly OrderWithPermit[]): bigint {
  return permits.reduce((most, { permit }) => (permit.value > most ? permit.value : most), 0n);
}
