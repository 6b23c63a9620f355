// Daily budget of stablecoin that the operator puts up as bonds for proposers: a bond behind a false proposal is lost.
import { DAY_MS, PresageError } from '@presage/protocol';

interface Sponsored {
  readonly amount: bigint;
  readonly wallMs: number;
}

export class BondBudget {
  /** Limit of all bonds of a day; undefined if there is none. */
  readonly #perDay: bigint | undefined;
  readonly #wallMs: () => number;
  /** Bonds of the last day, oldest first. */
  #sponsored: Sponsored[] = [];

  constructor(perDay: bigint | undefined, wallMs: () => number) {
    this.#perDay = perDay;
    this.#wallMs = wallMs;
  }

  /** Whether a proposal without a permit for its bond can be sponsored at all. */
  get isOpen(): boolean {
    return this.#perDay !== 0n;
  }

  spend(sponsored: Sponsored): void {
    if (this.#perDay !== undefined) this.#sponsored.push(sponsored);
  }

  /** Throws relayer_budget_spent with the seconds until there is room again. */
  check(amount: bigint): void {
    const perDay = this.#perDay;
    if (perDay === undefined) return;
    const now = this.#wallMs();
    this.#sponsored = this.#sponsored.filter((each) => each.wallMs > now - DAY_MS);
    const spent = this.#sponsored.reduce((total, each) => total + each.amount, 0n);
    if (spent + amount <= perDay) return;
    const oldest = this.#sponsored[0]?.wallMs ?? now;
    const retryAfterSeconds = Math.max(1, Math.ceil((oldest + DAY_MS - now) / 1_000));
    throw new PresageError('relayer_budget_spent', {
      what: 'bonds that the operator sponsors',
      perDay: perDay.toString(),
      retryAfterSeconds,
    });
  }
}
