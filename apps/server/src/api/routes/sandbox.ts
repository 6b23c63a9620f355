// The sandbox's own endpoints: money, markets, time, prices, disputes, faults. They exist only where a sandbox does.
import {
  ArbitrationInput,
  CreateMarketInput,
  DisputeInput,
  FaultAnswer,
  FaultInput,
  FundAnswer,
  FundInput,
  LIMITS,
  MakerAnswer,
  MakerInput,
  Market,
  OperatorKeyAnswer,
  PinnedPrice,
  PresageError,
  PricePinInput,
  ResolutionBody,
  TimeTravelInput,
  TravelAnswer,
  toBigInteger,
  toLowerHex,
} from '@presage/protocol';
import type { Static } from 'typebox';
import { bodyOf, invalidField } from '../bodies.ts';
import { type Endpoint, endpoint } from '../endpoint.ts';
import { createMarketReader } from '../mappers/market.ts';
import { toResolution } from '../mappers/resolution.ts';
import { assertCategory } from '../market-list.ts';
import type {
  ApiServices,
  MakerPort,
  SandboxOraclePort,
  SandboxPort,
  SandboxPricePort,
  TimeTravelPort,
} from '../services.ts';

/** Ports that only a sandbox has. */
export interface SandboxPorts {
  /** Controls by chain id; the first is the default. */
  readonly controls: ReadonlyMap<number, SandboxPort>;
  readonly oracle: SandboxOraclePort;
  readonly time: TimeTravelPort;
  readonly maker: MakerPort;
  readonly prices: SandboxPricePort;
  /** An operator key with every right. */
  readonly operatorKey: { readonly keyId: string; readonly privateKey: string };
}

const elsewhere = (): never => {
  throw new PresageError('partition_unavailable');
};

/** For a node that passes sandbox requests on to the settler: it documents them and never answers them itself. */
export const SANDBOX_ELSEWHERE: SandboxPorts = {
  controls: new Map(),
  oracle: { dispute: elsewhere, arbitrate: elsewhere },
  time: { travel: elsewhere },
  maker: { set: elsewhere },
  prices: { pin: elsewhere },
  operatorKey: { keyId: '', privateKey: '' },
};

const sandbox = { method: 'post', tag: 'Sandbox', answeredBy: 'settler' } as const;
const onChain = ['simulation_failed', 'chain_unavailable'] as const;

/** A week: long enough to play, short enough to see it expire with one journey. */
const DEFAULT_LIFE_SECONDS = 7 * 86_400;
/** Times of the contracts are wider; nothing else here is tried beyond 2106. */
const LATEST_EXPIRATION = 0xffff_ffff;
/** Each attempt waits up to a second. */
const VIEW_TRIES = 30;

type Services = Pick<ApiServices, 'clock' | 'reads' | 'views' | 'presentation'>;

export function sandboxEndpoints(ports: SandboxPorts, services: Services): Endpoint[] {
  return [
    ...walletAndMarketEndpoints(ports, services),
    ...serviceEndpoints(ports, services),
    ...oracleEndpoints(ports, services),
    ...faultEndpoints(ports),
  ];
}

/** The controls of the named chain, or of the first. */
function controlsOf(controls: SandboxPorts['controls'], chainId: number | undefined): SandboxPort {
  const [first] = controls.keys();
  const wanted = chainId ?? first;
  const found = wanted === undefined ? undefined : controls.get(wanted);
  if (found === undefined) throw invalidField('chainId', `one of ${[...controls.keys()].join(', ')}`);
  return found;
}

function walletAndMarketEndpoints({ controls }: SandboxPorts, services: Services): Endpoint[] {
  const { clock, reads } = services;
  const toMarkets = createMarketReader(services);
  return [
    endpoint({
      ...sandbox,
      path: '/sandbox/fund',
      id: 'fundWallet',
      summary: 'Give a wallet test money',
      body: bodyOf(FundInput),
      answer: FundAnswer,
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
      body: bodyOf(CreateMarketInput),
      answer: Market,
      errors: onChain,
      handle: async ({ body }) => {
        const expiration = expirationOf(body, clock.nowSeconds());
        const { question, description = '', category = 'general' } = body;
        assertCategory(category, services.presentation);
        const params = { question, description, category, expiration };
        const market = reads.market(await controlsOf(controls, body.chainId).createMarket(params));
        const [answer] = market === undefined ? [] : await onceInView(() => toMarkets([market]));
        if (answer === undefined) throw new PresageError('internal');
        return answer;
      },
    }),
  ];
}

