// Endpoints that exist in a sandbox only: money, markets, time, prices, disputes, faults.
import type { MarketTerms } from '@presage/chain';
import {
  findNamesFault,
  fitsContract,
  LIMITS,
  MARKET_LIFETIME_SECONDS,
  MAX_EVENT_TEXT_BYTES,
  PresageError,
  stringifyJson,
  toBigInteger,
  toLowerHex,
} from '@presage/protocol';
import * as wire from '@presage/protocol/wire';
import type { Static } from 'typebox';
import type { SandboxServices } from '../../sandbox/open.ts';
import type { Wire } from '../answer.ts';
import { bodyOf, invalidField } from '../bodies.ts';
import { type Endpoint, endpoint } from '../endpoint.ts';
import { EventReader } from '../mappers/event.ts';
import { MarketReader } from '../mappers/market.ts';
import { toResolution } from '../mappers/resolution.ts';
import { assertCategory } from '../market-list.ts';
import type { ApiServices } from '../services.ts';
import { SlowCreations } from '../slow-creations.ts';

const elsewhere = (): never => {
  throw new PresageError('partition_unavailable');
};

/** Placeholder on a node that forwards sandbox requests to the settler: it documents them and never answers them itself. */
export const SANDBOX_ELSEWHERE: SandboxServices = {
  controls: new Map(),
  oracle: { dispute: elsewhere, arbitrate: elsewhere },
  time: { travel: elsewhere },
  setMaker: elsewhere,
  pinPrice: elsewhere,
  operatorKey: { keyId: '', privateKey: '' },
};

const sandbox = { method: 'post', tag: 'Sandbox', answeredBy: 'settler' } as const;
const onChain = ['simulation_failed', 'chain_unavailable'] as const;

/** Default life of a market: a week is long enough to play, and short enough to expire by one time travel. */
const DEFAULT_LIFE_SECONDS = 7 * 86_400;
/** Latest time to travel to, in 2106: the largest 32-bit second. */
const LATEST_TIME = 0xffff_ffff;
/** Attempts to read the view; each waits up to a second. */
const VIEW_TRIES = 30;

type Services = Pick<ApiServices, 'clock' | 'reads' | 'views' | 'presentation'>;

export function sandboxEndpoints(ports: SandboxServices, services: Services): Endpoint[] {
  return [
    ...walletAndMarketEndpoints(ports, services),
    ...serviceEndpoints(ports, services),
    ...oracleEndpoints(ports, services),
    ...faultEndpoints(ports),
  ];
}

/** Controls of the given chain, or of the first. */
function controlsOf(controls: SandboxServices['controls'], chainId: number | undefined) {
  const [first] = controls.keys();
  const wanted = chainId ?? first;
  const found = wanted === undefined ? undefined : controls.get(wanted);
  if (found === undefined) throw invalidField('chainId', `one of ${[...controls.keys()].join(', ')}`);
  return found;
}

function walletAndMarketEndpoints({ controls }: SandboxServices, services: Services): Endpoint[] {
  const reader = new MarketReader(services);
  const events = new EventReader(services);
  const creations = new SlowCreations<Wire<'Event'>>();
  return [
    endpoint({
      ...sandbox,
      path: '/sandbox/fund',
      id: 'fundWallet',
      summary: 'Give a wallet test money',
      body: bodyOf(wire.FundInput),
      answer: wire.FundAnswer,
      errors: onChain,
      handle: async ({ body }) =>
        controlsOf(controls, body.chainId).fund(
          toLowerHex(body.address),
          body.amount === undefined ? undefined : toAmount(body.amount),
        ),
    }),
    endpoint({
      ...sandbox,
      path: '/sandbox/markets',
      id: 'createSandboxMarket',
      summary: 'Make a market; answers when it is listed',
      body: bodyOf(wire.CreateMarketInput),
      answer: wire.Market,
      errors: onChain,
      handle: async ({ body }) => {
        const marketId = await controlsOf(controls, body.chainId).createMarket(toTerms(body, services));
        return onceInView(() => reader.one(marketId));
      },
    }),
    endpoint({
      ...sandbox,
      path: '/sandbox/events',
      id: 'createSandboxEvent',
      summary: 'Make an event; answers when all its outcomes are listed',
      description:
        'Listing many outcomes on a slow chain takes longer than an answer may: after 40 seconds it is refused with `chain_unavailable`, and goes on. The same request, sent again, waits for the same event.',
      body: bodyOf(wire.CreateEventInput),
      answer: wire.Event,
      errors: ['events_not_deployed', ...onChain],
      handle: async ({ body }) => {
        const terms = { ...toTerms(body, services), outcomes: toOutcomes(body) };
        const chain = controlsOf(controls, body.chainId);
        return creations.run(stringifyJson(body), async () => {
          const eventId = await chain.createEvent(terms);
          return onceInView(() => events.one(eventId));
        });
      },
    }),
  ];
}

function toTerms(body: Static<typeof wire.CreateMarketInput>, { clock, presentation }: Services): MarketTerms {
  const { question, description = '', category = 'general', earlyResolution, feeRateBps, makerShareBps } = body;
  assertCategory(category, presentation);
  const expiration = expirationOf(body, clock.nowSeconds());
  return { question, description, category, expiration, earlyResolution, feeRateBps, makerShareBps };
}

