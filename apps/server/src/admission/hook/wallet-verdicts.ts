// Cache of the operator hook's verdicts: asks once per wallet and lifetime, with a rule for a hook that fails.
import type { Address } from '@presage/protocol';
import { messageOf, NewestMap } from '@presage/runtime';
import type { Log } from '../../log/log.ts';
import type { AskHook } from './ask-hook.ts';
import type { Verdict } from './verdict.ts';

export interface WalletVerdictsOptions {
  readonly ask: AskHook;
  readonly timeoutMs: number;
  /** Default lifetime of a verdict. */
  readonly seconds: number;
  /** Rule for a wallet without any verdict while the hook fails. */
  readonly onFailure: 'refuse' | 'admit';
  readonly log: Pick<Log, 'warn'>;
  /** Monotonic milliseconds. */
  readonly nowMs?: () => number;
}

interface KeptVerdict {
  readonly verdict: Verdict | undefined;
  readonly untilMs: number;
}

/** Pause before a failing hook is asked about the same wallet again, instead of with every order. */
const FAILURE_MS = 5_000;
const WALLETS_REMEMBERED = 100_000;
const ADMITTED: Verdict = { admit: true };

export class WalletVerdicts {
  readonly #options: WalletVerdictsOptions;
  readonly #nowMs: () => number;
  readonly #kept = new NewestMap<Address, KeptVerdict>(WALLETS_REMEMBERED);
  readonly #asking = new Map<Address, Promise<Verdict | undefined>>();

  constructor(options: WalletVerdictsOptions) {
    this.#options = options;
    this.#nowMs = options.nowMs ?? (() => performance.now());
  }

  /** Returns a wallet's verdict, synchronously if cached; undefined if the wallet cannot be judged now. */
  verdictOf(wallet: Address): Verdict | undefined | Promise<Verdict | undefined> {
    const kept = this.#kept.get(wallet);
    if (kept !== undefined && this.#nowMs() < kept.untilMs) return kept.verdict;
    const asking = this.#asking.get(wallet) ?? this.#ask(wallet, kept?.verdict);
    this.#asking.set(wallet, asking);
    return asking;
  }

  async #ask(wallet: Address, last: Verdict | undefined): Promise<Verdict | undefined> {
    const { ask, timeoutMs, seconds } = this.#options;
    try {
      const verdict = await withinTime(ask, wallet, timeoutMs);
      this.#keep(wallet, verdict, (verdict.seconds ?? seconds) * 1_000);
      return verdict;
    } catch (error) {
      const verdict = last ?? (this.#options.onFailure === 'admit' ? ADMITTED : undefined);
      this.#options.log.warn(
        { wallet, error: messageOf(error) },
        'admission hook failed; its last verdict or the rule applies',
      );
      this.#keep(wallet, verdict, FAILURE_MS);
      return verdict;
    } finally {
      this.#asking.delete(wallet);
    }
  }

  #keep(wallet: Address, verdict: Verdict | undefined, lifetimeMs: number): void {
    this.#kept.set(wallet, { verdict, untilMs: this.#nowMs() + lifetimeMs });
  }
}

/** Asks with a timeout. Does not rely on the abort signal, which a module's function may ignore. */
async function withinTime(ask: AskHook, wallet: Address, timeoutMs: number): Promise<Verdict> {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`it did not answer within ${timeoutMs} ms`));
      controller.abort();
    }, timeoutMs);
  });
  try {
    return await Promise.race([ask(wallet, controller.signal), timeout]);
  } finally {
    clearTimeout(timer);
  }
}
