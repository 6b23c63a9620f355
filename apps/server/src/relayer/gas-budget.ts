// How much of the operator's gas wallets may still have relayed this hour; by wall time, since budgets do not travel.
import { type Address, PresageError } from '@presage/protocol';

export interface GasBudgetLimits {
  readonly callsPerWalletHour: number;
  readonly gasPerWalletHour: number;
  /** Gas of all wallets together. */
  readonly gasPerHour: number;
  /** The share of it that wallets with nothing in them may use together. */
  readonly emptyPercent: number;
  /** The share of it that is kept for wallets that trade. */
  readonly tradersPercent: number;
}

/** What is known of a wallet: orders on a book, money or shares, or nothing. Making wallets costs nothing, filling them does. */
export type Reputation = 'trading' | 'funded' | 'empty';

interface Spending {
  readonly owner: Address;
  readonly gas: number;
  readonly wallMs: number;
  /** Undefined for calls of an earlier run: they count among all. */
  readonly reputation?: Reputation;
  /** Key of the address that asked; undefined for calls of an earlier run. */
  readonly client?: string;
}

/** Whoever asks for a call. */
export interface Payee {
  readonly owner: Address;
  readonly reputation?: Reputation;
  readonly client?: string | undefined;
}

const HOUR_MS = 3_600_000;
/** The share of empty wallets comes in parts: whoever uses one up keeps newcomers waiting for the next one, not for an hour. */
const EMPTY_PARTS = 6;
/** One address may use a tenth of that share in an hour, however many wallets it makes. */
const EMPTY_CLIENTS = 10;

export class GasBudget {
  /** Undefined if everything is paid. */
  readonly #limits: GasBudgetLimits | undefined;
  readonly #wallMs: () => number;
  /** Oldest first, of the last hour. */
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

  /** Wallets that anybody can make must not use up what the next newcomer needs. */
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

  /** Wallets without orders must not use up what trading wallets need. */
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