function toOutcomes({ question, description = '', outcomes }: Static<typeof wire.CreateEventInput>): string[] {
  const fault = findNamesFault(outcomes);
  if (fault !== undefined) throw invalidField(fault.field, fault.expected, fault.got);
  if (fitsContract([question, description], outcomes)) return outcomes;
  throw invalidField('outcomes', `shorter: with question and description at most ${MAX_EVENT_TEXT_BYTES} bytes`);
}

function serviceEndpoints({ time, setMaker, operatorKey }: SandboxServices, { clock }: Services): Endpoint[] {
  return [
    endpoint({
      ...sandbox,
      path: '/sandbox/time',
      id: 'travelInTime',
      summary: 'Move the clocks of service and chains forward together',
      body: bodyOf(wire.TimeTravelInput),
      answer: wire.TravelAnswer,
      errors: onChain,
      handle: async ({ body: { advanceSeconds } }) => {
        const farthest = LATEST_TIME - clock.nowSeconds();
        if (advanceSeconds > farthest) throw invalidField('advanceSeconds', `at most ${farthest} seconds from here`);
        return time.travel(advanceSeconds);
      },
    }),
    endpoint({
      ...sandbox,
      path: '/sandbox/maker',
      id: 'switchMaker',
      summary: 'Start or stop the market maker that keeps the books alive',
      body: bodyOf(wire.MakerInput),
      answer: wire.MakerAnswer,
      handle: async ({ body: { running } }) => {
        await setMaker(running);
        return { running };
      },
    }),
    endpoint({
      ...sandbox,
      path: '/sandbox/operator-key',
      id: 'getSandboxOperatorKey',
      summary: 'The key of the operator, with every right',
      description:
        'With it every endpoint under /admin/v1 can be tried. It is made at the first start and stays the same.',
      answer: wire.OperatorKeyAnswer,
      handle: async () => operatorKey,
    }),
  ];
}

function oracleEndpoints({ oracle }: SandboxServices, { clock }: Services): Endpoint[] {
  return [
    endpoint({
      ...sandbox,
      path: '/sandbox/dispute',
      id: 'disputeProposal',
      summary: 'Dispute what is proposed; answers when the service has seen it',
      body: bodyOf(wire.DisputeInput),
      answer: wire.ResolutionBody,
      errors: ['market_not_found', 'nothing_to_dispute', ...onChain],
      handle: async ({ body }) => toResolution(await oracle.dispute(toLowerHex(body.marketId)), clock.nowSeconds()),
    }),
    endpoint({
      ...sandbox,
      path: '/sandbox/arbitrate',
      id: 'decideDispute',
      summary: 'Decide a dispute; answers when the service has seen it',
      body: bodyOf(wire.ArbitrationInput),
      answer: wire.ResolutionBody,
      errors: ['market_not_found', 'nothing_to_arbitrate', ...onChain],
      handle: async ({ body: { marketId, truthful } }) =>
        toResolution(await oracle.arbitrate(toLowerHex(marketId), truthful), clock.nowSeconds()),
    }),
  ];
}

function faultEndpoints({ controls, pinPrice }: SandboxServices): Endpoint[] {
  return [
    endpoint({
      ...sandbox,
      path: '/sandbox/faults',
      id: 'setFaults',
      summary: 'Break the chain, settlement or oracle, and repair them',
      body: bodyOf(wire.FaultInput),
      answer: wire.FaultAnswer,
      errors: onChain,
      handle: async ({ body }) => controlsOf(controls, body.chainId).setFaults(body),
    }),
    endpoint({
      ...sandbox,
      path: '/sandbox/price',
      id: 'pinPrice',
      summary: 'Hold the price of an asset, or let it go with null',
      description: 'Holds exactly from the next second until it is changed. Answered when it is shown.',
      body: bodyOf(wire.PricePinInput),
      answer: wire.PinnedPrice,
      errors: ['asset_not_supported', 'price_unavailable'],
      handle: async ({ body: { asset, priceUSD } }) => pinPrice(asset, priceUSD),
    }),
  ];
}

/** Reads from the view, retrying while it lags: a caller that was refused after the write would retry and write twice. */
async function onceInView<T>(read: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof PresageError && error.code === 'view_behind') || tries === VIEW_TRIES) throw error;
    }
  }
}

function toAmount(input: number | bigint | string): bigint {
  const amount = toBigInteger(input, BigInt(LIMITS.sandboxFundUnits));
  if (amount === undefined) throw invalidField('amount', `an integer from 0 to ${LIMITS.sandboxFundUnits}`);
  return amount;
}

function expirationOf({ expiration, expiresIn }: Static<typeof wire.CreateMarketInput>, nowSeconds: number): number {
  const chosen = expiration === undefined ? nowSeconds + Number(expiresIn ?? DEFAULT_LIFE_SECONDS) : Number(expiration);
  if (chosen <= nowSeconds) throw invalidField('expiration', `a Unix time after ${nowSeconds}`);
  const latest = nowSeconds + MARKET_LIFETIME_SECONDS;
  if (chosen > latest) throw invalidField('expiration', `a Unix time up to ${latest}`);
  return chosen;
}
