// Hourly budget of the operator's gas for relayed calls of wallets; by wall time, so that time travel does not refill it.
import { type Address, PresageError } from '@presage/protocol';

export interface GasBudgetLimits {
  readonly callsPerWalletHour: number;
  readonly gasPerWalletHour: number;
  /** Gas per hour of all wallets together. */
  readonly gasPerHour: number;
  /** Percentage of `gasPerHour` that all empty wallets may use together. */
  readonly emptyPercent: number;
  /** Percentage of `gasPerHour` that is reserved for wallets that trade. */
  readonly tradersPercent: number;
}

/** Class of a wallet: it has orders on a book, holds money or shares, or neither. Creating wallets costs nothing, funding them does. */
export type Reputation = 'trading' | 'funded' | 'empty';

interface Spending {
  readonly owner: Address;
  readonly gas: number;
  readonly wallMs: number;
  /** Undefined for calls of an earlier run, which count only towards the total. */
  readonly reputation?: Reputation;
  /** Key of the address that asked; undefined for calls of an earlier run. */
  readonly client?: string;
}

/** The wallet that a call is paid for, and the client that asked for it. */
export interface Payee {
  readonly owner: Address;
  readonly reputation?: Reputation;
  readonly client?: string | undefined;
}

const HOUR_MS = 3_600_000;
/** Parts of an hour over which the share of empty wallets is spread: when one part is used up, newcomers wait for the next one, not for an hour. */
const EMPTY_PARTS = 6;
/** Divisor for a single address: it may use a tenth of that share in an hour, however many wallets it creates. */
const EMPTY_CLIENTS = 10;

export class GasBudget {
  /** Undefined if there is no limit. */
  readonly #limits: GasBudgetLimits | undefined;
  readonly #wallMs: () => number;
  /** Calls of the last hour, oldest first. */
  #spent: Spending[] = [];

  constructor(limits: GasBudgetLimits | undefined, wallMs: () => number) {
    this.#limits = limits;
    this.#wallMs = wallMs;
  }

  spend(spending: Spending): void {
    if (this.#limits !== undefined) this.#spent.push(spending);
  }

  /** Throws relayer_budget_spent with the seconds until there is budget again. */
  check({ owner, reputation = 'trading', client }: Payee, gasLimit: bigint): void {
    if (this.#limits === undefined) return;
    const { callsPerWalletHour, gasPerWalletHour, gasPerHour } = this.#limits;
    const gas = Number(gasLimit);
    const now = this.#wallMs();
    this.#spent = this.#spent.filter(({ wallMs }) => wallMs > now - HOUR_MS);
    const own = this.#spent.filter((each) => each.owner === owner);
    if (own.length >= callsPerWalletHour) throw this.#refusal(own, 'calls of this wallet', callsPerWalletHour);
    if (gasOf(own) + gas > gasPerWalletHour) throw this.#refusal(own, 'gas of this wallet', gasPerWalletHour);
    if (gasOf(this.#spent) + gas > gasPerHour) throw this.#refusal(this.#spent, 'gas of all wallets', gasPerHour);
    if (reputation === 'empty') this.#checkEmpty(gas, client, this.#limits);
    this.#checkShare(gas, reputation, this.#limits);
  }

  /** Limits empty wallets, which anybody can create, so that they cannot use up what the next newcomer needs. */
  #checkEmpty(gas: number, client: string | undefined, { gasPerHour, emptyPercent }: GasBudgetLimits): void {
    const perHour = (gasPerHour * emptyPercent) / 100;
    const empty = this.#spent.filter((each) => each.reputation === 'empty');
    const ofClient = empty.filter((each) => client !== undefined && each.client === client);
    if (gasOf(ofClient) + gas > perHour / EMPTY_CLIENTS && ofClient.length > 0) {
      throw this.#refusal(ofClient, 'gas of wallets of this address that hold nothing', perHour / EMPTY_CLIENTS);
    }
    const partMs = HOUR_MS / EMPTY_PARTS;
    const ofPart = empty.filter(({ wallMs }) => wallMs > this.#wallMs() - partMs);
    if (gasOf(ofPart) + gas <= perHour / EMPTY_PARTS || ofPart.length === 0) return;
    throw this.#refusal(ofPart, 'gas of wallets that hold nothing', perHour, partMs);
  }

  /** Reserves a share for trading wallets, so that others cannot use it up. */
  #checkShare(gas: number, reputation: Reputation, { gasPerHour, tradersPercent }: GasBudgetLimits): void {
    if (reputation === 'trading') return;
    const others = this.#spent.filter((each) => each.reputation !== 'trading');
    const othersPerHour = (gasPerHour * (100 - tradersPercent)) / 100;
    if (gasOf(others) + gas > othersPerHour) {
      throw this.#refusal(others, 'gas of wallets that do not trade', othersPerHour);
    }
  }

  #refusal(spent: readonly Spending[], what: string, perHour: number, windowMs = HOUR_MS): PresageError {
    const oldest = spent[0]?.wallMs ?? this.#wallMs();
    const retryAfterSeconds = Math.max(1, Math.ceil((oldest + windowMs - this.#wallMs()) / 1_000));
    return new PresageError('relayer_budget_spent', { what, perHour, retryAfterSeconds });
  }
}

function gasOf(spent: readonly Spending[]): number {
  return spent.reduce((total, { gas }) => total + gas, 0);
}
