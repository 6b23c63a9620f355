// Whether a permit that came with an order holds, is needed, and does no harm: a permit sets the allowance, it does not add to it.
import type { Contracts } from '@presage/chain';
import { type Address, type Fault, type PermitChanged, PresageError } from '@presage/protocol';
import { askingChain, type SimulationSite, simulateCall } from './call-simulation.ts';
import type { GasBudget } from './gas-budget.ts';
import type { OrderWithPermit, PendingReads, ReadReserve } from './ports.ts';
import type { RelayedCalls } from './relayed-calls.ts';
import { findUsedPermit, isSignedWith, type PermitSite, type SignedPermit } from './used-permit.ts';

export interface PermitJudgeOptions {
  readonly site: SimulationSite;
  readonly contracts: Contracts;
  readonly permits: PermitSite;
  readonly calls: RelayedCalls;
  readonly budget: GasBudget;
  readonly reserve: ReadReserve;
  readonly wallets: Pick<PendingReads, 'nonces'>;
  /** The wallet's next nonce at the stablecoin once everything that is being relayed is mined. */
  readonly nextNonce: (owner: Address) => bigint | undefined;
  /** Wallets lack nothing by the time they settle, so a bad permit is not worth a refusal. */
  readonly isForgiving: boolean;
  readonly nowSeconds: () => number;
}

type PermitOutcome = Pick<PermitChanged, 'status' | 'txHash' | 'reason'>;

export class PermitJudge {
  readonly #options: PermitJudgeOptions;

  constructor(options: PermitJudgeOptions) {
    this.#options = options;
  }

  /** `pending`: permits of the wallet that are accepted and not mined; theirs are the nonces before. */
  async check(signed: OrderWithPermit, pending: readonly OrderWithPermit[]): Promise<Fault | undefined> {
    if (this.#options.isForgiving) return undefined;
    const { reserve, nextNonce } = this.#options;
    const { reserved: withHeadroom, headroom, allowance } = await reserve(signed.order.trader, signed);
    if (allowance >= withHeadroom) return undefined;
    // Who signs for exactly what the orders cost is honest: the headroom for rounding is ours, not theirs.
    const reserved = withHeadroom - headroom;
    const nonce = await this.#minedNonce(signed);
    const expected = highest(nonce, nextNonce(signed.order.trader), ...pending.map(({ permit }) => permit.nonce + 1n));
    const reason = await this.#findFault(signed, { nonce, expected, reserved, pending });
    if (reason === undefined) return this.#checkBudget(signed);
    const details = { reason, nonce: expected, required: reserved, value: signed.permit.value, allowance };
    return { code: 'invalid_permit', details: toText(details) };
  }

  /** What keeps an accepted permit from being sent now: it would set the allowance below what the wallet needs. */
  async findObstacle(signed: OrderWithPermit): Promise<PermitOutcome | undefined> {
    if (this.#options.isForgiving) return undefined;
    const { reserved: withHeadroom, headroom, allowance } = await this.#options.reserve(signed.order.trader);
    const reserved = withHeadroom - headroom;
    if (signed.permit.value >= reserved || allowance < reserved) return undefined;
    return {
      status: 'skipped',
      reason: 'its value is below what the wallet’s orders need, and the allowance covers that',
    };
  }

  /** Why it was not sent or had no effect; one that somebody else submitted first has its effect. */
  async explain(signed: OrderWithPermit, error: PresageError): Promise<PermitOutcome> {
    const used = await askingChain(() => findUsedPermit(this.#options.permits, this.#toSigned(signed)));
    if (used !== undefined) return { status: 'confirmed', ...(used !== '' && { txHash: used }) };
    return { status: 'failed', reason: String(error.details?.reason ?? error.message) };
  }

  async #findFault(
    signed: OrderWithPermit,
    known: { nonce: bigint; expected: bigint; reserved: bigint; pending: readonly OrderWithPermit[] },
  ): Promise<string | undefined> {
    const { permit } = signed;
    if (permit.value < known.reserved) return 'the value does not cover what the wallet’s orders need';
    if (permit.deadline < BigInt(this.#options.nowSeconds())) return 'the deadline has passed';
    if (known.pending.some((other) => isSame(other, signed))) return undefined;
    if (permit.nonce !== known.expected) return 'the nonce is not the next one';
    const isSigned = await isSignedWith(this.#options.permits, this.#toSigned(signed), permit.nonce);
    if (!isSigned) return 'the signature is not the trader’s, for the settlement contract and this nonce';
    return permit.nonce === known.nonce ? this.#simulate(signed) : undefined;
  }

  async #simulate(signed: OrderWithPermit): Promise<string | undefined> {
    try {
      await simulateCall(this.#options.site, this.#options.calls.toOrderPermit(signed.order.trader, signed.permit));
      return undefined;
    } catch (error) {
      if (!(error instanceof PresageError) || error.code === 'chain_unavailable') throw error;
      return String(error.details?.reason ?? error.message);
    }
  }

  #checkBudget({ order, permit }: OrderWithPermit): Fault | undefined {
    try {
      this.#options.budget.check(order.trader, this.#options.calls.toOrderPermit(order.trader, permit).gasLimit);
      return undefined;
    } catch (error) {
      if (!(error instanceof PresageError)) throw error;
      return { code: error.code, ...(error.details && { details: error.details }) };
    }
  }

  async #minedNonce({ order }: OrderWithPermit): Promise<bigint> {
    const { wallets, contracts } = this.#options;
    const contract = contracts.stablecoin.address;
    const [nonce = 0n] = await askingChain(() => wallets.nonces([{ owner: order.trader, contract }], 'pending'));
    return nonce;
  }

  #toSigned({ order, permit }: OrderWithPermit): SignedPermit {
    const { settlement } = this.#options.contracts;
    const v = permit.v < 2 ? permit.v + 27 : permit.v;
    return { ...permit, v, owner: order.trader, spender: settlement.address };
  }
}

function highest(...nonces: readonly (bigint | undefined)[]): bigint {
  return nonces.reduce<bigint>((most, nonce) => (nonce !== undefined && nonce > most ? nonce : most), 0n);
}

function isSame(one: OrderWithPermit, other: OrderWithPermit): boolean {
  return one.permit.nonce === other.permit.nonce && one.permit.r === other.permit.r && one.permit.s === other.permit.s;
}

/** Amounts are uint256: as decimal strings nothing is lost. */
function toText(details: Record<string, string | bigint>): Record<string, string> {
  return Object.fromEntries(Object.entries(details).map(([name, value]) => [name, String(value)]));
}
