// What would become of an order, without storing anything: hash, signer, every fault, and the fills it would get now.
import {
  costOf,
  type EngineOutput,
  ERRORS,
  type Fault,
  isJournalled,
  type SignedOrder,
  type TradeMatched,
  toChecksumAddress,
} from '@presage/protocol';
import type { FastifyInstance } from 'fastify';
import type { OrderFunds } from '../../admission/ports.ts';
import type { ApiServices } from '../services.ts';

export function orderValidationRoutes({ orders, reads, clock }: ApiServices) {
  return (server: FastifyInstance): void => {
    server.post('/api/v1/orders/validate', async (request) => {
      const { signed, signer, domain, funds, faults } = await orders.examine(request.body);
      const outputs =
        signed === undefined ? [] : reads.decide({ type: 'place-order', ...signed, timeMs: clock.nowMs() });
      const errors = [...faults, ...refusalsIn(outputs, faults)].map(toWireFault);
      return {
        orderHash: signed?.orderHash ?? null,
        domain: domain ?? null,
        recoveredSigner: signer === undefined ? null : toChecksumAddress(signer),
        funds: funds === undefined ? null : toWireFunds(funds),
        errors,
        ...(signed !== undefined && { wouldMatch: toWouldMatch(signed, outputs) }),
      };
    });
  };
}

/** Amounts are uint256: as decimal strings, like those of the balances. */
function toWireFunds(funds: OrderFunds): object {
  return {
    token: toChecksumAddress(funds.token),
    spender: toChecksumAddress(funds.spender),
    required: funds.required.toString(),
    available: funds.available.toString(),
    reserved: funds.reserved.toString(),
    balance: funds.balance.toString(),
    allowance: funds.allowance.toString(),
    sharesRequired: funds.sharesRequired.toString(),
    sharesApproved: funds.sharesApproved,
    covered: funds.covered,
  };
}

/** What the engine would refuse beyond what was found already. */
function refusalsIn(outputs: readonly EngineOutput[], found: readonly Fault[]): Fault[] {
  const codes = new Set<string>(found.map(({ code }) => code));
  return outputs.filter((output) => output.type === 'command-refused').filter(({ code }) => !codes.has(code));
}

function toWireFault({ code, details }: Fault): object {
  return { code, error: ERRORS[code].error, ...(details && { details }) };
}

/** Prices in millionths; the average is rounded up, as a buyer would pay it. */
function toWouldMatch({ order }: SignedOrder, outputs: readonly EngineOutput[]): object {
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
  };
}
