// What relayed permits will change once they are mined: nothing until the relayer is connected.
import type { Address } from '@presage/protocol';

export interface PermitSource {
  /** What the settlement contract may take once the wallet's permits are mined; 0 when none is on its way. */
  pendingAllowance(wallet: Address): bigint;
  /** The owner's next nonce once everything on its way is mined; undefined when nothing is. */
  nextNonce(contract: Address, owner: Address): bigint | undefined;
}

/** The relayer reads wallets and wallets count its permits: wallets are opened first, the relayer is connected after. */
export class PendingPermits implements PermitSource {
  #source: PermitSource | undefined;

  connect(source: PermitSource): void {
    this.#source = source;
  }

  pendingAllowance(wallet: Address): bigint {
    return this.#source?.pendingAllowance(wallet) ?? 0n;
  }

  nextNonce(contract: Address, owner: Address): bigint | undefined {
    return this.#source?.nextNonce(contract, owner);
  }
}
