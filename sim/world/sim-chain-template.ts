// The chain at the start of every seed: contracts deployed, markets created, wallets funded. Made once.

import { type ContractCall, type Contracts, createContracts, type Deployment, type Rpc } from '@presage/chain';
import { keyOf } from '@presage/devchain';
import { type FeeRates, type Hex, type MarketId, OrderHasher, sha256OfLines, toLowerHex } from '@presage/protocol';
import { openDigestSigner, type SignDigest } from '@presage/protocol/digest-signer';
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { deployContracts, type SandboxDeployment } from '../../apps/sandbox/src/deployer/deploy-contracts.ts';
import { MarketCreator } from '../../apps/server/src/operator/market-creator.ts';
import { install } from '../kernel/install.ts';
import { VirtualTime } from '../kernel/virtual-time.ts';
import { PreparedChain } from './prepared-chain.ts';
import { CONFIRMATIONS, SimChain } from './sim-chain.ts';
import { makeEvents, type TemplateEvent } from './template-events.ts';

/** A quarter of an hour ends, and with it a quick market, this long into a whole life. */
const QUARTER_MS = 1_800_000_900_000;
const SECONDS_BEFORE = 35;
export const TRADER_NAMES = ['ann', 'ben', 'cas', 'dot', 'eve', 'fay', 'gil', 'hal'] as const;
/** Enough for a few concurrent orders: the cost of one counts against the next. */
const FUNDS = 40_000_000n;
/** Lifetimes of the markets; the first expires during a whole life. */
const MARKET_MINUTES = [0.5, 12, 600] as const;
/**
 * Rates that a world's markets may have: none, the lowest, the highest with all of it for makers, and one that rounds.
 */
export const FEE_CHOICES: readonly FeeRates[] = [
  {},
  { feeRateBps: 1 },
  { feeRateBps: 133, makerShareBps: 3_333 },
  { feeRateBps: 700, makerShareBps: 10_000 },
];
/** Upper bound of the virtual time for deploying. */
const PREPARATION_MS = 600_000;

export interface ChainTemplate {
  /** Length of its lives as a share of whole ones: events of a life happen sooner in a shorter one. */
  readonly lifeShare: number;
  /** Time on the clock when a world begins. */
  readonly startMs: number;
  readonly chain: PreparedChain;
  readonly deployment: SandboxDeployment;
  readonly contracts: Deployment;
  /** For each lifetime, one market for each of FEE_CHOICES; a world trades in one of them. */
  readonly marketChoices: readonly (readonly MarketId[])[];
  /** Events in which a world also trades; none in most templates. */
  readonly events: readonly TemplateEvent[];
  readonly wallets: readonly PrivateKeyAccount[];
  /** Native signers of the same wallets: a wallet library would take most of a world's time. */
  readonly signers: readonly SignDigest[];
  readonly orderHasher: OrderHasher;
}

/** Prepared in virtual time before all worlds begin. */
export async function makeChainTemplate(lifeShare = 1, hasEvents = false): Promise<ChainTemplate> {
  const startMs = QUARTER_MS - Math.round(SECONDS_BEFORE * lifeShare) * 1_000;
  const time = new VirtualTime(startMs - PREPARATION_MS);
  const chain = await SimChain.open(time, startMs - PREPARATION_MS);
  const answer = async (_url: unknown, init?: RequestInit) => {
    const text = await chain.answer(String(init?.body));
    if (chain.poolSize > 0) await chain.mine();
    return new Response(text, { headers: { 'content-type': 'application/json' } });
  };
  const restore = install({ time, random: () => 0.5, fetch: answer });
  try {
    let template: Omit<ChainTemplate, 'chain'> | undefined;
    let failure: unknown;
    prepare(chain, { lifeShare, startMs, hasEvents }).then(
      (made) => {
        template = made;
      },
      (error) => {
        failure = error ?? new Error('the template failed');
      },
    );
    await time.runUntil(() => template !== undefined || failure !== undefined, PREPARATION_MS / 2);
    if (template === undefined) throw failure ?? new Error('the contracts were not deployed in time');
    return { ...template, chain: await PreparedChain.open(chain.records, CONFIRMATIONS) };
  } finally {
    restore();
  }
}

