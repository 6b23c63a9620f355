// Permits of accepted orders that are not seen to their end, by wallet.
import type { Address } from '@presage/protocol';
import { Listeners } from '@presage/runtime';
import { highestNonce } from './nonce-use.ts';
import type { OrderWithPermit } from './ports.ts';

export class WaitingPermits {
  readonly #waiting = new Map<Address, OrderWithPermit[]>();
  readonly #released = new Listeners();

  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  of(wallet: Address): readonly OrderWithPermit[] {
    return this.#waiting.get(wallet) ?? [];
  }

  /** Whether it is the first of its wallet. */
  add(signed: OrderWithPermit): boolean {
    const { trader } = signed.order;
    const waiting = this.#waiting.get(trader);
    waiting?.push(signed);
    if (waiting === undefined) this.#waiting.set(trader, [signed]);
    return waiting === undefined;
  }

  /** The one with the lowest nonce, which must be mined before the others. */
  next(wallet: Address): OrderWithPermit | undefined {
    const byNonce = [...this.of(wallet)].sort((a, b) => Number(a.permit.nonce - b.permit.nonce));
    return byNonce[0];
  }

  remove(signed: OrderWithPermit): void {
    const waiting = this.#waiting.get(signed.order.trader);
    waiting?.splice(waiting.indexOf(signed), 1);
  }

  /** The wallet waits for its permits no longer. */
  release(wallet: Address): void {
    this.#waiting.delete(wallet);
    this.#released.call();
  }

  /** Wallets whose fills must wait. */
  held(): Iterable<Address> {
    return this.#waiting.keys();
  }

  /** Called when a wallet waits for its permits no longer. */
  onReleased(listener: () => void): void {
    this.#released.add(listener);
  }

  /** What the settlement contract may take once the wallet's permits are mined; 0 when none is on its way. */
  allowance(wallet: Address): bigint {
    return this.of(wallet).reduce((most, { permit }) => (permit.value > most ? permit.value : most), 0n);
  }

  /** The wallet's next nonce at the stablecoin once its accepted permits are mined; undefined when there are none. */
  nextNonce(wallet: Address): bigint | undefined {
    return highestNonce(this.of(wallet).map(({ permit }) => permit.nonce + 1n));
  }
}
