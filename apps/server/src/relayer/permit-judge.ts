// Judges whether a permit that came with an order is valid, needed and harmless: a permit sets the allowance, it does not add to it.
import { type Fault, type OrderHash, type PermitChanged, PresageError, type SignedOrder } from '@presage/protocol';
import type { PermitCheck } from '../admission/ports.ts';
import type { ChainContext } from '../chains/chain-context.ts';
import type { Wallets } from '../wallets/wallets.ts';
import { askingChain, simulateCall } from './call-simulation.ts';
import { highestNonce } from './nonce-use.ts';
import type { OrderWithPermit } from './ports.ts';
import type { RelayState } from './relay-state.ts';
import type { RelayedCalls } from './relayed-calls.ts';
import { findUsedPermit, isSignedWith, type PermitSite, type SignedPermit } from './used-permit.ts';

export interface PermitJudgeOptions {
  readonly state: RelayState;
  readonly permits: PermitSite;
  readonly calls: RelayedCalls;
  readonly wallets: Pick<Wallets, 'reads' | 'service'>;
}

export type PermitOutcome = Pick<PermitChanged, 'status' | 'txHash' | 'reason'>;

export function hasPermit(signed: SignedOrder): signed is OrderWithPermit {
  return signed.permit !== undefined;
}

export class PermitJudge implements PermitCheck {
  readonly #context: ChainContext;
  readonly #options: PermitJudgeOptions;
  /** Orders that passed the check and are not placed yet; later permits come after their nonces. */
  readonly #admitted = new Map<OrderHash, OrderWithPermit>();

  constructor(context: ChainContext, options: PermitJudgeOptions) {
    this.#context = context;
    this.#options = options;
  }

  /** Checks the permit before its order is accepted; undefined if the order may be placed. */
  async check(signed: SignedOrder): Promise<Fault | undefined> {
    if (!hasPermit(signed)) return undefined;
    const { trader } = signed.order;
    const admitted = [...this.#admitted.values()].filter(({ order }) => order.trader === trader);
    const fault = await this.#judge(signed, [...this.#options.state.permits.of(trader), ...admitted]);
    if (fault === undefined) this.#admitted.set(signed.orderHash, signed);
    // A used order nonce is reported before anything about money.
    return fault !== undefined && this.#isNonceUsed(signed) ? undefined : fault;
  }

  release({ orderHash }: SignedOrder): void {
    this.#admitted.delete(orderHash);
  }

  #isNonceUsed(signed: OrderWithPermit): boolean {
    const { reads, clock } = this.#context;
    const [output] = reads.preview({ ...signed, type: 'place-order', timeMs: clock.nowMs() });
    return output?.type === 'command-refused' && output.code === 'nonce_already_used';
  }

  /** `pending` are the wallet's accepted permits that are not mined; their nonces come first. */
  async #judge(signed: OrderWithPermit, pending: readonly OrderWithPermit[]): Promise<Fault | undefined> {
    const { state, wallets } = this.#options;
    if (state.isAutofunded) return undefined;
    const { trader } = signed.order;
    const { reserved: withHeadroom, headroom, allowance } = await wallets.service.reserve(trader, signed);
    if (allowance >= withHeadroom) return undefined;
    // A permit for exactly the cost of the orders is fair: the headroom for rounding is added by us.
    const reserved = withHeadroom - headroom;
    const nonce = await this.#minedNonce(signed);
    const { stablecoin } = this.#context.addresses;
    const accepted = pending.map(({ permit }) => permit.nonce + 1n);
    const expected = highestNonce([nonce, state.book.nextNonce(stablecoin, trader), ...accepted]) ?? nonce;
    const reason = await this.#findFault(signed, { nonce, expected, reserved, pending });
    if (reason === undefined) return this.#checkBudget(signed);
    const details = { reason, nonce: expected, required: reserved, value: signed.permit.value, allowance };
    return { code: 'invalid_permit', details: toText(details) };
  }

  /** Reason not to send an accepted permit now: it would set the allowance below what the wallet needs. */
  async findObstacle(signed: OrderWithPermit): Promise<PermitOutcome | undefined> {
    const { state, wallets } = this.#options;
    if (state.isAutofunded) return undefined;
    const { reserved: withHeadroom, headroom, allowance } = await wallets.service.reserve(signed.order.trader);
    const reserved = withHeadroom - headroom;
    if (signed.permit.value >= reserved || allowance < reserved) return undefined;
    return {
      status: 'skipped',
      reason: 'its value is below what the wallet’s orders need, and the allowance covers that',
    };
  }

  /** Explains why a permit was not sent or had no effect; one that somebody else submitted first has its effect. */
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
    if (permit.deadline < BigInt(this.#context.clock.nowSeconds())) return 'the deadline has passed';
    if (known.pending.some((other) => isSame(other, signed))) return undefined;
    if (permit.nonce !== known.expected) return 'the nonce is not the next one';
    const isSigned = await isSignedWith(this.#options.permits, this.#toSigned(signed), permit.nonce);
    if (!isSigned) return 'the signature is not the trader’s, for the settlement contract and this nonce';
    return permit.nonce === known.nonce ? this.#simulate(signed) : undefined;
  }

  async #simulate(signed: OrderWithPermit): Promise<string | undefined> {
    try {
      const { rpc, node, chain } = this.#context;
      const call = this.#options.calls.toOrderPermit(signed.order.trader, signed.permit);
      await simulateCall({ rpc, node, relayer: chain.keys?.relayer.address }, call);
      return undefined;
    } catch (error) {
      if (!(error instanceof PresageError) || error.code === 'chain_unavailable') throw error;
      return String(error.details?.reason ?? error.message);
    }
  }

  #checkBudget({ order, permit }: OrderWithPermit): Fault | undefined {
    try {
      const { state, calls } = this.#options;
      state.gas.check({ owner: order.trader }, calls.toOrderPermit(order.trader, permit).gasLimit);
      return undefined;
    } catch (error) {
      if (!(error instanceof PresageError)) throw error;
      return { code: error.code, ...(error.details && { details: error.details }) };
    }
  }

  async #minedNonce({ order }: OrderWithPermit): Promise<bigint> {
    const contract = this.#context.contracts.stablecoin.address;
    const { reads } = this.#options.wallets;
    const [nonce = 0n] = await askingChain(() => reads.nonces([{ owner: order.trader, contract }], 'pending'));
    return nonce;
  }

  #toSigned({ order, permit }: OrderWithPermit): SignedPermit {
    const { settlement } = this.#context.contracts;
    const v = permit.v < 2 ? permit.v + 27 : permit.v;
    return { ...permit, v, owner: order.trader, spender: settlement.address };
  }
}

function isSame(one: OrderWithPermit, other: OrderWithPermit): boolean {
  return one.permit.nonce === other.permit.nonce && one.permit.r === other.permit.r && one.permit.s === other.permit.s;
}

/** Converts amounts to decimal strings, since a uint256 does not fit a number. */
function toText(details: Record<string, string | bigint>): Record<string, string> {
  return Object.fromEntries(Object.entries(details).map(([name, value]) => [name, String(value)]));
}