interface Preparation extends Pick<ChainTemplate, 'lifeShare' | 'startMs'> {
  readonly hasEvents: boolean;
}

async function prepare(chain: SimChain, preparation: Preparation): Promise<Omit<ChainTemplate, 'chain'>> {
  const { lifeShare, startMs, hasEvents } = preparation;
  const deployment = await deployContracts({ rpcUrl: 'http://template.sim' });
  const rpc = toRpc(chain);
  const contracts = createContracts({ rpc, deployment });
  const owner = keyOf('owner').address;
  const [first, ...others] = MARKET_MINUTES;
  const marketChoices: MarketId[][] = [];
  for (const minutes of [first * lifeShare, ...others]) {
    const choices: MarketId[] = [];
    for (const rates of FEE_CHOICES)
      choices.push(await makeMarket(chain, contracts, { owner, minutes, startMs, rates }));
    marketChoices.push(choices);
  }
  const events = hasEvents ? await makeEvents(chain, contracts, { owner, lifeShare, startMs }) : [];
  const wallets = TRADER_NAMES.map((name) => privateKeyToAccount(keyOfTrader(name)));
  const signers = await Promise.all(TRADER_NAMES.map((name) => openDigestSigner(keyOfTrader(name))));
  for (const { address } of wallets) {
    await chain.sendAs(owner, contracts.stablecoin.call('mint', [address, FUNDS]));
    await chain.sendAs(address, contracts.stablecoin.call('approve', [deployment.settlement, 2n ** 255n]));
    await chain.sendAs(address, contracts.stablecoin.call('approve', [deployment.conditionalTokens, 2n ** 255n]));
    await chain.sendAs(address, contracts.conditionalTokens.call('setApprovalForAll', [deployment.settlement, true]));
  }
  // More than any reorg: the initial state of a world is never removed.
  await chain.mine(3 * CONFIRMATIONS);
  const verifyingContract = toLowerHex(deployment.settlement);
  const { chainId } = deployment;
  const orderHasher = await OrderHasher.open({ name: 'PresageSettlement', version: '1', chainId, verifyingContract });
  const addresses = toAddresses(deployment);
  return { lifeShare, startMs, deployment, contracts: addresses, marketChoices, events, wallets, signers, orderHasher };
}

function keyOfTrader(name: string): Hex {
  return sha256OfLines(['presage test wallet', `sim ${name}`]);
}

interface MarketToMake {
  readonly owner: Hex;
  readonly minutes: number;
  readonly startMs: number;
  readonly rates: FeeRates;
}

async function makeMarket(chain: SimChain, contracts: Contracts, market: MarketToMake): Promise<MarketId> {
  const { owner, minutes, startMs, rates } = market;
  const expiration = startMs / 1_000 + Math.round(minutes * 60);
  const question = `Does it hold for ${minutes} minutes?`;
  const terms = { question, description: 'Of the simulation.', category: 'general', expiration, ...rates };
  const send = (_: string, call: ContractCall) => chain.sendAs(owner, call);
  const creator = new MarketCreator({ contracts, creator: owner, send });
  const marketId = await creator.prepare(terms);
  await creator.create(marketId, terms);
  await chain.mine();
  return marketId;
}

function toAddresses(deployment: SandboxDeployment): Deployment {
  const { settlement, conditionalTokens, marketFactory, oracle, stablecoin, multicall } = deployment;
  const { priceOracle, quickMarketFactory, eventFactory, anchors } = deployment;
  return {
    settlement,
    conditionalTokens,
    marketFactory,
    oracle,
    stablecoin,
    multicall,
    ...(priceOracle && { priceOracle }),
    ...(quickMarketFactory && { quickMarketFactory }),
    ...(eventFactory && { eventFactory }),
    ...(anchors && { anchors }),
  };
}

/** Calls the chain directly, without a network in between. */
export function toRpc(chain: SimChain): Rpc {
  return {
    request: (method, params = []) => chain.call(method, params),
    batch: (calls) =>
      Promise.all(
        calls.map(async ({ method, params = [] }) => ({ ok: true as const, result: await chain.call(method, params) })),
      ),
  };
}