function serviceEndpoints({ time, maker, operatorKey }: SandboxPorts, { clock }: Services): Endpoint[] {
  return [
    endpoint({
      ...sandbox,
      path: '/sandbox/time',
      id: 'travelInTime',
      summary: 'Move the clocks of service and chains forward together',
      body: bodyOf(TimeTravelInput),
      answer: TravelAnswer,
      errors: onChain,
      handle: async ({ body: { advanceSeconds } }) => {
        const farthest = LATEST_EXPIRATION - clock.nowSeconds();
        if (advanceSeconds > farthest) throw invalidField('advanceSeconds', `at most ${farthest} seconds from here`);
        return time.travel(advanceSeconds);
      },
    }),
    endpoint({
      ...sandbox,
      path: '/sandbox/maker',
      id: 'switchMaker',
      summary: 'Start or stop the market maker that keeps the books alive',
      body: bodyOf(MakerInput),
      answer: MakerAnswer,
      handle: async ({ body }) => ({ running: await maker.set(body.running) }),
    }),
    endpoint({
      ...sandbox,
      path: '/sandbox/operator-key',
      id: 'getSandboxOperatorKey',
      summary: 'The key of the operator, with every right',
      description:
        'With it every endpoint under /admin/v1 can be tried. It is made at the first start and stays the same.',
      answer: OperatorKeyAnswer,
      handle: async () => operatorKey,
    }),
  ];
}

function oracleEndpoints({ oracle }: SandboxPorts, { clock }: Services): Endpoint[] {
  return [
    endpoint({
      ...sandbox,
      path: '/sandbox/dispute',
      id: 'disputeProposal',
      summary: 'Dispute what is proposed; answers when the service has seen it',
      body: bodyOf(DisputeInput),
      answer: ResolutionBody,
      errors: ['market_not_found', 'nothing_to_dispute', ...onChain],
      handle: async ({ body }) => toResolution(await oracle.dispute(toLowerHex(body.marketId)), clock.nowSeconds()),
    }),
    endpoint({
      ...sandbox,
      path: '/sandbox/arbitrate',
      id: 'decideDispute',
      summary: 'Decide a dispute; answers when the service has seen it',
      body: bodyOf(ArbitrationInput),
      answer: ResolutionBody,
      errors: ['market_not_found', 'nothing_to_arbitrate', ...onChain],
      handle: async ({ body: { marketId, truthful } }) =>
        toResolution(await oracle.arbitrate(toLowerHex(marketId), truthful), clock.nowSeconds()),
    }),
  ];
}

function faultEndpoints({ controls, prices }: SandboxPorts): Endpoint[] {
  return [
    endpoint({
      ...sandbox,
      path: '/sandbox/faults',
      id: 'setFaults',
      summary: 'Break the chain, settlement or oracle, and repair them',
      body: bodyOf(FaultInput),
      answer: FaultAnswer,
      errors: onChain,
      handle: async ({ body }) => controlsOf(controls, body.chainId).setFaults(body),
    }),
    endpoint({
      ...sandbox,
      path: '/sandbox/price',
      id: 'pinPrice',
      summary: 'Hold the price of an asset, or let it go with null',
      description: 'Holds exactly from the next second until it is changed. Answered when it is shown.',
      body: bodyOf(PricePinInput),
      answer: PinnedPrice,
      errors: ['asset_not_supported', 'price_unavailable'],
      handle: async ({ body: { asset, priceUSD } }) => prices.pin(asset, priceUSD),
    }),
  ];
}

/** A caller that was refused after the write would retry and write twice. */
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

function expirationOf({ expiration, expiresIn }: Static<typeof CreateMarketInput>, nowSeconds: number): number {
  const chosen = expiration === undefined ? nowSeconds + Number(expiresIn ?? DEFAULT_LIFE_SECONDS) : Number(expiration);
  if (chosen <= nowSeconds) throw invalidField('expiration', `a Unix time after ${nowSeconds}`);
  if (chosen > LATEST_EXPIRATION) throw invalidField('expiration', `a Unix time up to ${LATEST_EXPIRATION}`);
  return chosen;
}
