// The sandbox's own routes: funding, markets, time travel, faults. They exist only where a sandbox service does.
import {
  type Address,
  CreateMarketInput,
  FaultInput,
  FundInput,
  MAX_UINT256,
  TimeTravelInput,
  toBigInteger,
} from '@presage/protocol';
import type { FastifyInstance } from 'fastify';
import type Type from 'typebox';
import { bodyOf } from '../bodies.ts';
import { invalidField } from '../query-values.ts';
import type { ApiServices, FaultParams, SandboxPort } from '../services.ts';
import { createMarketReader } from './markets.ts';

const checkFund = bodyOf(FundInput);
const checkMarket = bodyOf(CreateMarketInput);
const checkTravel = bodyOf(TimeTravelInput);
const checkFaults = bodyOf(FaultInput);

/** A week: long enough to play, short enough to see it expire with one journey. */
const DEFAULT_LIFE_SECONDS = 7 * 86_400;
/** Times of the contracts are wider; nothing else here is tried beyond 2106. */
const LATEST_EXPIRATION = 0xffff_ffff;

export function sandboxRoutes(service: SandboxPort, { clock, reads, views }: ApiServices) {
  const toWire = createMarketReader({ clock, reads, views });
  return (server: FastifyInstance): void => {
    server.post('/sandbox/fund', async (request) => {
      const { address, amount } = checkFund(request.body);
      return service.fund(address.toLowerCase() as Address, amount === undefined ? undefined : toAmount(amount));
    });

    server.post('/sandbox/markets', async (request) => {
      const wish = checkMarket(request.body);
      const expiration = expirationOf(wish, clock.nowSeconds());
      const { question, description = '', category = 'general' } = wish;
      const market = reads.market(await service.createMarket({ question, description, category, expiration }));
      return (await toWire(market === undefined ? [] : [market]))[0];
    });

    server.post('/sandbox/time', async (request) => {
      const { advanceSeconds } = checkTravel(request.body);
      const farthest = LATEST_EXPIRATION - clock.nowSeconds();
      if (advanceSeconds > farthest) throw invalidField('advanceSeconds', `at most ${farthest} seconds from here`);
      return service.travel(advanceSeconds);
    });
    server.post('/sandbox/faults', async (request) => service.setFaults(checkFaults(request.body) as FaultParams));
  };
}

function toAmount(input: number | bigint | string): bigint {
  const amount = toBigInteger(input, MAX_UINT256);
  if (amount === undefined) throw invalidField('amount', 'an integer from 0 to 2^256-1');
  return amount;
}

function expirationOf(wish: Type.Static<typeof CreateMarketInput>, nowSeconds: number): number {
  const expiration =
    wish.expiration === undefined
      ? nowSeconds + Number(wish.expiresIn ?? DEFAULT_LIFE_SECONDS)
      : Number(wish.expiration);
  if (expiration <= nowSeconds) throw invalidField('expiration', `a Unix time after ${nowSeconds}`);
  if (expiration > LATEST_EXPIRATION) throw invalidField('expiration', `a Unix time up to ${LATEST_EXPIRATION}`);
  return expiration;
}
