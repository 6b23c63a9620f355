// Builds a signed order from OrderParams: exact integers, the next nonce, the service's clock.
import { ORDER_TYPES, type Order, type OrderTerms, pickTerms, ZERO_ADDRESS } from '@presage/protocol/browser';
import { PresageInputError } from '../errors.ts';
import type { CallOptions } from '../http.ts';
import {
  type AmountInput,
  type OutcomeName,
  type PriceInput,
  parsePrice,
  parseSize,
  type SideName,
  toAddress,
  toBytes32,
  toOutcome,
  toSide,
} from '../inputs.ts';
import type { Session } from '../session.ts';
import type { NonceSequence } from './nonces.ts';

/** `selfTradePrevention` is `cancel_resting` unless it is given. */
export interface OrderParams extends Partial<OrderTerms> {
  readonly marketId: string;
  readonly side: SideName;
  /** YES by default. */
  readonly outcome?: OutcomeName;
  /** `'0.55'`, `'55c'`, or a bigint of millionths; never rounded. */
  readonly price: PriceInput;
  /** Shares: `'12.5'`, or a bigint of millionths; never rounded. */
  readonly size: AmountInput;
  /** Seconds from now by the service's clock; a day by default. */
  readonly expiresIn?: number;
  /** Unix seconds, instead of `expiresIn`. */
  readonly expiration?: number;
  /** Overrides the counted nonce: must be unique for this wallet in this market. */
  readonly nonce?: bigint;
}

/** The body of POST /api/v1/orders. */
export interface OrderSubmissionBody extends Partial<OrderTerms> {
  readonly order: Order;
  readonly signature: `0x${string}`;
}

/** A placeholder of the right length. */
const NO_SIGNATURE = `0x${'00'.repeat(64)}1b` as const;
/** A signed order can be settled until it expires, so a forgotten one should expire soon. */
const DEFAULT_LIFE_SECONDS = 86_400;

/**
 * Trades with oneself are never intended: an older order of the same wallet is cancelled, unless the caller says
 * otherwise.
 */
function toTerms(params: OrderParams): Partial<OrderTerms> {
  return pickTerms({ ...params, selfTradePrevention: params.selfTradePrevention ?? 'cancel_resting' });
}

export class OrderBuilder {
  readonly #session: Session;
  readonly #nonces: NonceSequence;

  constructor(session: Session, nonces: NonceSequence) {
    this.#session = session;
    this.#nonces = nonces;
  }

  /** The same body with a placeholder signature: enough for a preview, without prompting the wallet. */
  async draft(params: OrderParams, options: CallOptions = {}): Promise<OrderSubmissionBody> {
    const order = await this.#toOrder(
      { ...params, nonce: params.nonce ?? this.#nonces.peek(params.marketId) },
      options,
    );
    return { order, signature: NO_SIGNATURE, ...toTerms(params) };
  }

  async sign(params: OrderParams, options: CallOptions = {}): Promise<OrderSubmissionBody> {
    const order = await this.#toOrder(params, options);
    const signature = await this.#session.signer.signTypedData({
      domain: await this.#domain(params.marketId, options),
      types: ORDER_TYPES,
      primaryType: 'Order',
      message: { ...order, price: BigInt(order.price), size: BigInt(order.size) },
    });
    return { order, signature, ...toTerms(params) };
  }

  async #toOrder(params: OrderParams, options: CallOptions): Promise<Order> {
    // All inputs are checked before a nonce is used or the wallet is prompted.
    const fields = {
      marketId: toBytes32('marketId', params.marketId),
      trader: toAddress('account', this.#session.signer.address),
      side: toSide(params.side),
      outcome: toOutcome(params.outcome ?? 'YES'),
      price: parsePrice(params.price),
      size: parseSize(params.size),
    };
    const expiration = BigInt(await this.#expirationOf(params, options));
    const nonce = params.nonce ?? this.#nonces.next(fields.marketId);
    return { ...fields, nonce, expiration, makerFeeRecipient: ZERO_ADDRESS };
  }

  async #expirationOf({ expiration, expiresIn = DEFAULT_LIFE_SECONDS }: OrderParams, options: CallOptions) {
    const isGood = Number.isSafeInteger(expiration ?? expiresIn) && (expiration ?? expiresIn) > 0;
    if (!isGood) throw new PresageInputError('expiration', 'whole seconds above 0', expiration ?? expiresIn);
    return expiration ?? (await this.#session.nowSeconds(options)) + expiresIn;
  }

  async #domain(marketId: string, options: CallOptions) {
    const { chainId, settlement } = await this.#session.chainOf(marketId, options);
    const { name, version, address } = settlement;
    return { name, version, chainId, verifyingContract: toAddress('settlement', address) };
  }
}
