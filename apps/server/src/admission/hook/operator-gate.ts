// Applies the operator's rules before an order is admitted: the hook's verdict on its wallet, and the wallet's limits.
import type { Fault, SignedOrder } from '@presage/protocol';
import type { OrderGate } from '../ports.ts';
import type { OrderLimits } from './order-limits.ts';
import type { Limits, Verdict, WalletLimits } from './verdict.ts';
import type { WalletVerdicts } from './wallet-verdicts.ts';

interface OperatorGateOptions {
  /** Verdicts of the hook; if missing, every wallet is admitted within the limits. */
  readonly verdicts: Pick<WalletVerdicts, 'verdictOf'> | undefined;
  readonly orderLimits: Pick<OrderLimits, 'check' | 'release'>;
  /** Configured limits; a verdict's limits override them one by one. */
  readonly limits: WalletLimits;
}

export class OperatorGate implements OrderGate {
  readonly #options: OperatorGateOptions;

  constructor(options: OperatorGateOptions) {
    this.#options = options;
  }

  check(signed: SignedOrder, chainId: number): Fault | undefined | Promise<Fault | undefined> {
    const { verdicts } = this.#options;
    const verdict = verdicts === undefined ? ADMITTED : verdicts.verdictOf(signed.order.trader);
    if (verdict instanceof Promise) return verdict.then((known) => this.#judge(signed, chainId, known));
    return this.#judge(signed, chainId, verdict);
  }

  release(signed: SignedOrder): void {
    this.#options.orderLimits.release(signed);
  }

  #judge(
    signed: SignedOrder,
    chainId: number,
    verdict: Verdict | undefined,
  ): Fault | undefined | Promise<Fault | undefined> {
    if (verdict === undefined) return { code: 'admission_unavailable' };
    if (!verdict.admit) return { code: 'not_admitted', details: { reason: verdict.reason ?? NO_REASON } };
    const limits = mergeLimits(this.#options.limits, verdict.limits);
    return isEmpty(limits) ? undefined : this.#options.orderLimits.check(signed, chainId, limits);
  }
}

const ADMITTED: Verdict = { admit: true };
const NO_REASON = 'ask the operator';

function mergeLimits(general: WalletLimits, own: WalletLimits | undefined): WalletLimits {
  return own === undefined ? general : { ...general, ...own, market: { ...general.market, ...own.market } };
}

function isEmpty({ market, ...limits }: WalletLimits): boolean {
  const isUnset = (each: Limits) => Object.values(each).every((value) => value === undefined);
  return isUnset(limits) && isUnset(market ?? {});
}
