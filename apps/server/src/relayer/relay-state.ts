// State of the relayer on one chain: relayed and pending calls, and the operator's budgets.
import { type Address, type Hex, LIMITS, type RelayerRecord, toLowerHex } from '@presage/protocol';
import type { ChainContext } from '../chains/chain-context.ts';
import { BondBudget } from './bond-budget.ts';
import { GasBudget, type Payee } from './gas-budget.ts';
import { highestNonce } from './nonce-use.ts';
import type { RelayRecord } from './ports.ts';
import { RelayBook, type StatusOf } from './relay-book.ts';
import { WaitingPermits } from './waiting-permits.ts';

export interface RelayStateOptions {
  /** Records of earlier runs, oldest first. */
  readonly records: readonly RelayerRecord[];
  /** Looks up the status of each transaction. */
  readonly statusOf: StatusOf;
  /** Whether the gas of wallets is limited. */
  readonly isBudgeted: boolean;
  /** Stablecoin per day that the operator sponsors in bonds; undefined if unlimited. */
  readonly sponsoredBondsPerDay: bigint | undefined;
  /** Whether wallets are topped up before they settle, so that bad permits do not matter. */
  readonly isAutofunded: boolean;
}

export class RelayState {
  readonly book: RelayBook;
  readonly permits: WaitingPermits;
  readonly gas: GasBudget;
  readonly bonds: BondBudget;
  readonly isAutofunded: boolean;
  readonly isBudgeted: boolean;
  readonly #stablecoin: Address;

  constructor({ addresses, clock }: Pick<ChainContext, 'addresses' | 'clock'>, options: RelayStateOptions) {
    const { records, statusOf, isBudgeted, sponsoredBondsPerDay, isAutofunded } = options;
    this.book = new RelayBook(statusOf);
    this.permits = new WaitingPermits(clock);
    this.gas = new GasBudget(isBudgeted ? toBudget() : undefined, Date.now);
    this.bonds = new BondBudget(sponsoredBondsPerDay, Date.now);
    this.isBudgeted = isBudgeted;
    this.isAutofunded = isAutofunded;
    this.#stablecoin = addresses.stablecoin;
    for (const record of records) if (record.kind === 'relayed') this.add(record);
  }

  /** Adds a call that is being journalled and will be sent. */
  add(record: RelayRecord, { reputation, client }: Partial<Payee> = {}): void {
    const { owner, gasLimit, wallMs, bond } = record;
    this.book.add(record);
    this.gas.spend({
      owner,
      gas: Number(gasLimit),
      wallMs,
      ...(reputation && { reputation }),
      ...(client && { client }),
    });
    if (bond !== undefined) this.bonds.spend({ amount: BigInt(bond), wallMs });
  }

  /** Allowance of the settlement contract once the wallet's permits are mined; 0 if none is pending. */
  pendingAllowance(wallet: Address): bigint {
    return this.permits.allowance(wallet);
  }

  /** The owner's next nonce once all pending calls are mined; undefined if there are none. */
  nextNonce(address: Hex, owner: Address): bigint | undefined {
    const contract = toLowerHex(address);
    const relayed = this.book.nextNonce(contract, owner);
    // With autofund, bad permits are accepted, so their nonces mean nothing.
    const isCounted = contract === this.#stablecoin && !this.isAutofunded;
    return highestNonce([relayed, isCounted ? this.permits.nextNonce(owner) : undefined]);
  }

  /** Whether nothing is pending. */
  get isQuiet(): boolean {
    return this.permits.isEmpty && this.book.unmined().length === 0;
  }
}

function toBudget() {
  const { relayedCallsPerHour, relayedGasPerWalletHour, relayedGasPerHour, ...shares } = LIMITS.rates;
  return {
    callsPerWalletHour: relayedCallsPerHour,
    gasPerWalletHour: relayedGasPerWalletHour,
    gasPerHour: relayedGasPerHour,
    emptyPercent: shares.relayedGasEmptyPercent,
    tradersPercent: shares.relayedGasTradersPercent,
  };
}
