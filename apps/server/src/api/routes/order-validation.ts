// Endpoint that validates an order without storing it: hash, signer, every fault, and the fills it would get now.
import {
  costOf,
  type EngineOutput,
  type Fault,
  highestFee,
  isJournalled,
  PresageError,
  type SignedOrder,
  type TradeMatched,
  toChecksumAddress,
} from '@presage/protocol';
import * as wire from '@presage/protocol/wire';
import type { OrderFunds } from '../../wallets/order-funds.ts';
import type { Wire } from '../answer.ts';
import { uncheckedBody } from '../bodies.ts';
import { type Endpoint, endpoint } from '../endpoint.ts';
import type { ApiServices } from '../services.ts';

type Validation = Wire<'ValidationAnswer'>;

type Services = Pick<ApiServices, 'orders' | 'reads' | 'clock'>;

export function orderValidationEndpoints({ orders, reads, clock }: Services): Endpoint[] {
  return [
    endpoint({
      method: 'post',
      path: '/api/v1/orders/validate',
      id: 'validateOrder',
      tag: 'Orders',
      summary: 'Try an order without storing anything',
      description:
        'Answers 200 with every fault in `errors`, the hash and signer found, the funds it takes beside those there are, and the ' +
        'fills it would get now.',
      body: uncheckedBody(wire.OrderSubmissionInput),
      answer: wire.ValidationAnswer,
      handle: async ({ body }): Promise<Validation> => {
        const { signed, signer, domain, funds, faults } = await orders.examine(body);
        const outputs =
          signed === undefined ? [] : reads.preview({ type: 'place-order', ...signed, timeMs: clock.nowMs() });
        return {
          orderHash: signed?.orderHash ?? null,
          domain: domain === undefined ? null : { ...domain },
          recoveredSigner: signer === undefined ? null : toChecksumAddress(signer),
          funds: funds === undefined ? null : toWireFunds(funds),
          errors: [...faults, ...refusalsIn(outputs, faults)].map(toWireFault),
          ...(signed !== undefined && { wouldMatch: toWouldMatch(signed, outputs), maxFee: maxFeeOf(signed, reads) }),
        };
      },
    }),
  ];
}

/** Maps funds to the wire. Amounts are uint256, written as decimal strings like balances. */
function toWireFunds(funds: OrderFunds): NonNullable<Validation['funds']> {
  return {
    token: toChecksumAddress(funds.token),
    spender: toChecksumAddress(funds.spender),
    required: funds.required.toString(),
    available: funds.available.toString(),
    reserved: funds.reserved.toString(),
    balance: funds.balance.toString(),
    allowance: funds.allowance.toString(),
    ...(funds.deposited > 0n && { deposited: funds.deposited.toString() }),
    sharesRequired: funds.sharesRequired.toString(),
    sharesApproved: funds.sharesApproved,
    covered: funds.covered,
  };
}

/** Refusals of the engine that are not among the faults already. */
function refusalsIn(outputs: readonly EngineOutput[], found: readonly Fault[]): Fault[] {
  const codes = new Set<string>(found.map(({ code }) => code));
  return outputs.filter((output) => output.type === 'command-refused').filter(({ code }) => !codes.has(code));
}

function toWireFault({ code, details }: Fault): Validation['errors'][number] {
  return { code, error: new PresageError(code, details).message, ...(details && { details }) };
}

/** Summary of the fills. Prices are in millionths; the average is rounded up, as a buyer would pay it. */
function toWouldMatch({ order }: SignedOrder, outputs: readonly EngineOutput[]): NonNullable<Validation['wouldMatch']> {
  const trades = outputs.filter(isJournalled).filter((event): event is TradeMatched => event.type === 'trade-matched');
  const filled = trades.reduce((sum, { size }) => sum + size, 0);
  const cost = trades.reduce((sum, { price, size }) => sum + costOf(price, size), 0n);
  return {
    matches: trades.length,
    filledSize: filled,
    remainingSize: order.size - filled,
    averagePrice: filled === 0 ? 0 : Number((cost * 1_000_000n + BigInt(filled) - 1n) / BigInt(filled)),
    worstPrice: trades.at(-1)?.price ?? 0,
    cost,
    fee: trades.reduce((sum, { fee = 0 }) => sum + fee, 0),
  };
}

function maxFeeOf({ order }: SignedOrder, reads: Services['reads']): number {
  const { feeRateBps = 0 } = reads.facts(order.marketId) ?? {};
  return Number(highestFee(feeRateBps, order.side, order.size, order.price));
}
